"""Tang Nano 20K: Gowin GW2AR-18, 8 MB of 32-bit SDRAM in its package, a BL616 for JTAG and UART. Open tools (Apicula)
only."""

from litedram.modules import M12L64322A  # has the geometry and timing of the embedded chip
from litedram.phy import GENSDRPHY
from litex.build.io import DDROutput
from litex_boards.platforms.sipeed_tang_nano_20k import Platform
from litex_boards.targets.sipeed_tang_nano_20k import _CRG as Clock
from migen import ClockSignal

from boards.board import Board, Variant
from boards.unit_clock import PllClock

#: The tools recognize the embedded SDRAM by these pin names.
SDRAM_PINS = {
    "cke": "O_sdram_cke",
    "cs_n": "O_sdram_cs_n",
    "cas_n": "O_sdram_cas_n",
    "ras_n": "O_sdram_ras_n",
    "we_n": "O_sdram_wen_n",
    "dm": "O_sdram_dqm",
    "a": "O_sdram_addr",
    "ba": "O_sdram_ba",
    "dq": "IO_sdram_dq",
}


class SdramPads:
    def __init__(self, platform):
        for name, pin in SDRAM_PINS.items():
            setattr(self, name, platform.request(pin))


def memory(platform, hz):
    phy = GENSDRPHY(SdramPads(platform), hz)
    # The SDRAM's clock is the system's, half a cycle later.
    phy.specials += DDROutput(0, 1, platform.request("O_sdram_clk"), ClockSignal("sys"))
    return phy, M12L64322A(hz, "1:1")


BOARD = Board(
    name="tang_nano_20k",
    title="Tang Nano 20K",
    litex_target="sipeed_tang_nano_20k",
    clock_hz=48e6,
    port_bits=32,
    memory_mb=8,
    rom_bytes=4096,
    sram_bytes=2048,  # block RAM is scarce here
    # Gowin's parts have only this placer.
    variants={"GW2AR-18": Variant("GW2AR-18", "tiny", placer="heap")},
    platform_class=Platform,
    platform=lambda part, toolchain: Platform(toolchain=toolchain),
    clock=Clock,
    memory=memory,
    unit_clock=PllClock,
    toolchain="apicula",
    debug="none",
    # LiteX gives Gowin's open flow no clock constraint.
    nextpnr_options=lambda hz: ("--freq", f"{hz / 1e6:g}"),
    openfpgaloader="tangnano20k",
    cables=((0x0403, 0x6010),),
    serials=((0x0403, 0x6010),),
    serial_interface=1,  # 0 is JTAG
    bitstream=".fs",
)

"""Colorlight i5 (ECP5 25F) and i9 (45F), speed grade 6, on their extension board: 8 MB of 32-bit SDRAM, DAPLink for
JTAG and UART."""

from litedram.modules import M12L64322A
from litedram.phy import GENSDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex_boards.platforms.colorlight_i5 import Platform
from litex_boards.targets.colorlight_i5 import _CRG as Clock

from boards.board import Board, Variant

REVISIONS = {"i5": "7.0", "i9": "7.2"}

BOARD = Board(
    name="colorlight_i5",
    title="Colorlight i5 and i9",
    litex_target="colorlight_i5",
    clock_hz=60e6,
    port_bits=32,
    memory_mb=8,
    rom_bytes=4096,
    variants={"i5": Variant("i5", "tiny"), "i9": Variant("i9", "tiny")},
    link=("pmode:0", "pmode:1"),
    platform_class=Platform,
    platform=lambda part, toolchain: Platform(board=part, revision=REVISIONS[part], toolchain=toolchain),
    clock=Clock,
    memory=lambda platform, hz: (GENSDRPHY(platform.request("sdram"), hz), M12L64322A(hz, "1:1")),
    ethernet=lambda platform: LiteEthPHYRGMII(
        platform.request("eth_clocks", 0), platform.request("eth", 0), tx_delay=0
    ),
    openfpgaloader="colorlight-i5",
    dap=True,
    openocd=True,
    cables=((0x0D28, 0x0204),),
    serials=((0x0D28, 0x0204),),
)

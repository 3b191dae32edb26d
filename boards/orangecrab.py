"""OrangeCrab r0.2: ECP5 of speed grade 8 (85F, 25F), 128 MB of 16-bit DDR3, USB bootloader (DFU).

As on ECPIX-5 the port is 128 bits wide and moves a word every other cycle. Its USB port has no controller in hardware,
and the core that LiteX would use for it is in no registry. So the UART is on the header's pins TX (1) and RX (0), for a
3.3 V adapter."""

from litedram.modules import MT41K64M16
from litedram.phy import ECP5DDRPHY
from litex_boards.platforms.gsd_orangecrab import Platform, feather_serial
from litex_boards.targets.gsd_orangecrab import _CRGSDRAM as Clock

from boards.board import Board, Variant


def platform(part, toolchain):
    board = Platform(revision="0.2", device=part, toolchain=toolchain)
    board.add_extension(feather_serial)
    return board


def memory(platform, hz):
    pads = platform.request("ddram")
    # The board swaps the mask pins of the lanes. Below 64 MHz the clock arrives too early for the commands.
    phy = ECP5DDRPHY(pads, sys_clk_freq=hz, dm_remapping={0: 1, 1: 0}, cmd_delay=0 if hz > 64e6 else 100)
    phy.settings.rtt_nom = "disabled"  # the board has no termination resistors
    # Pins beside the memory's serve as supplies.
    phy.comb += [pads.vccio.eq(0b111111), pads.gnd.eq(0)]
    return phy, MT41K64M16(hz, "1:2")


BOARD = Board(
    name="orangecrab",
    title="OrangeCrab r0.2",
    litex_target="gsd_orangecrab",
    clock_hz=48e6,
    port_bits=128,
    memory_mb=128,
    variants={
        "85F": Variant("85F", "messages"),
        # Queues of 128 bits would take more block RAMs than a 25F has. This placer leads to a routable design on the
        # 25F, and the other does not (docs/howto/boards.md).
        "25F": Variant("25F", "tiny", data_bits=32, placer="heap"),
    },
    link=("GPIO:5", "GPIO:6"),
    platform_class=Platform,
    platform=platform,
    clock=Clock,
    memory=memory,
    openfpgaloader="orangeCrab",
    loads=False,
    cables=((0x1209, 0x5AF0),),
)

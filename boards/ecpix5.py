"""ECPIX-5: ECP5-5G of speed grade 8 (85F, 45F), 512 MB of 16-bit DDR3, FT2232H for JTAG and UART.

A word of LiteDRAM's port is a burst of 8 on 16 pins, 128 bits. At 1:2 a burst takes two system cycles, so that the peak
is 8 bytes a cycle."""

from litedram.modules import MT41K256M16
from litedram.phy import ECP5DDRPHY
from liteeth.phy.ecp5rgmii import LiteEthPHYRGMII
from litex_boards.platforms.lambdaconcept_ecpix5 import Platform
from litex_boards.targets.lambdaconcept_ecpix5 import _CRG as Clock

from boards.board import Board, Variant

BOARD = Board(
    name="ecpix5",
    title="ECPIX-5",
    litex_target="lambdaconcept_ecpix5",
    clock_hz=75e6,
    port_bits=128,
    memory_mb=512,
    variants={"85F": Variant("85F", "messages"), "45F": Variant("45F", "tiny")},
    link=("pmod0:0", "pmod0:1"),
    platform_class=Platform,
    platform=lambda part, toolchain: Platform(device=part, toolchain=toolchain),
    clock=Clock,
    memory=lambda platform, hz: (ECP5DDRPHY(platform.request("ddram"), sys_clk_freq=hz), MT41K256M16(hz, "1:2")),
    ethernet=lambda platform: LiteEthPHYRGMII(platform.request("eth_clocks"), platform.request("eth"), rx_delay=0),
    openfpgaloader="ecpix5",
    openocd=True,
    cables=((0x0403, 0x6010),),
    serials=((0x0403, 0x6010),),
    serial_interface=1,  # 0 is JTAG
)

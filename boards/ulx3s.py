"""ULX3S: ECP5 of speed grade 6 (85F, 45F, 25F), 32 MB of 16-bit SDRAM, FT231X for JTAG and UART.

The SDRAM runs at twice the system clock (1:2), which makes a port of 32 bits."""

from litedram.modules import MT48LC16M16
from litex_boards.platforms.radiona_ulx3s import Platform
from litex_boards.targets.radiona_ulx3s import _CRG as Clock

from boards.board import Board, Variant
from boards.sdram import RegisteredHalfRateGENSDRPHY

BOARD = Board(
    name="ulx3s",
    title="ULX3S",
    litex_target="radiona_ulx3s",
    clock_hz=50e6,
    port_bits=32,
    memory_mb=32,
    rom_bytes=4096,
    variants={
        "85F": Variant("LFE5U-85F", "messages"),
        "45F": Variant("LFE5U-45F", "tiny"),
        "25F": Variant("LFE5U-25F", "tiny"),
    },
    link=("B11", "C11"),  # GP0, GN0
    platform_class=Platform,
    platform=lambda part, toolchain: Platform(device=part, toolchain=toolchain),
    clock=lambda platform, hz: Clock(platform, hz, sdram_rate="1:2"),
    memory=lambda platform, hz: (RegisteredHalfRateGENSDRPHY(platform.request("sdram"), hz), MT48LC16M16(hz, "1:2")),
    openfpgaloader="ulx3s",
    openocd=True,
    cables=((0x0403, 0x6015),),
    serials=((0x0403, 0x6015),),
)

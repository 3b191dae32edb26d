"""`make term`: LiteX's terminal on a board's UART. It also sends a program to the boot ROM (serial boot)."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from litex.tools import litex_term
from serial.tools import list_ports

from base.errors import HeapwireError
from boards.__main__ import named
from boards.board import Board

MEMORY_BASE = 0x4000_0000
"""Address at which the boot ROM expects a program."""


ASKED = 'ARGS="--port {}"'
"""What `make term` wants to be told, with the port in the braces."""


def port_of(board: Board, ports, option: str = ASKED) -> str:
    """Returns the only serial port, of those that pyserial lists, that may be the board's. Raises HeapwireError if
    there are none or several. Its text says how to name one by `option`."""
    # A port without a USB device is the machine's own.
    fitting = [
        port for port in ports if port.vid is not None and (not board.serials or (port.vid, port.pid) in board.serials)
    ]
    if board.serial_interface is not None:
        fitting = [
            port for port in fitting if not port.location or port.location.endswith(f".{board.serial_interface}")
        ]
    if len(fitting) == 1:
        return fitting[0].device
    if not fitting:
        adapter = (
            "the board" if board.serials else "a 3.3 V serial adapter at the board's header (docs/howto/boards.md)"
        )
        raise HeapwireError(
            f"{board.name}: no serial port of it is there. What to do: connect {adapter}, or name the port, "
            f"{option.format('/dev/tty...')}"
        )
    listed = "\n  ".join(
        f"{port.device}, {port.description}, serial number {port.serial_number or 'none'}" for port in fitting
    )
    raise HeapwireError(
        f"{board.name}: {len(fitting)} serial ports fit:\n  {listed}\nWhat to do: name one, "
        f"{option.format(fitting[0].device)}"
    )


def arguments(port: str, kernel: Path | None, baud: int) -> list[str]:
    """Returns the arguments of litex_term."""
    if kernel:
        if not kernel.is_file():
            raise HeapwireError(
                f'{kernel} is not there. What to do: make firmware BOARD=..., and ARGS="--kernel '
                'build/firmware/BOARD/monitor.bin"'
            )
        if kernel.read_bytes()[:4] == b"\x7fELF":
            raise HeapwireError(
                f'{kernel} is an ELF file, serial boot wants raw bytes. What to do: ARGS="--kernel '
                f'{kernel.with_suffix(".bin")}"'
            )
    return [
        port,
        "--speed",
        str(baud),
        *(["--kernel", str(kernel), "--kernel-adr", hex(MEMORY_BASE)] if kernel else []),
    ]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("board")
@click.option("--port", help="Serial port (default: the one that looks like the board's).")
@click.option("--kernel", type=click.Path(path_type=Path), help="Program to send when the boot ROM asks for one.")
@click.option("--baud", type=int, default=115200, show_default=True)
@click.option("--parse-only", is_flag=True, help="Only look at these arguments.")
def main(board: str, port: str | None, kernel: Path | None, baud: int, parse_only: bool) -> None:
    """Open a terminal on BOARD's UART. Ctrl-C twice ends it."""
    board = named(board)
    if parse_only:
        return
    try:
        words = arguments(port or port_of(board, list_ports.comports()), kernel, baud)
    except HeapwireError as error:
        sys.exit(f"board: {error}")
    if not sys.stdin.isatty():
        sys.exit("board: the terminal needs a terminal to run in")
    print(f"board: litex_term {' '.join(words)}")
    sys.argv[1:] = words
    litex_term.main()


if __name__ == "__main__":
    main()

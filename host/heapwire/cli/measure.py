"""`heapwire bench`: messages over the UART of a board or a simulation."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Callable

import click

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.cli import terminal
from heapwire.cli.terminal import PARSE_ONLY
from heapwire.interface import Interface
from heapwire.workload.group import Group


def over_a_line(known: Callable[[], list[Group]]) -> click.Command:
    """Returns the command that measures groups of messages over a line. known: makes the groups to choose from."""

    @click.command()
    @click.option(
        "--group", "groups", multiple=True, help="Only this group of messages (repeatable; default: demo, fields)."
    )
    @click.option(
        "--port", help="The monitor to measure: a serial device, socket://host:port or another URL of pyserial's."
    )
    @click.option(
        "--board",
        help="Measure this board of boards/, by what was built for it; without --port at the serial port that looks "
        "like its own.",
    )
    @click.option("--device", help="With --board: the part on it, where it is sold with several.")
    @click.option("--config", help="With --board: the configuration, if it is not the board's own.")
    @click.option(
        "--kernel",
        type=click.Path(path_type=Path),
        help="This monitor.bin is sent to a boot ROM that asks for a program.",
    )
    @click.option("--resume", is_flag=True, help="Go on where an earlier run of the same machine stopped.")
    @click.option("--name", default="uart", show_default=True, help="What the rows and files are called.")
    @click.option("--limit", default=8192, show_default=True, help="Bytes of the longest message.")
    @click.option("--baud", default=115200, show_default=True, help="The rate that the monitor starts at.")
    @click.option("--max-baud", default=3_000_000, show_default=True, help="The highest rate that is tried.")
    @click.option(
        "--patience",
        default=60.0,
        show_default=True,
        help="Seconds of silence until the line is given up; 15 at most for the first answer.",
    )
    @click.option(
        "--allow-missing-unit",
        is_flag=True,
        help="Measure a machine without any unit, where software does all the work.",
    )
    @PARSE_ONLY
    def command(
        groups: tuple[str, ...],
        port: str | None,
        board: str | None,
        device: str | None,
        config: str | None,
        kernel: Path | None,
        resume: bool,
        name: str,
        limit: int,
        baud: int,
        max_baud: int,
        patience: float,
        allow_missing_unit: bool,
        parse_only: bool,
    ) -> None:
        """Measure groups of messages on the board or simulation whose monitor answers at --port, or on --board.

        The host checks every result. The description of the machine comes from the file that HEAPWIRE_JSON names, or
        from the build for --board, or else from LIKE, or CONFIG and DATA_WIDTH. If the cable is pulled, the bench waits
        for it. A board that is reset starts its boot ROM. With --kernel the bench uploads that program to the ROM and
        goes on. Without --kernel the bench ends, and --resume continues it later.

        Writes build/bench/<name>.jsonl and .md. Fails if a result is wrong or absent."""
        from rich.markdown import Markdown

        from heapwire import board as boards
        from heapwire import interface as interface_module
        from heapwire.client.line import Line
        from heapwire.measure import uart

        given = [f"--{option}" for option, value in (("device", device), ("config", config)) if value is not None]
        if given and not board:
            raise click.UsageError(f"{', '.join(given)}: for a bench with --board")
        if not (port or board):
            raise click.UsageError("which machine? Give --port or --board")
        if not re.fullmatch(r"[\w-]+", name):
            raise HeapwireError(f"--name {name}: use letters, digits, - and _")
        if parse_only:
            return
        interface = boards.interface(board, device, config) if board else interface_module.load()
        line = Line(
            port or _port_of(board),
            terminal.say,
            baud=baud,
            max_baud=max_baud,
            patience=patience,
            boot=_boot(kernel, interface) if kernel else None,
        )
        try:
            measured = uart.Bench(
                line,
                uart.chosen(groups, limit, terminal.say, known()),
                interface,
                name,
                ROOT / "build" / "bench",
                resume,
                limit,
                terminal.say,
                allow_missing_unit,
            ).run()
        finally:
            line.close()
        terminal.console.print(Markdown(measured.page.read_text()))
        terminal.console.print(f"written: {measured.page.with_suffix('.jsonl')}, {measured.page}")
        tell_problems(measured.problems)

    return command


def _boot(kernel: Path, interface: Interface) -> Callable[..., object]:
    from heapwire.client import boot

    return partial(boot.upload, image=boot.program(kernel), address=interface.cluster["memoryBase"], say=terminal.say)


def _port_of(board: str) -> str:
    from heapwire import board as boards

    found = boards.port(board)
    terminal.say(f"{board}: {found}")
    return found


def tell_problems(problems: list[str]) -> None:
    """Prints what is wrong with a measurement, and raises HeapwireError if anything is."""
    for text in problems[:50]:
        terminal.console.print(text, style="red", soft_wrap=True)
    if problems:
        raise HeapwireError(f"{len(problems)} results are wrong, absent or miss their bars")

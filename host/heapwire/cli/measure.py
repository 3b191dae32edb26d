"""`heapwire bench` and `heapwire check`: messages over the UART of a board or a simulation."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import click

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.cli import terminal
from heapwire.cli.terminal import PARSE_ONLY
from heapwire.interface import Interface
from heapwire.workload.group import Group

if TYPE_CHECKING:
    from heapwire.client.line import Line


@dataclass(frozen=True)
class Machine:
    """The machine at the other end of a line, as options name it (machine_options)."""

    port: str | None
    board: str | None
    device: str | None
    config: str | None
    kernel: Path | None
    baud: int
    max_baud: int
    patience: float

    def looked_at(self) -> None:
        """Raises UsageError if the options do not fit together."""
        given = [f"--{option}" for option in ("device", "config") if getattr(self, option) is not None]
        if given and not self.board:
            raise click.UsageError(f"{', '.join(given)}: only with --board")
        if not (self.port or self.board):
            raise click.UsageError("which machine? Give --port or --board")

    def interface(self) -> Interface:
        from heapwire import board as boards
        from heapwire import interface as interface_module

        return boards.interface(self.board, self.device, self.config) if self.board else interface_module.load()

    def line(self, interface: Interface) -> Line:
        from heapwire.client.line import Line

        return Line(
            self.port or _port_of(self.board),
            terminal.say,
            baud=self.baud,
            max_baud=self.max_baud,
            patience=self.patience,
            boot=_boot(self.kernel, interface) if self.kernel else None,
        )


_MACHINE = (
    click.option(
        "--port", help="Where the monitor answers: a serial device, socket://host:port or another URL of pyserial's."
    ),
    click.option(
        "--board",
        help="This board of boards/, by what was built for it; without --port at the port that looks like its own.",
    ),
    click.option("--device", help="With --board: the part on it, where it is sold with several."),
    click.option("--config", help="With --board: the configuration, if it is not the board's own."),
    click.option(
        "--kernel",
        type=click.Path(path_type=Path),
        help="This monitor.bin is sent to a boot ROM that asks for a program.",
    ),
    click.option("--baud", default=115200, show_default=True, help="The rate that the monitor starts at."),
    click.option("--max-baud", default=3_000_000, show_default=True, help="The highest rate that is tried."),
    click.option(
        "--patience",
        default=60.0,
        show_default=True,
        help="Seconds of silence until the line is given up; 15 at most for the first answer.",
    ),
    click.option("--limit", default=8192, show_default=True, help="Bytes of the longest message."),
    PARSE_ONLY,
)


def machine_options(command: Callable) -> Callable:
    """Gives a command the options of a Machine, `limit` and `parse_only`."""
    for option in reversed(_MACHINE):
        command = option(command)
    return command


def over_a_line(known: Callable[[], list[Group]]) -> click.Command:
    """Returns the command that measures groups of messages over a line. known: makes the groups to choose from."""

    @click.command()
    @click.option(
        "--group", "groups", multiple=True, help="Only this group of messages (repeatable; default: demo, fields)."
    )
    @machine_options
    @click.option("--resume", is_flag=True, help="Go on where an earlier run of the same machine stopped.")
    @click.option("--name", default="uart", show_default=True, help="What the rows and files are called.")
    @click.option(
        "--allow-missing-unit",
        is_flag=True,
        help="Measure a machine without any unit, where software does all the work.",
    )
    def command(
        groups: tuple[str, ...],
        limit: int,
        parse_only: bool,
        resume: bool,
        name: str,
        allow_missing_unit: bool,
        **machine: Any,
    ) -> None:
        """Measure groups of messages on the board or simulation whose monitor answers at --port, or on --board.

        The host checks every result. The description of the machine comes from the file that HEAPWIRE_JSON names, or
        from the build for --board, or else from LIKE, or CONFIG and DATA_WIDTH. If the cable is pulled, the bench waits
        for it. A board that is reset starts its boot ROM. With --kernel the bench uploads that program to the ROM and
        goes on. Without --kernel the bench ends, and --resume continues it later.

        Writes build/bench/<name>.jsonl and .md. Fails if a result is wrong or absent."""
        from rich.markdown import Markdown

        from heapwire.measure import uart

        chosen = Machine(**machine)
        chosen.looked_at()
        _check_name(name)
        if parse_only:
            return
        interface = chosen.interface()
        line = chosen.line(interface)
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


@click.command()
@machine_options
@click.option("--name", help="What the report's file is called; default: the board's name, or `uart`.")
@click.option(
    "--conformance",
    type=click.Path(path_type=Path),
    help="The folder of the official conformance runner (make setup: .cache/conformance).",
)
@click.option("--messages", default=100, show_default=True, help="About how many of its messages are sent.")
@click.option("--group", "groups", multiple=True, help="Only this group of our messages (repeatable).")
def check(
    limit: int,
    parse_only: bool,
    name: str | None,
    conformance: Path | None,
    messages: int,
    groups: tuple[str, ...],
    **machine: Any,
) -> None:
    """Test a board, or a simulation, over its UART: identity, memory, clock, conformance, messages, the line itself.

    Writes build/check/<name>.json, which its owner can send back: it says what was built, what was found and what was
    measured, and nothing about the owner's computer. Fails if a part fails."""
    from rich.table import Table

    from heapwire import board as boards
    from heapwire.check.selftest import SelfTest, Wanted
    from heapwire.measure import uart
    from heapwire.measure.messages import groups as known

    chosen = Machine(**machine)
    chosen.looked_at()
    name = name or (f"{chosen.board}-{chosen.device}" if chosen.device else chosen.board) or "uart"
    _check_name(name)
    if parse_only:
        return
    interface = chosen.interface()
    if chosen.board and not chosen.kernel:
        chosen = replace(chosen, kernel=boards.monitor(chosen.board, chosen.device, chosen.config))
    wanted = Wanted(
        name,
        chosen.kernel,
        conformance if conformance and conformance.is_dir() else None,
        messages,
        uart.chosen(groups, limit, terminal.say, known()),
        limit,
    )
    line = chosen.line(interface)
    test = SelfTest(line, interface, wanted, ROOT / "build" / "check", terminal.say)
    try:
        findings = test.run()
    finally:
        line.close()
    table = Table("part", "", "what was found", box=None)
    for finding in findings:
        table.add_row(finding.name, finding.verdict, finding.text)
    terminal.console.print(table)
    terminal.console.print(f"written: {test.file}. Please send this file back, also if all is well")
    if failed := [finding.name for finding in findings if finding.ok is False]:
        raise HeapwireError(f"the board fails: {', '.join(failed)}")


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[\w-]+", name):
        raise HeapwireError(f"--name {name}: use letters, digits, - and _")


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

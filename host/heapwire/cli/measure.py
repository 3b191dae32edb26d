"""`heapwire bench`, on the simulated SoC or over a line."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from heapwire.cli import terminal
from heapwire.cli.options import PARSE_ONLY
from heapwire.errors import HeapwireError
from heapwire.interface import Interface


@click.command()
@click.argument("suites", nargs=-1)
@click.option(
    "--group", "groups", multiple=True, help="Only this group of the suite protobuf, cereal or skyway (repeatable)."
)
@click.option(
    "--every-layout", is_flag=True, help="Sweeps and large sets of the protobuf suite, too, in all link layouts: hours."
)
@click.option(
    "--one-layout", is_flag=True, help="Everything in one link layout: quick, and software is not at its best."
)
@click.option("--units-only", is_flag=True, help="The suite protobuf by units on managed objects alone: quick.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the rows and the page, not build/bench.",
)
@click.option("--rows-only", is_flag=True, help="A missed bar is no failure: rows are what is wanted.")
@click.option(
    "--port",
    help="Measure over the UART of the monitor there: a serial device, "
    "socket://host:port or another URL of pyserial's.",
)
@click.option(
    "--board",
    help="Measure this board of boards/, by what was built for it; without --port at the serial port that looks like "
    "its own.",
)
@click.option("--device", help="With --board: the part on it, where it is sold with several.")
@click.option("--config", help="With --board: the configuration, if it is not the board's own.")
@click.option(
    "--kernel",
    type=click.Path(path_type=Path),
    help="With --port: this monitor.bin is sent to a boot ROM that asks for a program.",
)
@click.option("--resume", is_flag=True, help="With --port: go on where an earlier run of the same machine stopped.")
@click.option("--name", default="uart", show_default=True, help="With --port: what the rows and files are called.")
@click.option("--limit", default=8192, show_default=True, help="With --port: bytes of the longest message.")
@click.option("--baud", default=115200, show_default=True, help="With --port: the rate that the monitor starts at.")
@click.option("--max-baud", default=3_000_000, show_default=True, help="With --port: the highest rate that is tried.")
@click.option(
    "--patience",
    default=60.0,
    show_default=True,
    help="With --port: seconds of silence until the line is given up; 15 at most for the first answer.",
)
@click.option(
    "--allow-missing-unit",
    is_flag=True,
    help="With --port: measure a machine without any unit, where software does all the work.",
)
@PARSE_ONLY
def bench(
    suites: tuple[str, ...],
    groups: tuple[str, ...],
    every_layout: bool,
    one_layout: bool,
    units_only: bool,
    output: Path | None,
    rows_only: bool,
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
    """Measure SUITES (default: memory, core, protobuf, heap, cereal, skyway, sweep) on the simulated SoC. The suites
    cereal, skyway and sweep use machines of their own.

    With --port or --board, measure groups of the suite protobuf (default: demo, fields) on the board or simulation
    whose monitor answers there. The host checks every result. The description of the machine comes from the file that
    HEAPWIRE_JSON names, or from the build for --board, or else from LIKE, or CONFIG and DATA_WIDTH. If the cable is
    pulled, the bench waits for it. A board that is reset starts its boot ROM. With --kernel the bench uploads that
    program to the ROM and goes on. Without --kernel the bench ends, and --resume continues it later.

    An image that has already run on the same machine, with the same program and workload, does not run again
    (build/bench/kept). At most HEAPWIRE_JOBS images run at a time (default: as many as there are cores).

    Writes build/bench/<suite>.jsonl and .md. Fails if a result is wrong, if an expected result is absent, or if a bar
    is missed. Bars apply only to a memory port of 128 bits and without LIKE."""
    from rich.markdown import Markdown

    from heapwire.bench.run import BENCH, MISSED, SUITES, run_suite, unit_missing

    if not board:
        _only("device", "config", what="--board")
    if every_layout and one_layout:
        raise click.UsageError("--every-layout and --one-layout: give only one of them")
    if port or board:
        if every_layout or one_layout or units_only or output or rows_only:
            raise click.UsageError(
                "--every-layout, --one-layout, --units-only, --output, --rows-only: for a bench on the simulated SoC"
            )
        if suites and suites != ("protobuf",):
            raise HeapwireError("--port measures messages of the suite protobuf; the others run on the simulator alone")
        if name in SUITES or not re.fullmatch(r"[\w-]+", name):
            raise HeapwireError(f"--name {name}: use letters, digits, - and _, and not a suite's name")
        if parse_only:
            return
        interface = _described(board, device, config)
        _bench_port(
            port or _port_of(board),
            interface,
            groups,
            kernel,
            resume,
            name,
            limit,
            baud,
            max_baud,
            patience,
            allow_missing_unit,
        )
        return
    _only("kernel", "resume", "name", "limit", "baud", "max_baud", "patience", "allow_missing_unit", what="--port")

    unknown = [suite for suite in suites if suite not in SUITES]
    if unknown:
        raise HeapwireError(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    if units_only and suites != ("protobuf",):
        raise click.UsageError("--units-only: for the suite protobuf alone")
    if parse_only:
        return
    if output:
        with terminal.writing(output):
            output.mkdir(parents=True, exist_ok=True)
    problems = []
    for suite in suites or SUITES:
        if not suites and (lacks := unit_missing(suite)):
            terminal.say(f"left out: {lacks}")
            continue
        measured = run_suite(
            suite,
            terminal.say,
            only=groups,
            every_layout=every_layout,
            one_layout=one_layout,
            units_only=units_only,
            folder=output or BENCH,
        )
        page = measured.page
        terminal.console.print(Markdown(page.read_text()))
        terminal.console.print(f"written: {page.with_suffix('.jsonl')}, {page}")
        problems += [f"{suite}: {text}" for text in measured.problems if not (rows_only and text.startswith(MISSED))]
    _tell_problems(problems)


def _only(*options: str, what: str) -> None:
    context = click.get_current_context()
    given = [
        f"--{name.replace('_', '-')}"
        for name in options
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    ]
    if given:
        raise click.UsageError(f"{', '.join(given)}: for a bench with {what}")


def _described(board: str | None, device: str | None, config: str | None) -> Interface:
    from heapwire import board as boards
    from heapwire import interface as interface_module

    return boards.interface(board, device, config) if board else interface_module.load()


def _port_of(board: str) -> str:
    from heapwire import board as boards

    found = boards.port(board)
    terminal.say(f"{board}: {found}")
    return found


def _bench_port(
    port: str,
    interface: Interface,
    groups: tuple[str, ...],
    kernel: Path | None,
    resume: bool,
    name: str,
    limit: int,
    baud: int,
    max_baud: int,
    patience: float,
    missing_unit: bool,
) -> None:
    from rich.markdown import Markdown

    from heapwire.bench import uart
    from heapwire.client import boot
    from heapwire.client.line import Line
    from heapwire.interface import REPOSITORY

    image = boot.program(kernel) if kernel else b""
    line = Line(
        port,
        terminal.say,
        baud=baud,
        max_baud=max_baud,
        patience=patience,
        boot=partial(boot.upload, image=image, address=interface.cluster["memoryBase"], say=terminal.say)
        if kernel
        else None,
    )
    try:
        measured = uart.Bench(
            line,
            uart.chosen(groups, limit, terminal.say),
            interface,
            name,
            REPOSITORY / "build" / "bench",
            resume,
            limit,
            terminal.say,
            missing_unit,
        ).run()
    finally:
        line.close()
    terminal.console.print(Markdown(measured.page.read_text()))
    terminal.console.print(f"written: {measured.page.with_suffix('.jsonl')}, {measured.page}")
    _tell_problems(measured.problems)


def _tell_problems(problems: list[str]) -> None:
    for text in problems[:50]:
        terminal.console.print(text, style="red", soft_wrap=True)
    if problems:
        raise HeapwireError(f"{len(problems)} results are wrong, absent or miss their bars")

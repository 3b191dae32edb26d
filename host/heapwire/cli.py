"""The command line, `heapwire`; `heapwire --help` lists the commands."""

from __future__ import annotations

import contextlib
import re
import sys
from functools import partial
from pathlib import Path
from typing import Iterator

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from heapwire.errors import BadInput, HeapwireError
from heapwire.interface import Interface
from heapwire.program import MAX_CYCLES
from heapwire.shuffle import MOST_VERTICES, MOST_WORDS, VERTICES, WORDS, serializers

# Tables need room: without a terminal, use more than the 80 columns that rich would assume. Markup is off because much
# of the text comes from files, from the line and from the program at its other end.
console = Console(width=None if sys.stdout.isatty() else 120, emoji=False, markup=False, highlight=False)
status_console = Console(stderr=True, emoji=False, markup=False, highlight=False)

PROTO = click.option("--proto", type=click.Path(path_type=Path), help="Schema: a .proto file or a FileDescriptorSet.")
TYPE = click.option("--type", "type_name", help="Message type, e.g. pkg.Message.")
DATA = click.option("--data", type=click.Path(path_type=Path), help="File with one encoded message.")
PARSE_ONLY = click.option("--parse-only", is_flag=True, help="Only look at the arguments: no machine is needed.")
LINK = click.option("--link", help="Talk to this monitor (host:port or a serial device) instead of a simulation.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Object graphs between heap and wire, in hardware: the host's side."""


def _say(text: str) -> None:
    if text:
        status_console.print(text, style="dim")


def _error(text: str) -> None:
    status_console.print(Text.assemble(("heapwire:", "red"), " ", text), soft_wrap=True)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turns an OSError into a HeapwireError: the user can fix an output that cannot be written."""
    try:
        yield
    except OSError as error:
        raise HeapwireError(f"cannot write {error.filename or path}: {error.strerror}") from error


def _need(**options: object) -> None:
    missing = [f"--{name}" for name, value in options.items() if not value]
    if missing:
        raise HeapwireError(f"a message of your own takes --proto, --type and --data; missing: {', '.join(missing)}")


@cli.command()
@PROTO
@TYPE
@DATA
@LINK
@click.option("--twin", is_flag=True, help="Also run the software twin of the hardware.")
@click.option("--allow-missing-unit", is_flag=True, help="Go on where software does all the work.")
@PARSE_ONLY
def demo(
    proto: Path | None,
    type_name: str | None,
    data: Path | None,
    link: str | None,
    twin: bool,
    allow_missing_unit: bool,
    parse_only: bool,
) -> None:
    """Run real messages through the simulated SoC, hardware beside software.

    Each message is encoded with the official library. The hardware and nanopb deserialize it, and every field is read
    back and checked. If the hardware has a serializer, it also serializes the message again, and the bytes are checked.
    Cycles are those of a warm run of the public API."""
    from heapwire import interface as interface_module
    from heapwire.bench.cases import demo_group
    from heapwire.client.line import linked
    from heapwire.demo import run as demo_run
    from heapwire.machine import parsed

    if proto or type_name or data:
        _need(proto=proto, type=type_name, data=data)
        group = demo_run.user_group(proto, type_name, data)
        # Check the messages before building anything.
        for case in group.cases:
            parsed(group.schema, case)
    else:
        group = demo_group()
    if parse_only:
        return

    with status_console.status("") as spinner:
        said, moved = [""], [0]

        def say(text: str) -> None:
            said[0], moved[0] = text, 0
            _say(text)
            spinner.update(Text(text))

        def progress(count: int) -> None:
            moved[0] += count
            spinner.update(Text(f"{said[0]}: {moved[0]:,} bytes over the UART"))

        interface = interface_module.load()
        placement = demo_run.Placement({} if link else demo_run.Placement.of(group, interface).addresses)
        with linked(link, say) if link else demo_run.simulated(group, placement, say) as monitor:
            session = demo_run.Session(monitor, group, interface, progress, placement, twin, say, allow_missing_unit)
            outcomes = list(demo_run.run_demo(session, say))
    _show(outcomes)


def _show(outcomes) -> None:
    """Prints the results of a demo. Raises HeapwireError if one is wrong."""
    from heapwire.demo import tables

    console.print(tables.of_messages(outcomes))
    wrong = [outcome for outcome in outcomes if outcome.problem]
    for outcome in wrong:
        console.print(Text.assemble((f"{outcome.case.name}:", "red"), " ", outcome.problem))
    for outcome in outcomes:
        if outcome.peer_problem:
            console.print(
                f"{outcome.case.name}: nanopb, which is measured for comparison, fails: {outcome.peer_problem}",
                soft_wrap=True,
            )
        if outcome.lacks and not outcome.problem:
            console.print(
                f"{outcome.case.name}: refused, as it should be: it lacks {', '.join(outcome.lacks)}", soft_wrap=True
            )
    if wrong:
        raise HeapwireError(f"{len(wrong)} of {len(outcomes)} messages came back wrong")
    console.print(_closing(outcomes))


def _closing(outcomes) -> str:
    """Returns the closing sentence of a demo without wrong messages."""
    back = [outcome for outcome in outcomes if not outcome.lacks]
    if not back:
        return f"Messages refused, as they should be: {len(outcomes)}."
    software = sum(outcome.fallbacks > 0 for outcome in back)
    written = " and, written again," if all(outcome.written for outcome in back) else ""
    finished = "the unit finished all commands without software"
    if software:
        of_them = f"{software} of them" if len(back) > 1 else "it"
        finished = f"software finished {of_them}, because the unit could not"
    refused = f" Refused, as it should be: {len(outcomes) - len(back)}." if len(back) < len(outcomes) else ""
    came = f"All {len(back)} messages came back" if len(back) > 1 else "The message came back"
    return f"{came}{written} with every field as the official library has it; {finished}.{refused}"


@cli.command()
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--proto",
    "protos",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A .proto file whose messages the program uses (repeatable).",
)
@click.option("--data", type=click.Path(path_type=Path), help="A file whose bytes the program reads.")
@click.option(
    "--max-cycles",
    default=MAX_CYCLES,
    show_default=True,
    type=click.IntRange(min=1),
    help="Stop a program that has not ended by then.",
)
@PARSE_ONLY
def program(
    sources: tuple[Path, ...], protos: tuple[Path, ...], data: Path | None, max_cycles: int, parse_only: bool
) -> None:
    """Build a C program of your own from SOURCES, and run it on the simulated SoC.

    Prints what the program prints on its UART, then its exit code, cycles and seconds. The exit code of this command is
    the program's. docs/start/program.md shows two programs and says what they are linked with."""
    from heapwire.program import run as program_run
    from heapwire.program.program import read

    given = read(list(sources), list(protos), data)
    if parse_only:
        return
    elf = program_run.build(given, _say, partial(click.echo, nl=False, err=True))
    ended = program_run.run(elf, max_cycles, partial(click.echo, nl=False))
    if ended.result.uart and not ended.result.uart.endswith(b"\n"):
        click.echo()
    _say(ended.summary)
    if ended.problem:
        _error(ended.problem)
    sys.exit(ended.status)


@cli.command("demo-skyway")
@click.option(
    "--serializer",
    "serializers",
    multiple=True,
    metavar="NAME",
    help=f"By this one (repeatable), of {', '.join(serializers())}; those of "
    "hardware need CONFIG=cereal or skyway. Default: skyway-sw, kryo-manual.",
)
@click.option(
    "--words", default=WORDS, show_default=True, help=f"Of the text whose words are counted, 1 to {MOST_WORDS}."
)
@click.option("--vertices", default=VERTICES, show_default=True, help=f"Of the graphs, 1 to {MOST_VERTICES}.")
@click.option("--host", is_flag=True, help="The second machine is a process of this host.")
@PARSE_ONLY
def demo_skyway(serializers: tuple[str, ...], words: int, vertices: int, host: bool, parse_only: bool) -> None:
    """Run shuffle programs on two simulated SoCs, joined by a line in lock-step.

    The programs count words, rank pages, and find connected components and triangles. The two machines send each other
    object graphs. Each result is compared with a plain computation."""
    from heapwire.demo import skyway, tables

    skyway.check(serializers or skyway.SERIALIZERS, words, vertices)
    if parse_only:
        return

    with status_console.status("") as spinner:

        def say(text: str) -> None:
            _say(text)
            spinner.update(Text(text))

        done = skyway.run(serializers or skyway.SERIALIZERS, say, words, vertices, host)
    console.print(tables.of_programs(done))
    wrong = [f"{each.program} by {each.serializer}: {each.problem}" for each in done if each.problem]
    if wrong:
        raise HeapwireError("; ".join(wrong))
    console.print("Every result is what a plain computation says.")


@cli.command()
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
        raise click.UsageError("--every-layout and --one-layout: one of them")
    if port or board:
        if every_layout or one_layout or output or rows_only:
            raise click.UsageError(
                "--every-layout, --one-layout, --output, --rows-only: for a bench on the simulated SoC"
            )
        if suites and suites != ("protobuf",):
            raise HeapwireError("--port measures messages of the suite protobuf; the others run on the simulator alone")
        if name in SUITES or not re.fullmatch(r"[\w-]+", name):
            raise HeapwireError(f"--name {name}: letters, digits, - and _ that are not a suite's name")
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
    if parse_only:
        return
    if output:
        with _writing(output):
            output.mkdir(parents=True, exist_ok=True)
    problems = []
    for suite in suites or SUITES:
        if not suites and (lacks := unit_missing(suite)):
            _say(f"left out: {lacks}")
            continue
        measured = run_suite(
            suite, _say, only=groups, every_layout=every_layout, one_layout=one_layout, folder=output or BENCH
        )
        page = measured.page
        console.print(Markdown(page.read_text()))
        console.print(f"written: {page.with_suffix('.jsonl')}, {page}")
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
    _say(f"{board}: {found}")
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
        _say,
        baud=baud,
        max_baud=max_baud,
        patience=patience,
        boot=partial(boot.upload, image=image, address=interface.cluster["memoryBase"], say=_say) if kernel else None,
    )
    try:
        measured = uart.Bench(
            line,
            uart.chosen(groups, limit, _say),
            interface,
            name,
            REPOSITORY / "build" / "bench",
            resume,
            limit,
            _say,
            missing_unit,
        ).run()
    finally:
        line.close()
    console.print(Markdown(measured.page.read_text()))
    console.print(f"written: {measured.page.with_suffix('.jsonl')}, {measured.page}")
    _tell_problems(measured.problems)


def _tell_problems(problems: list[str]) -> None:
    for text in problems[:50]:
        console.print(text, style="red", soft_wrap=True)
    if problems:
        raise HeapwireError(f"{len(problems)} results are wrong, absent or miss their bars")


@cli.command()
@PROTO
@TYPE
@click.option("--output", type=click.Path(path_type=Path), help="Write the schema blob here.")
def schema(proto: Path | None, type_name: str | None, output: Path | None) -> None:
    """Show how a schema's objects lie in memory and how its tables look up fields."""
    from heapwire import interface
    from heapwire.schema import compile_schema, load

    if not proto or not type_name:
        raise HeapwireError("needs --proto and --type")
    loaded = load(proto)
    compiled = compile_schema(loaded.root(type_name), interface.load())
    for record in compiled.types:
        console.print(
            Text.assemble(
                "\n",
                (record.message.name, "bold"),
                f": {record.layout.size} bytes, hasbits at "
                f"{record.layout.hasbits} ({record.layout.hasbits_words} words); table of "
                f"{len(record.table.hash.slots)} slots, at most "
                f"{record.table.hash.max_probe + 1} probes",
            )
        )
        table = Table("number", "field", "type", "offset", "hasbit", "")
        for field in record.message.fields:
            kind = (
                compiled.types[field.sub_type].message.name if field.sub_type is not None else field.type.name.lower()
            )
            table.add_row(
                str(field.number),
                field.name,
                ("repeated " if field.repeated else "") + kind,
                str(record.layout.fields[field.number]),
                "" if field.repeated else str(field.hasbit),
                "left to software" if field.unsupported else "",
            )
        console.print(table)
    console.print(f"{len(compiled.types)} types, {len(compiled.blob)} bytes, schema_id {compiled.schema_id:#010x}")
    if output:
        with _writing(output):
            output.write_bytes(compiled.blob)


@cli.command()
@click.argument("proto", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into."
)
@click.option(
    "-I",
    "--include",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder to look for imports in (repeatable).",
)
def accessors(proto: Path, output: Path, include: tuple[Path, ...]) -> None:
    """Write C accessors for the messages of PROTO and of all its imports (docs/reference/accessors.md)."""
    from heapwire import interface
    from heapwire.plugin.generate import write_files
    from heapwire.schema import load

    loaded = load(proto, include)
    with _writing(output):
        paths = write_files(loaded, output, interface.load())
    console.print(f"{len(paths)} files in {output}")


@cli.command()
@PROTO
@TYPE
@DATA
@LINK
def decode(proto: Path | None, type_name: str | None, data: Path | None, link: str | None) -> None:
    """Print a message as objects. A machine builds them with --link, else the software model."""
    from heapwire.demo.run import user_group
    from heapwire.inspect import by_machine, by_model, show

    _need(proto=proto, type=type_name, data=data)
    group = user_group(proto, type_name, data)
    show(by_machine(group, link, _say) if link else by_model(group), console.print)


@cli.command()
@click.option("--elf", type=click.Path(path_type=Path), help="Program: its symbols, and what the simulator runs.")
@click.option("--board", help="Debug this board instead of a simulation.")
@click.option("--cable", help="The board's cable, of several: its serial number, BUS:DEVICE or place (1-4.2).")
@click.option(
    "--load",
    "loads",
    multiple=True,
    metavar="ADDRESS=FILE",
    callback=lambda context, option, values: tuple(map(_load, values)),
    help="The simulation's memory holds this file from the start; as often as you like.",
)
@PARSE_ONLY
@click.argument("gdb_arguments", nargs=-1)
def debug(
    elf: Path | None,
    board: str | None,
    cable: str | None,
    loads: tuple[tuple[int, Path], ...],
    parse_only: bool,
    gdb_arguments: tuple[str, ...],
) -> None:
    """Start GDB at the core, through OpenOCD and JTAG. GDB_ARGUMENTS (after --) go to GDB.

    The simulated SoC starts the program and stops at main. When GDB ends, the command says how the program ended. A
    board stops where it is."""
    from heapwire.debug import board_session, session

    if board and loads:
        raise HeapwireError("--load: a board's memory is GDB's to write (restore FILE binary ADDRESS)")
    if cable and not board:
        raise HeapwireError("--cable: the simulation has none. What to do: name a board, --board")
    if not elf and not board:
        raise HeapwireError("the simulation needs a program: --elf PROGRAM.elf")
    if parse_only:
        return
    if elf and not elf.is_file():
        raise HeapwireError(f"{elf} is not there. What to do: make firmware, or name another program (make: ELF=)")
    sys.exit(board_session(board, elf, gdb_arguments, cable) if board else session(elf, gdb_arguments, loads))


def _load(text: str) -> tuple[int, Path]:
    address, _, file = text.partition("=")
    try:
        value = int(address, 0)
    except ValueError:
        value = -1
    if value < 0 or not Path(file).is_file():
        raise click.BadParameter(
            f"{text!r}: expected ADDRESS=FILE, such as 0x42000000=message.bin, with a file that is there"
        )
    return value, Path(file)


def main() -> None:
    """Runs the command line. A usage error prints one message and exits with code 2. Any other error that the user can
    act upon prints one message and exits with code 1."""
    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except click.ClickException as error:
        _error(error.format_message())
        sys.exit(error.exit_code)
    except click.Abort:
        _error("stopped")
        sys.exit(1)
    except HeapwireError as error:
        _error(str(error))
        sys.exit(2 if isinstance(error, BadInput) else 1)

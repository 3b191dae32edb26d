"""`heapwire program` and `heapwire debug`: programs of one's own, and GDB."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from pathlib import Path

import click

from base.errors import HeapwireError
from base.repository import ROOT
from base.waiting import waiting
from heapwire.cli import terminal
from heapwire.cli.terminal import IMPORTS, PARSE_ONLY
from heapwire.program import MAX_CYCLES


@click.command()
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--proto",
    "protos",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A .proto file whose messages the program uses (repeatable).",
)
@IMPORTS
@click.option("--data", type=click.Path(path_type=Path), help="A file whose bytes the program reads.")
@click.option(
    "--max-cycles",
    default=MAX_CYCLES,
    show_default=True,
    type=click.IntRange(min=1),
    help="Stop a program that has not ended by then.",
)
@click.option(
    "--include",
    "before",
    multiple=True,
    help="A header that each file of the program includes before its first line, as by gcc -include (repeatable).",
)
@click.option(
    "--machines",
    default=1,
    show_default=True,
    type=click.IntRange(1, 2),
    help="Run the program on two machines whose second UARTs are joined. It reads its number in program_machine.",
)
@click.option("--debug", is_flag=True, help="Compile for the debugger (-Og): variables and lines stay as written.")
@click.option(
    "--client",
    metavar="COMMAND",
    help="Run this command with HOST:PORT of the program's UART as its last argument, and end with it. With ETHERNET=1 "
    "it runs in the program's network instead (docs/howto/rpc.md).",
)
@PARSE_ONLY
def program(
    sources: tuple[Path, ...],
    protos: tuple[Path, ...],
    imports: tuple[Path, ...],
    data: Path | None,
    max_cycles: int,
    before: tuple[str, ...],
    machines: int,
    debug: bool,
    client: str | None,
    parse_only: bool,
) -> None:
    """Build a C program of your own from SOURCES, and run it on the simulated SoC.

    Prints what the program prints on its UART, then its exit code, cycles and seconds. The exit code of this command is
    the program's; of two machines, 1 if one failed; with --client, the client's. docs/start/program.md says what a
    program is linked with, and the folder examples has programs to begin from."""
    from heapwire.program import run as program_run
    from heapwire.program.program import read

    if client and machines > 1:
        raise HeapwireError("--client: two machines have no UART for it. What to do: leave out --machines")
    given = read(list(sources), list(protos), data, before, imports)
    if parse_only:
        return
    warn = partial(click.echo, nl=False, err=True)
    elfs = [program_run.build(given, terminal.say, warn, machine=number, debug=debug) for number in range(machines)]
    still = waiting(terminal.say, lambda minutes: f"{given.name}: runs for {minutes:.1f} min")
    if machines > 1:
        with still:
            joined = program_run.run_joined(elfs, max_cycles)
        for number, ended in enumerate(joined):
            for line in ended.result.uart.decode(errors="replace").splitlines():
                click.echo(f"machine {number}: {line}")
            terminal.say(ended.summary)
        return
    if client and program_run.default_parts().ethernet:
        sys.exit(program_run.run_networked(elfs[0], max_cycles, shlex.split(client)))
    if client:
        ended, code = program_run.run_served(elfs[0], max_cycles, shlex.split(client))
        terminal.say(
            f"{elfs[0].stem}: exit code {code} after {ended.result.cycles:,} cycles, "
            f"{ended.result.seconds:.1f} s of simulation"
        )
        sys.exit(code)
    with still:
        ended = program_run.run(elfs[0], max_cycles, partial(click.echo, nl=False))
    if ended.result.uart and not ended.result.uart.endswith(b"\n"):
        click.echo()
    terminal.say(ended.summary)
    if ended.problem:
        terminal.error(ended.problem)
    sys.exit(ended.status)


@click.command()
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
        raise HeapwireError("--load: on a board GDB writes the memory (restore FILE binary ADDRESS)")
    if cable and not board:
        raise HeapwireError("--cable: the simulation has none. What to do: name a board, --board")
    if not elf and not board:
        raise HeapwireError("the simulation needs a program: --elf PROGRAM.elf")
    # Before anything is built, a program of the firmware may be missing: make builds it, but not for a board.
    built = parse_only and not board and elf and elf.resolve().is_relative_to(ROOT / "build" / "firmware")
    if elf and not elf.is_file() and not built:
        raise HeapwireError(f"{elf} is not there. What to do: make firmware, or name another program (make: ELF=)")
    if parse_only:
        return
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

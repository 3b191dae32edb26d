"""`heapwire demo` and `heapwire demo-skyway`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from heapwire.cli import terminal
from heapwire.cli.options import DATA, LINK, PARSE_ONLY, PROTO, TYPE, need
from heapwire.errors import HeapwireError
from heapwire.shuffle import (
    JSBS,
    MOST_OBJECTS,
    MOST_ORDERS,
    MOST_VERTICES,
    MOST_WORDS,
    OBJECTS,
    ORDERS,
    PROGRAMS,
    SPARK,
    VERTICES,
    WORDS,
    serializers,
)


@click.command()
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
        need(proto=proto, type=type_name, data=data)
        group = demo_run.user_group(proto, type_name, data)
        # Check the messages before building anything.
        for case in group.cases:
            parsed(group.schema, case)
    else:
        group = demo_group()
    if parse_only:
        return

    with terminal.status_console.status("") as spinner:
        said, moved = [""], [0]

        def say(text: str) -> None:
            said[0], moved[0] = text, 0
            terminal.say(text)
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

    terminal.console.print(tables.of_messages(outcomes))
    wrong = [outcome for outcome in outcomes if outcome.problem]
    for outcome in wrong:
        terminal.console.print(Text.assemble((f"{outcome.case.name}:", "red"), " ", outcome.problem))
    for outcome in outcomes:
        if outcome.peer_problem:
            terminal.console.print(
                f"{outcome.case.name}: nanopb, which is measured for comparison, fails: {outcome.peer_problem}",
                soft_wrap=True,
            )
        if outcome.lacks and not outcome.problem:
            terminal.console.print(
                f"{outcome.case.name}: refused, as it should be: it lacks {', '.join(outcome.lacks)}", soft_wrap=True
            )
    if wrong:
        raise HeapwireError(f"{len(wrong)} of {len(outcomes)} messages came back wrong")
    terminal.console.print(_closing(outcomes))


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


@click.command("demo-skyway")
@click.option(
    "--serializer",
    "serializers",
    multiple=True,
    metavar="NAME",
    help=f"By this one (repeatable), of {', '.join(serializers())}; those of "
    "hardware need CONFIG=cereal (hw) or skyway (hw, skyway-hw). Default: skyway-sw, kryo-manual.",
)
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="NAME",
    help=f"This one (repeatable), of {', '.join((*PROGRAMS, JSBS))}. Default: {', '.join(SPARK)}.",
)
@click.option(
    "--words", default=WORDS, show_default=True, help=f"Of the text whose words are counted, 1 to {MOST_WORDS}."
)
@click.option("--vertices", default=VERTICES, show_default=True, help=f"Of the graphs, 1 to {MOST_VERTICES}.")
@click.option(
    "--orders", default=ORDERS, show_default=True, help=f"Of the tables that are queried, 1 to {MOST_ORDERS}."
)
@click.option(
    "--objects",
    default=OBJECTS,
    show_default=True,
    help=f"That a machine broadcasts in a round of {JSBS}, 1 to {MOST_OBJECTS}.",
)
@click.option(
    "--machines", default=2, show_default=True, help="Simulated SoCs, 2 to 5; behind a switch if more than 2."
)
@click.option(
    "--byte-cycles",
    default=100,
    show_default=True,
    help="Cycles that a byte takes on the line. A UART takes 100 at best; fewer stand for another line.",
)
@click.option("--host", is_flag=True, help="The second machine is a process of this host.")
@PARSE_ONLY
def demo_skyway(
    serializers: tuple[str, ...],
    programs: tuple[str, ...],
    words: int,
    vertices: int,
    orders: int,
    objects: int,
    machines: int,
    byte_cycles: int,
    host: bool,
    parse_only: bool,
) -> None:
    """Run shuffle programs on two simulated SoCs, joined by a line in lock-step, or on several behind a switch.

    The programs count words, rank pages, and find connected components and triangles; query-a to query-e answer the
    queries that the paper on Skyway runs on Flink; jsbs broadcasts objects of the Java Serializer Benchmark Set. The
    machines send each other object graphs. Each result is compared with a plain computation. What jsbs took is also
    written to build/bench/broadcast.jsonl, for the report."""
    from heapwire.demo import broadcast, skyway, tables, units

    chosen, wanted = serializers or skyway.SERIALIZERS, programs or skyway.USUAL
    sizes, medium = skyway.Sizes(words, vertices, orders, objects), skyway.Medium(machines, byte_cycles)
    skyway.check(chosen, sizes, wanted, medium, host)
    units.check(chosen, units.asked(), host)
    if parse_only:
        return

    with terminal.status_console.status("") as spinner:

        def say(text: str) -> None:
            terminal.say(text)
            spinner.update(Text(text))

        done = skyway.run(chosen, say, sizes, host, programs=wanted, medium=medium)
    terminal.console.print(tables.of_programs(done, medium))
    broadcasts = [each for each in done if each.program == JSBS]
    if broadcasts:
        terminal.console.print(tables.of_broadcasts(broadcasts))
        broadcast.write(broadcasts, medium)
    wrong = [f"{each.program} by {each.serializer}: {each.problem}" for each in done if each.problem]
    if wrong:
        raise HeapwireError("; ".join(wrong))
    terminal.console.print("Every result is what a plain computation says.")

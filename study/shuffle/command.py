"""`make demo-skyway`."""

import click
from rich.text import Text

from base.errors import HeapwireError
from heapwire.cli import terminal
from heapwire.cli.terminal import PARSE_ONLY
from study import shuffle


def _size(name: str, usual: int, most: int, what: str):
    return click.option(f"--{name}", default=usual, show_default=True, help=f"{what}, 1 to {most}.")


@click.command("demo-skyway")
@click.option(
    "--serializer",
    "serializers",
    multiple=True,
    metavar="NAME",
    help=f"By this one (repeatable), of {', '.join(shuffle.SERIALIZERS)}; those of "
    "hardware need CONFIG=cereal (hw) or skyway (hw, skyway-hw). Default: skyway-sw, kryo-manual.",
)
@click.option(
    "--program",
    "programs",
    multiple=True,
    metavar="NAME",
    help=f"This one (repeatable), of {', '.join(shuffle.ALL)}. Default: {', '.join(shuffle.SPARK)}.",
)
@_size("words", shuffle.WORDS, shuffle.MOST_WORDS, "Of the text whose words are counted")
@_size("vertices", shuffle.VERTICES, shuffle.MOST_VERTICES, "Of the graphs")
@_size("orders", shuffle.ORDERS, shuffle.MOST_ORDERS, "Of the tables that are queried")
@_size("objects", shuffle.OBJECTS, shuffle.MOST_OBJECTS, f"That a machine broadcasts in a round of {shuffle.JSBS}")
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
    machines: int,
    byte_cycles: int,
    host: bool,
    parse_only: bool,
    **counts: int,
) -> None:
    """Run shuffle programs on two simulated SoCs, joined by a line in lock-step, or on several behind a switch.

    The programs count words, rank pages, and find connected components and triangles; query-a to query-e answer the
    queries that the paper on Skyway runs on Flink; jsbs broadcasts objects of the Java Serializer Benchmark Set. The
    machines send each other object graphs. Each result is compared with a plain computation. What jsbs took is also
    written to build/bench/broadcast.jsonl, for the report."""
    from heapwire.board import asked
    from study.shuffle import broadcast, shown, units
    from study.shuffle import demo as skyway

    chosen, wanted = serializers or skyway.USUAL_SERIALIZERS, programs or skyway.USUAL
    sizes, medium = skyway.Sizes(**counts), skyway.Medium(machines, byte_cycles)
    skyway.check(chosen, sizes, wanted, medium, host)
    units.check(chosen, asked(), host)
    if parse_only:
        return

    with terminal.status_console.status("") as spinner:

        def say(text: str) -> None:
            terminal.say(text)
            spinner.update(Text(text))

        done = skyway.run(chosen, say, sizes, host, programs=wanted, medium=medium)
    terminal.console.print(shown.of_programs(done, medium))
    broadcasts = [each for each in done if each.program == shuffle.JSBS]
    if broadcasts:
        terminal.console.print(shown.of_broadcasts(broadcasts))
        broadcast.write(broadcasts, medium)
    wrong = [f"{each.program} by {each.serializer}: {each.problem}" for each in done if each.problem]
    if wrong:
        raise HeapwireError("; ".join(wrong))
    terminal.console.print("Every result is what a plain computation says.")

"""The tables that the demonstration of Skyway shows at its end."""

from typing import Sequence

from rich.table import Table
from rich.text import Text

from study.shuffle import broadcast
from study.shuffle.demo import BYTE_CYCLES, Medium
from study.shuffle.runs import Run

COUNTS = {2: "two", 3: "three", 4: "four", 5: "five"}


def of_programs(done: Sequence[Run], medium: Medium = Medium()) -> Table:
    """Returns a table with one line for each serializer below each program: how the cycles were spent. It is 80 columns
    wide if no number has more digits than those of a demonstration."""
    table = Table(
        title=f"{COUNTS[medium.machines]} machines that shuffle: cycles of the SoC that took longest",
        box=None,
        padding=(0, 1),
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column(no_wrap=True)
    for name in ("cycles", "computing", "GC", "transfer", "S/D", "bytes", "phases"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("found", no_wrap=True)
    program = None
    for each in done:
        if (each.program, each.scale) != program:
            table.add_row(f"{each.program}/{each.scale}")
            program = each.program, each.scale
        table.add_row(
            f" {each.serializer}",
            *(
                f"{value:,}"
                for value in (each.cycles, each.computation, each.collection, each.transfer, each.conversion)
            ),
            f"{each.bytes:,}",
            f"{each.phases:,}",
            Text("WRONG", "red") if each.problem else Text("equal", "green"),
        )
    table.caption = "GC: collections; transfer: line and waiting; S/D: (de)serialization"
    if medium.byte_cycles != BYTE_CYCLES:
        table.caption += f"\na byte takes {medium.byte_cycles} cycles on the line" + (
            f"; a UART takes {BYTE_CYCLES} at best" if medium.byte_cycles < BYTE_CYCLES else ""
        )
    return table


def of_broadcasts(done: Sequence[Run]) -> Table:
    """Returns a table with one line for each serializer: what an object of JSBS costs a machine, as in Skyway's
    Figure 7."""
    table = Table(title="JSBS: cycles of an object", box=None, padding=(0, 1), pad_edge=False)
    table.add_column("serializer", no_wrap=True)
    for name in ("serialize", "network", "deserialize", "bytes"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in done:
        cost = broadcast.cost(each)
        table.add_row(
            each.serializer, *(f"{value:,}" for value in (cost.serialize, cost.network, cost.deserialize, cost.bytes))
        )
    table.caption = "network: to send it to all others and to receive one of each, waiting included"
    return table

"""The table that the demo shows at its end."""

from __future__ import annotations

from typing import Sequence

from rich.table import Table
from rich.text import Text

from heapwire.client.monitor import Run
from heapwire.demo.run import Outcome


def of_messages(outcomes: Sequence[Outcome]) -> Table:
    """Returns a table with one line for each message: hardware beside software."""
    table = Table(title="protobuf messages to heap objects, and back: cycles of a warm run")
    codec = any(outcome.codec is not None for outcome in outcomes)
    table.add_column("message", overflow="fold", min_width=12)
    for name in [
        "wire bytes",
        "object bytes",
        "nanopb",
        *(["codec"] if codec else []),
        "hardware",
        "speed-up",
        "written",
    ]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("fields", no_wrap=True)

    def number(value: int | None) -> str:
        return "-" if value is None else f"{value:,}"

    for outcome in outcomes:

        def hardware(run: Run | None) -> str:
            return number(run and run.cycles) + ("*" if run and run.fallbacks else "")

        table.add_row(
            outcome.case.name.removeprefix("demo/"),
            number(len(outcome.case.data)),
            number(outcome.object_bytes),
            "failed" if outcome.peer_problem else number(outcome.software),
            *([number(outcome.codec)] if codec else []),
            hardware(outcome.hardware),
            f"{outcome.speedup:.1f}x" if outcome.speedup else "-",
            hardware(outcome.written),
            Text("WRONG", "red") if outcome.problem else Text("refused" if outcome.lacks else "equal", "green"),
        )
    table.caption = "cycles, one link layout; make bench takes the minimum of five" + (
        "; * software finished commands, because the unit could not" if any(o.fallbacks for o in outcomes) else ""
    )
    return table

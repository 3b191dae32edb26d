"""Cereal's units as one thing of the machine changes: the suite `sweep`."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench import sweep as suite
from study.bench.cereal import OPERATIONS
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store


def item(store: Store) -> Item:
    """Returns the item with the suite's two tables, and a picture of the ratios."""
    rows = store.rows("sweep")
    title = "Cereal's units: entries, cache, latency of memory, number of units"
    if not rows:
        return unmeasured("", title, "make bench SUITE=sweep")
    tables = [Table(name, head, lines) for name, _, head, lines in suite.sections(rows)]
    texts = [text for _, text, _, _ in suite.sections(rows)]
    panels = {operation: found for operation in OPERATIONS if (found := ratios(rows, operation))}
    plot = Plot("sweep", f"Cycles of each machine over those of {suite.BASE}, by graph", lambda: _bars(panels))
    return Item("", title, ["These are medium graphs, by units alone.", *texts], [plot], tables, cut=store.cut("sweep"))


def ratios(rows: list[Row], operation: str) -> dict[str, dict[str, float]]:
    """Returns, by machine and graph, cycles over those of the machine to which the others are compared."""
    cases = list(dict.fromkeys(str(row["case"]) for row in rows if row["op"] == operation))
    found: dict[str, dict[str, float]] = {}
    for case in cases:
        cycles = suite.cycles(rows, case, operation)
        for name in suite.MACHINES[1:]:
            if name in cycles and suite.BASE in cycles:
                found.setdefault(name, {})[case] = cycles[name] / cycles[suite.BASE]
    return found


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, f"cycles, {suite.BASE} = 1")

"""The suite `sweep`: how long units take for medium graphs as one thing of the machine changes, and what bounds each
graph."""

from dataclasses import dataclass

from heapwire.measure.rows import Row
from study.bench.bars import copy_share, is_full
from study.bench.cereal import MEDIUM, ONE, OPERATIONS, SCALES, SERIES
from study.bench.expected import Key

BASE = "cereal"
"""The machine that the others are compared with: 64 entries, 64 KB, one unit in each direction."""


@dataclass(frozen=True)
class Step:
    """A machine that differs from another one in one thing. than: that machine. what: the thing, as the page names it.
    matters: the ratio of cycles, of this machine to that one, from which on the thing matters. A graph that is bound by
    the thing has a ratio above `matters`, if that is more than 1, or below it, if it is less."""

    name: str
    than: str
    what: str
    matters: float

    def bounds(self, ratio: float) -> bool:
        """Returns whether the thing bounds a graph."""
        return ratio > self.matters if self.matters > 1 else ratio < self.matters


STEPS = (
    Step("cereal-e32", BASE, "entries of the memory access interface, 32", 1.05),
    Step("cereal-e16", BASE, "entries, 16", 1.05),
    Step("cereal-k16", BASE, "shared cache of 16 KB", 1.05),
    Step("cereal-k256", BASE, "shared cache of 256 KB", 0.95),
    Step("cereal-l16", BASE, "reads of DRAM 16 cycles later", 1.1),
    Step("cereal-l48", BASE, "reads of DRAM 48 cycles later", 1.3),
    Step("cereal-e16-l48", "cereal-l48", "entries, 16, where reads come 48 cycles later", 1.05),
    Step("cereal-x2", BASE, "two units", 0.6),
    Step("cereal-x2-k128", "cereal-x2", "shared cache of 128 KB for two units", 0.95),
    Step("cereal-x2-l16", "cereal-x2", "reads of DRAM 16 cycles later, for two units", 1.1),
)
MACHINES = (BASE, *(step.name for step in STEPS))


def engines_of(config: str) -> tuple[str, ...]:
    """Returns the engines that a machine measures: units, as many as the machine has."""
    return (SCALES[next((units for units in SCALES if f"-x{units}" in config), 1)],)


def graphs() -> list[str]:
    """Returns the names of the graphs."""
    return [series.case(series.sizes[MEDIUM]) for series in SERIES]


def rows_of_sweep(cases: list[str]) -> list[Key]:
    """Returns the keys of the suite's rows, without the copy unit's. The engine of a row is the machine's name."""
    return [(case, operation, name) for name in MACHINES for case in cases for operation in OPERATIONS]


def cycles(rows: list[Row], case: str, operation: str) -> dict[str, int]:
    """Returns the cycles a graph by machine."""
    return {
        str(row["engine"]): int(row["cycles"])
        for row in rows
        if row["case"] == case and row["op"] == operation and row["ok"]
    }


def bounds(rows: list[Row], case: str, operation: str) -> list[str]:
    """Returns what bounds one unit on a graph. An empty list means the unit itself."""
    found, copy = cycles(rows, case, operation), copy_share(rows)
    said = [
        step.what
        for step in STEPS
        if engines_of(step.name) == (ONE,)
        and {step.name, step.than} <= found.keys()
        and step.bounds(found[step.name] / found[step.than])
    ]
    alone = next(
        (row for row in rows if (row["case"], row["op"], row["engine"]) == (case, operation, BASE) and row["ok"]), None
    )
    return [*(["the port"] if alone and is_full(alone, copy) else []), *said]

"""The bars of the suite `cereal`. Cycles include the driver. Figures are geometric means over the small and the medium
microbenchmarks unless a bar says otherwise. Fitted rows never count."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean
from typing import Callable, Iterator

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, MEDIUM, ONE, OPERATIONS, PEERS, SCALES, SERIES, SMALL, VANILLA, micro
from study.bench.rows import geometric_mean, is_fitted, port_share, speedups

Rows = dict[str, list[Row]]
"""Rows of suites by name."""
Figure = Callable[[Rows], float | None]
KRYO = PEERS[1:]
FULL = 0.85
"""Share of the copy unit's rate. If several units reach it on a graph, the port bounds them, so the graph is left out
of the bar of several units."""


def _suite(suites: Rows) -> list[Row]:
    return [row for row in suites.get("cereal", []) if row["ok"] and not is_fitted(row)]


def of(rows: list[Row], operation: str, engine: str | None = None, shapes: tuple[str, ...] = ("",)) -> list[Row]:
    """Returns the rows of microbenchmarks whose names begin with one of the shapes."""
    return [
        row
        for row in micro(rows)
        if row["op"] == operation and engine in (None, row["engine"]) and str(row["case"]).startswith(shapes)
    ]


def _speedup(operation: str, peers: tuple[str, ...], shapes: tuple[str, ...] = ("",)) -> Figure:
    def figure(suites: Rows) -> float | None:
        rows = list(micro(of(_suite(suites), operation, None, shapes), (SMALL, MEDIUM)))
        found = list(speedups(rows, peers, ONE).values())
        return geometric_mean(found) if found else None

    return figure


def _both_ways(suites: Rows) -> float | None:
    """Returns, for JSBS, the cycles of both directions by hand-written Kryo divided by those of the units."""
    cycles = {(row["engine"], row["op"]): int(row["cycles"]) for row in _suite(suites) if row["case"] == MEDIA}
    if any((engine, operation) not in cycles for engine in (ONE, "kryo-manual") for operation in OPERATIONS):
        return None
    return sum(cycles["kryo-manual", op] for op in OPERATIONS) / sum(cycles[ONE, op] for op in OPERATIONS)


def _a_node(operation: str) -> Figure:
    """Returns the cycles a node of the longest list of either series, whichever is worse."""

    def figure(suites: Rows) -> float | None:
        longest: dict[str, tuple[int, float]] = {}
        for row in of(_suite(suites), operation, ONE, ("list",)):
            series, _, nodes = str(row["case"]).partition("/")
            longest[series] = max(longest.get(series, (0, 0.0)), (int(nodes), int(row["cycles"]) / int(nodes)))
        return max((rate for _, rate in longest.values()), default=None)

    return figure


def _mean_share(operation: str) -> Figure:
    """Returns the mean share of one unit, over the graphs of all sizes."""

    def figure(suites: Rows) -> float | None:
        found = [port_share(row) for row in of(_suite(suites), operation, ONE)]
        return mean(found) if found else None

    return figure


def copy_share(rows: list[Row]) -> float | None:
    """Returns the copy unit's share of the port. The suite measures it, too."""
    return next((port_share(row) for row in rows if row["case"] == "copy" and row["ok"]), None)


def _best(operation: str) -> Figure:
    """Returns the best share of a graph divided by that of the copy unit."""

    def figure(suites: Rows) -> float | None:
        copy = copy_share(_suite(suites))
        found = [port_share(row) for row in of(_suite(suites), operation) if str(row["engine"]).startswith(ONE)]
        return max(found) / copy if found and copy else None

    return figure


def gains(rows: list[Row], operation: str, engine: str) -> dict[str, float]:
    """Returns, by case, the cycles of one unit and graph divided by the cycles a graph of several units with a graph
    each."""
    cycles: dict[str, dict[str, int]] = defaultdict(dict)
    for row in of(rows, operation):
        cycles[str(row["case"])][str(row["engine"])] = int(row["cycles"])
    return {case: found[ONE] / found[engine] for case, found in cycles.items() if ONE in found and engine in found}


def is_full(row: Row, copy: float | None) -> bool:
    """Returns whether the port bounds the row."""
    return copy is not None and port_share(row) >= FULL * copy


def _several(operation: str, engine: str, limit: float) -> Figure:
    """Returns the geometric mean of the gain over graphs of medium size, without those that the port bounds. If it
    bounds all of them, the bar is met: returns its limit."""

    def figure(suites: Rows) -> float | None:
        rows = _suite(suites)
        copy, medium = copy_share(rows), list(micro(rows, (MEDIUM,)))
        full = {row["case"] for row in of(medium, operation, engine) if is_full(row, copy)}
        found = gains(medium, operation, engine)
        free = [gain for case, gain in found.items() if case not in full]
        return geometric_mean(free) if free else limit if found else None

    return figure


def bars() -> Iterator[tuple[str, Figure, float, bool]]:
    """Yields name, figure, limit, and whether the limit is a lower one."""
    branching = tuple(series.name for series in SERIES if not series.name.startswith("list"))
    trees_and_dense = tuple(name for name in branching if name != "graph-sparse")
    for operation, java, kryo in zip(OPERATIONS, (18, 60), (10, 25)):
        yield f"{operation}: times `java`, geometric mean", _speedup(operation, ("java",)), java, True
        yield f"{operation}: times the best Kryo, geometric mean", _speedup(operation, KRYO), kryo, True
    for name, peers, limit in (("`java`", ("java",), 20), ("the best Kryo", KRYO, 12)):
        for operation in OPERATIONS:
            yield (
                f"{operation}: trees and the dense graph alone, times {name}, geometric mean",
                _speedup(operation, peers, trees_and_dense),
                limit,
                True,
            )
    yield "JSBS MediaContent, both ways together: times `kryo-manual`", _both_ways, 8, True
    for operation, limit in zip(OPERATIONS, (22, 5)):
        yield f"{operation}: the longest lists (cycles a node)", _a_node(operation), limit, False
    for operation, limit in zip(OPERATIONS, (0.209, 0.311)):
        yield f"{operation}: share of the port, one unit, mean of all graphs", _mean_share(operation), limit, True
    yield "deserialize: share of the port in the best case, of the copy unit's", _best("deserialize"), 0.95, True
    for operation in OPERATIONS:
        yield (
            f"{operation}: times `{VANILLA}`, trees and graphs, geometric mean",
            _speedup(operation, (VANILLA,), branching),
            3,
            True,
        )
        for units, limit in ((2, 1.8), (4, 3.2)):
            yield (
                f"{operation}: {units} units, a medium graph each, times one, without graphs that fill the port, "
                "geometric mean",
                _several(operation, SCALES[units], limit),
                limit,
                True,
            )

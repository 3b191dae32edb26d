"""The bars of the suite `cereal`: driver included, geometric means over the microbenchmarks at all their sizes unless a bar says otherwise."""
from __future__ import annotations

from collections import defaultdict
from statistics import mean
from typing import Callable, Iterator

from heapwire.bench.cereal import MEDIA, ONE, OPERATIONS, PEERS, SCALES, SERIES, VANILLA, micro
from heapwire.bench.rows import Row, geometric_mean, speedups

Rows = dict[str, list[Row]]
"""Rows of suites by name."""
Figure = Callable[[Rows], float | None]
KRYO = PEERS[1:]
LARGE = 1 << 16
"""The bar on deserialization's share of the port is about graphs of more bytes."""


def _suite(suites: Rows) -> list[Row]:
    return [row for row in suites.get("cereal", []) if row["ok"]]


def of(rows: list[Row], operation: str, engine: str | None = None, shapes: tuple[str, ...] = ("",)) -> list[Row]:
    """Rows of microbenchmarks whose names begin with one of the shapes."""
    return [row for row in micro(rows) if row["op"] == operation and engine in (None, row["engine"]) and str(row["case"]).startswith(shapes)]


def _speedup(operation: str, peers: tuple[str, ...], shapes: tuple[str, ...] = ("",)) -> Figure:
    def figure(suites: Rows) -> float | None:
        found = list(speedups(of(_suite(suites), operation, None, shapes), peers, ONE).values())
        return geometric_mean(found) if found else None
    return figure


def _both_ways(suites: Rows) -> float | None:
    """JSBS: cycles of both directions by hand-written Kryo over those by units."""
    cycles = {(row["engine"], row["op"]): int(row["cycles"]) for row in _suite(suites) if row["case"] == MEDIA}
    if any((engine, operation) not in cycles for engine in (ONE, "kryo-manual") for operation in OPERATIONS):
        return None
    return sum(cycles["kryo-manual", op] for op in OPERATIONS) / sum(cycles[ONE, op] for op in OPERATIONS)


def _a_node(operation: str) -> Figure:
    """Cycles a node of the longest list of either series, the worse of them."""
    def figure(suites: Rows) -> float | None:
        longest: dict[str, tuple[int, float]] = {}
        for row in of(_suite(suites), operation, ONE, ("list",)):
            series, _, nodes = str(row["case"]).partition("/")
            longest[series] = max(longest.get(series, (0, 0.0)), (int(nodes), int(row["cycles"]) / int(nodes)))
        return max((rate for _, rate in longest.values()), default=None)
    return figure


def share(row: Row) -> float:
    """Bytes that the unit moved over what the port could have moved."""
    return (int(row["read_bytes"]) + int(row["write_bytes"])) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))


def _mean_share(operation: str, engine: str, shapes: tuple[str, ...], least: int = 0) -> Figure:
    def figure(suites: Rows) -> float | None:
        found = [share(row) for row in of(_suite(suites), operation, engine, shapes) if int(row["object_bytes"]) > least]
        return mean(found) if found else None
    return figure


def copy_share(rows: list[Row]) -> float | None:
    """What the copy unit moves of what the port could: the suite measures it, too."""
    return next((share(row) for row in rows if row["case"] == "copy" and row["ok"]), None)


def _best(operation: str) -> Figure:
    """The best share of a graph over that of the copy unit."""
    def figure(suites: Rows) -> float | None:
        copy = copy_share(_suite(suites))
        found = [share(row) for row in of(_suite(suites), operation) if str(row["engine"]).startswith(ONE)]
        return max(found) / copy if found and copy else None
    return figure


def gains(rows: list[Row], operation: str, engine: str) -> dict[str, float]:
    """By case: cycles of one unit and graph over cycles a graph of several units, a graph each."""
    cycles: dict[str, dict[str, int]] = defaultdict(dict)
    for row in of(rows, operation):
        cycles[str(row["case"])][str(row["engine"])] = int(row["cycles"])
    return {case: found[ONE] / found[engine] for case, found in cycles.items() if ONE in found and engine in found}


def _two_units(operation: str) -> Figure:
    """The geometric mean over the graphs of which twice one unit's bytes are below what the port moves at best: of others it is full."""
    def figure(suites: Rows) -> float | None:
        rows = _suite(suites)
        copy = copy_share(rows)
        shares = {str(row["case"]): share(row) for row in of(rows, operation, ONE)}
        found = [gain for case, gain in gains(rows, operation, SCALES[2]).items() if copy and 2 * shares[case] < copy]
        return geometric_mean(found) if found else None
    return figure


def bars() -> Iterator[tuple[str, Figure, float, bool]]:
    """Name, figure, limit, and whether it is a lower one."""
    branching = tuple(series.name for series in SERIES if not series.name.startswith("list"))
    for operation, java, kryo in zip(OPERATIONS, (18, 60), (10, 25)):
        yield f"{operation}: times `java`, geometric mean", _speedup(operation, ("java",)), java, True
        yield f"{operation}: times the best Kryo, geometric mean", _speedup(operation, KRYO), kryo, True
    yield "JSBS MediaContent, both ways together: times `kryo-manual`", _both_ways, 5, True
    for operation, limit in zip(OPERATIONS, (45, 8)):
        yield f"{operation}: the longest lists (cycles a node)", _a_node(operation), limit, False
    yield "serialize: share of the port, one unit, mean of trees and graphs", _mean_share("serialize", ONE, branching), 0.15, True
    yield "serialize: share of the port, four units, a graph each, mean of trees and graphs", _mean_share("serialize", SCALES[4], branching), 0.30, True
    yield "deserialize: share of the port, mean of graphs over 64 KB", _mean_share("deserialize", ONE, ("",), LARGE), 0.60, True
    yield "deserialize: share of the port in the best case, of the copy unit's", _best("deserialize"), 0.95, True
    for operation in OPERATIONS:
        yield f"{operation}: times `{VANILLA}`, trees and graphs, geometric mean", _speedup(operation, (VANILLA,), branching), 3, True
        yield f"{operation}: two units, a graph each, times one, until the port is full, geometric mean", _two_units(operation), 1.8, True

"""The suite `skyway`: the graphs of the suite `cereal`, and who is measured on them."""
from __future__ import annotations

from heapwire.bench.cereal import MEDIA, ONE, OPERATIONS, SKYWAY, SOFTWARE, Group
from heapwire.bench.heap import Key
from heapwire.bench.rows import Row

HARDWARE = "skyway-hw"
"""The engine that is to come: a suite without it has a bar that is not measured."""
ENGINES = (*SOFTWARE, ONE, SKYWAY)
CONFIG = "cereal-x2"
"""The suite's machine. One unit of each kind is at work at a time."""


def rows_of_skyway(found: list[Group]) -> list[Key]:
    """The rows of the suite."""
    return [(graph.name, operation, engine) for group in found for graph in group.graphs for engine in ENGINES for operation in OPERATIONS]


def both_ways(rows: list[Row]) -> dict[str, dict[str, int]]:
    """By case, then by engine: cycles of both directions together, where both were measured and are right."""
    single: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        if row["ok"]:
            single.setdefault((str(row["case"]), str(row["engine"])), {})[str(row["op"])] = int(row["cycles"])
    found: dict[str, dict[str, int]] = {}
    for (case, engine), cycles in single.items():
        if all(operation in cycles for operation in OPERATIONS):
            found.setdefault(case, {})[engine] = sum(cycles[operation] for operation in OPERATIONS)
    return found


def times(rows: list[Row], peer: str, engine: str) -> dict[str, float]:
    """By case: how many times as fast as the peer, both ways together."""
    return {case: cycles[peer] / cycles[engine] for case, cycles in both_ways(rows).items() if peer in cycles and engine in cycles}


def is_bulk(row: Row) -> bool:
    """Every graph but MediaContent, which is one small message."""
    return row["case"] != MEDIA

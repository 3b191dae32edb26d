"""The suite `skyway`: the graphs of the suite `cereal`, and who is measured on them."""
from __future__ import annotations

from heapwire.bench.cereal import MEDIA, ONE, OPERATIONS, SKYWAY, SKYWAY_HW, SOFTWARE, Group, can_fit, has
from heapwire.bench.heap import Key
from heapwire.bench.objects.captured import CASE as CAPTURED
from heapwire.bench.rows import Row, in_name_only, is_fitted
from heapwire.shuffle import digest, results

OWN = (SKYWAY, SKYWAY_HW)
"""Measured on the suite's machine; the others on the first one of the suite `cereal`, which has the same core, caches and memory."""
ENGINES = (*SOFTWARE, ONE, *OWN)
CONFIG = "skyway"
"""The suite's machine: that of the suite `cereal`, with a unit of each kind that can do Skyway's work, too."""


SHUFFLE = "shuffle"
"""The group of the programs that shuffle, and what is measured of them."""
SCALES = {"word-count": 400, "page-rank": 64, "components": 64, "triangles": 64}
"""Words, vertices (firmware/bench/shuffle.c)."""


def rows_of_skyway(found: list[Group], programs: bool = True) -> list[Key]:
    """The rows of the suite, those that are fitted among them. programs: of those that shuffle, too."""
    graphs = [(graph.name, operation, engine) for group in found for graph in group.graphs for engine in ENGINES
              if has(group, graph, engine) or can_fit(found, group, engine) for operation in OPERATIONS]
    return graphs + [(f"{program}/{scale}", SHUFFLE, engine) for program, scale in SCALES.items() for engine in ENGINES if programs]


def checked(row: Row) -> Row:
    """A row of a program is right if what its workers found is what a plain computation finds."""
    if row["op"] != SHUFFLE:
        return row
    program, _, scale = str(row["case"]).partition("/")
    return {**row, "ok": row["ok"] is True and row["digest"] == digest(results(program, int(scale)))}


def both_ways(rows: list[Row]) -> dict[str, dict[str, int]]:
    """By case, then by engine: cycles of both directions together, where both were measured, not fitted, and are right, and units did what they are said to
    have done."""
    single: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        if row["ok"] and not in_name_only(row) and not is_fitted(row):
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
    """Every graph but MediaContent, which is one small message, and records that Spark serialized: bars are over the graphs that are made here."""
    return row["case"] != MEDIA and not str(row["case"]).startswith(CAPTURED) and row["op"] in OPERATIONS

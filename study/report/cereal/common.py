"""Functions that the figures of *Cereal* share: rows of its suite, by shape and size."""

from __future__ import annotations

from typing import Iterable, Sequence

from heapwire.measure.rows import Row
from study.bench.cereal import OPERATIONS, SERIES, micro
from study.bench.rows import in_all
from study.report.store import Store, by_case

ENGINES = ("java", "kryo-generic", "kryo-manual", "cereal-sw", "hw-vanilla", "hw", "hw-x2", "hw-x4", "hw-x8")
SHAPES = tuple(series.name for series in SERIES)
COMMAND = "make bench SUITE=cereal"
DIFFERS = (
    "The paper's Java and Kryo ran on HotSpot, by reflection, on a core at 3.6 GHz with four channels of DDR4; ours "
    "are compiled C on the small core beside the units, with one channel of DDR3. So the ratio of units to software "
    "differs from the paper's. Our graphs are much smaller than the paper's, each by another factor (Table II)."
)


def rows(store: Store) -> list[Row]:
    """Returns the microbenchmarks of the suite `cereal`."""
    return list(micro(store.rows("cereal")))


def shape(case: str) -> str:
    """Returns the shape of a case: tree-narrow for tree-narrow/511."""
    return case.partition("/")[0]


def largest(cases: Iterable[str]) -> list[str]:
    """Returns the largest graph of each shape, in the paper's order."""
    found: dict[str, str] = {}
    for case in sorted(cases, key=lambda case: int(case.rpartition("/")[2])):
        found[shape(case)] = case
    return [found[name] for name in SHAPES if name in found]


def ratios(found: dict[str, dict[str, Row]], peer: str) -> dict[str, dict[str, float]]:
    """Returns, by case and then by engine, the cycles of the peer divided by those of the engine, if both were
    measured."""
    return {
        case: {
            engine: int(engines[peer]["cycles"]) / int(engines[engine]["cycles"])
            for engine in ENGINES
            if engine in engines and engine != peer
        }
        for case, engines in found.items()
        if peer in engines and len(engines) > 1
    }


def shared(found: dict[str, dict[str, float]]) -> tuple[int, dict[str, list[float]]]:
    """Returns the number of cases that every measured engine has, and the values of these by engine. Means over them
    compare."""
    engines = [engine for engine in ENGINES if any(engine in each for each in found.values())]
    by_engine = in_all({case: each[engine] for case, each in found.items() if engine in each} for engine in engines)
    return len(by_engine[0]) if by_engine else 0, {
        engine: list(each.values()) for engine, each in zip(engines, by_engine)
    }


def columns(rows: Sequence[Row]) -> list[str]:
    """Returns the engines of the rows, in the usual order."""
    return [engine for engine in ENGINES if any(row["engine"] == engine for row in rows)]


def both(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, Row]]]:
    """Returns the rows by operation, case and engine."""
    return {operation: found for operation in OPERATIONS if (found := by_case(rows, operation))}

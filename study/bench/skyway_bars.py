"""The bars of the suite `skyway`: both ways together. For bulk graphs they apply to the geometric mean."""

from __future__ import annotations

from typing import Callable, Iterator

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, SKYWAY, SKYWAY_HW
from study.bench.rows import geometric_mean
from study.bench.skyway import is_bulk, times

Rows = dict[str, list[Row]]
"""Rows of suites by name."""
Figure = Callable[[Rows], float | None]


def _jsbs(peer: str, engine: str = SKYWAY) -> Figure:
    return lambda suites: times(suites.get("skyway", []), peer, engine).get(MEDIA)


def bulk(rows: list[Row], peer: str, engine: str) -> float | None:
    """Returns how many times as fast as the peer the engine is on bulk graphs, as a geometric mean."""
    found = list(times([row for row in rows if is_bulk(row)], peer, engine).values())
    return geometric_mean(found) if found else None


def bars() -> Iterator[tuple[str, Figure, float, bool]]:
    """Yields name, figure, limit, and whether the limit is a lower one."""
    yield "JSBS MediaContent, `skyway-sw`: times `kryo-manual`", _jsbs("kryo-manual"), 1.1, True
    yield "JSBS MediaContent, `skyway-sw`: times `java`", _jsbs("java"), 6, True
    yield (
        "bulk graphs, `skyway-sw`: times `kryo-generic`",
        lambda suites: bulk(suites.get("skyway", []), "kryo-generic", SKYWAY),
        2.9,
        True,
    )
    yield (
        f"bulk graphs, `{SKYWAY_HW}`: times `skyway-sw`",
        lambda suites: bulk(suites.get("skyway", []), SKYWAY, SKYWAY_HW),
        8,
        True,
    )
    yield f"JSBS MediaContent, `{SKYWAY_HW}`: times `skyway-sw`", _jsbs(SKYWAY, SKYWAY_HW), 3, True

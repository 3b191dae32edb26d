"""The bars that a suite's figures are held against."""
from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from heapwire.bench.rows import Row, slopes


@dataclass(frozen=True)
class Bar:
    """A limit on one figure.

    kind: `cycles` of the case `what`; `slope` (cycles a unit of size) of the sweep `what`.
    engine: whose figure. most: what it may be."""

    name: str
    suite: str
    kind: str
    what: str
    most: float
    engine: str = "hw"


@dataclass(frozen=True)
class Result:
    """A bar held against a measurement."""

    name: str
    measured: float
    wanted: str
    met: bool


BARS = [
    Bar("MediaContent, 242 bytes (cycles)", "protobuf", "cycles", "jsbs/media.1", 1000),
    Bar("17-byte message (cycles)", "protobuf", "cycles", "hyperprotobench/bench1/05_hyperprotobench.M15", 350),
    Bar("packed one-byte varints (cycles an element)", "protobuf", "slope", "packed_varint_1B", 2),
    Bar("packed two-byte varints (cycles an element)", "protobuf", "slope", "packed_varint_2B", 2),
]


def check(bar: Bar, rows: list[Row]) -> Result | None:
    """The bar against these rows; None if the figure was not measured."""
    mine = [row for row in rows if row["engine"] == bar.engine]
    if bar.kind == "cycles":
        found = [float(row["cycles"]) for row in mine if row["case"] == bar.what]
    else:
        found = [s.rate for s in slopes(mine) if s.series == bar.what]
    if not found:
        return None
    return Result(bar.name, median(found), f"<= {bar.most:g}", median(found) <= bar.most)


def of_suite(suite: str) -> list[Bar]:
    """The bars of one suite."""
    return [bar for bar in BARS if bar.suite == suite]

"""Rows of a bench: what images print, merged over layouts, and slopes."""
from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Callable

from heapwire.errors import HeapwireError

Row = dict[str, object]
CAPNP = "capnp"
"""The engine that copies a message of Cap'n Proto."""
KEY = ("suite", "case", "op", "engine", "model")
PEERS = ("nanopb", "table")
"""The software that the hardware is held against."""
OF_UNITS = ("hw", "skyway-hw")
"""What engines' names begin with behind which units stand."""


def in_name_only(row: Row) -> bool:
    """Whether software did what the row says a unit did: such a row counts for nothing."""
    return str(row["engine"]).startswith(OF_UNITS) and bool(row.get("fallbacks"))


def is_fitted(row: Row) -> bool:
    """Whether the row's cycles are told by a line through smaller cases, not measured."""
    return bool(row.get("fitted"))


def parse_line(line: str) -> Row | None:
    """The row of a line that an image printed; None for a remark.

    Raises HeapwireError for a damaged row: figures are never dropped silently."""
    line = line.strip()
    if not line.startswith("{"):
        return None
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise HeapwireError(f"a line of the bench is damaged ({error}): {line[:200]}") from error


def merge_layouts(rows: list[Row], expected_layouts: Callable[[Row], int] | None = None) -> list[Row]:
    """One row for each case and engine: the layout with the fewest cycles.

    `layouts` is how many there were; `fallbacks` is the most of any and `ok` holds only
    if it held in every one, and all wrote the same bytes (`digest`, where there is one). `cold_cycles` are another
    layout's where that one was not run cold."""
    groups: dict[tuple, list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row.get(key) for key in KEY)].append(row)
    merged = []
    for key, same in groups.items():
        layouts = {row.get("layout", 0) for row in same}
        best = dict(min(same, key=lambda row: row["cycles"]))
        best["layouts"] = len(layouts)
        best["ok"] = all(row.get("ok") is True for row in same) and len({row.get("digest") for row in same}) == 1
        best["fallbacks"] = max(int(row.get("fallbacks", 0)) for row in same)
        cold = [row["cold_cycles"] for row in same if row.get("cold_cycles")]
        if cold and not best.get("cold_cycles"):
            best["cold_cycles"] = min(cold)
        best["cycles_worst_layout"] = max(row["cycles"] for row in same)
        if expected_layouts is not None and len(layouts) != expected_layouts(best):
            best["ok"] = False
        merged.append(best)
    return merged


def complete(row: Row, config: str, port_bytes: int) -> Row:
    """The row with every key of the format, in its order; others follow."""
    names = {"suite": "", "case": "", "op": "", "engine": "", "model": "", "cycles": 0, "instret": 0, "wire_bytes": 0,
             "object_bytes": 0, "read_bytes": 0, "write_bytes": 0, "port_bytes_per_cycle": port_bytes, "fallbacks": 0,
             "layouts": 1, "config": config, "ok": False}
    ordered = {name: row.get(name, default) for name, default in names.items()}
    ordered["config"], ordered["port_bytes_per_cycle"] = config, port_bytes
    return ordered | {name: value for name, value in row.items() if name not in ordered and name != "layout"}


def geometric_mean(values: list[float]) -> float:
    """Geometric mean of positive numbers; nan of none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


@dataclass(frozen=True)
class Slope:
    """cycles = fixed + rate x size over a sweep; error: the largest relative deviation of a point."""

    series: str
    operation: str
    engine: str
    rate: float
    fixed: float
    points: int
    error: float


def fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Slope and intercept by least squares, each point weighted by 1/y^2 so that the
    relative error is what is minimised."""
    weights = [1 / max(y, 1) ** 2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    rate = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread
    return rate, mean_y - rate * mean_x


def slopes(rows: list[Row]) -> list[Slope]:
    """The slopes of all sweeps (cases named `series/size`) of at least three sizes, of rows that were measured, are ok and not the hardware's in name only."""
    sweeps: dict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        match = re.fullmatch(r"([^/]+)/(\d+)", str(row["case"]))
        if match and row["ok"] and not in_name_only(row) and not is_fitted(row):
            sweeps[match[1], str(row["op"]), str(row["engine"])].append((int(match[2]), float(row["cycles"])))
    result = []
    for (series, operation, engine), points in sweeps.items():
        if len({x for x, _ in points}) >= 3:
            rate, fixed = fit(points)
            error = max(abs(fixed + rate * x - y) / max(y, 1) for x, y in points)
            result.append(Slope(series, operation, engine, rate, fixed, len(points), error))
    return result


def speedups(rows: list[Row], peers: tuple[str, ...] = PEERS, engine: str = "hw") -> dict[str, float]:
    """By case: cycles of the fastest of the peers over those of `engine`, where both were measured, not fitted, and checked, the
    latter without a fallback."""
    by_case: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        if not is_fitted(row):
            by_case[str(row["case"])][str(row["engine"])] = row
    result = {}
    for case, engines in by_case.items():
        cycles = [int(engines[name]["cycles"]) for name in peers if name in engines and engines[name]["ok"]]
        if engine in engines and engines[engine]["ok"] and not in_name_only(engines[engine]) and cycles:
            result[case] = min(cycles) / int(engines[engine]["cycles"])
    return result

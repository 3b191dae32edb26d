"""Rows of a bench, as images print them and merged over layouts, and slopes."""

import json
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Callable, Iterable

from base.errors import HeapwireError
from heapwire.measure.rows import Row, in_name_only

KEY = ("suite", "case", "op", "engine", "model")
PEERS = ("nanopb", "table", "upb")
"""Software with the same usable result as the engine's: strings are copied, and checked where the schema asks."""
IN_PLACE = "upb-alias"
"""Software that leaves strings in the input."""


def is_fitted(row: Row) -> bool:
    """Returns whether the row's cycles come from a line through smaller cases and were not measured."""
    return bool(row.get("fitted"))


def counts(row: Row) -> bool:
    """Returns whether a row counts in bars and figures: measured, not fitted, right, and not done by software in a
    unit's name."""
    return row["ok"] is True and not in_name_only(row) and not is_fitted(row)


def parse_line(line: str) -> Row | None:
    """Returns the row of a line that an image printed, or None for a remark.

    Raises HeapwireError for a damaged row: figures are never dropped silently."""
    line = line.strip()
    if not line.startswith("{"):
        return None
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise HeapwireError(f"a line of the bench is damaged ({error}): {line[:200]}") from error


def merge_layouts(rows: list[Row], expected_layouts: Callable[[Row], int] | None = None) -> list[Row]:
    """Returns one row for each case and engine: that of the layout with the fewest cycles.

    `layouts` is the number of layouts. `fallbacks` is the largest of all layouts. `ok` holds only if it held in every
    layout and all layouts wrote the same bytes (`digest`, if present). `cold_cycles` come from another layout if the
    best one was not run cold."""
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


def port_share(row: Row) -> float:
    """Returns the bytes that the shared cache fetched from DRAM and wrote back, divided by those that DRAM's port could
    have moved in the row's cycles. Rows of the copy unit count what the unit moved: only those whose bytes are more
    than the cache holds have a share of DRAM's port."""
    names = ("read_bytes", "write_bytes") if row["op"] == "copy" else ("dram_read_bytes", "dram_write_bytes")
    return sum(int(row.get(name, 0)) for name in names) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))


def geometric_mean(values: list[float]) -> float:
    """Returns the geometric mean of positive numbers, or nan for an empty list."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def in_all(found: Iterable[dict[str, float]]) -> list[dict[str, float]]:
    """Returns each mapping from cases without the cases that another one lacks, so that means over them compare. An
    empty mapping stands for an engine that was not measured, and counts for nothing."""
    mappings = list(found)
    measured = [set(each) for each in mappings if each]
    shared = set.intersection(*measured) if measured else set()
    return [{case: value for case, value in each.items() if case in shared} for each in mappings]


@dataclass(frozen=True)
class Slope:
    """cycles = fixed + rate x size over a sweep. error: the largest relative deviation of a point."""

    series: str
    operation: str
    engine: str
    rate: float
    fixed: float
    points: int
    error: float


def fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns slope and intercept by least squares. Each point has the weight 1/y^2, so that the relative error is
    minimised."""
    weights = [1 / max(y, 1) ** 2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    rate = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread
    return rate, mean_y - rate * mean_x


def slopes(rows: list[Row]) -> list[Slope]:
    """Returns the slopes of all sweeps (cases named `series/size`) with at least three sizes. Only rows count that were
    measured, are ok and were not done by software in a unit's name."""
    sweeps: dict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        match = re.fullmatch(r"([^/]+)/(\d+)", str(row["case"]))
        if match and counts(row):
            sweeps[match[1], str(row["op"]), str(row["engine"])].append((int(match[2]), float(row["cycles"])))
    result = []
    for (series, operation, engine), points in sweeps.items():
        if len({x for x, _ in points}) >= 3:
            rate, fixed = fit(points)
            error = max(abs(fixed + rate * x - y) / max(y, 1) for x, y in points)
            result.append(Slope(series, operation, engine, rate, fixed, len(points), error))
    return result


def speedups(rows: list[Row], peers: tuple[str, ...] = PEERS, engine: str = "hw") -> dict[str, float]:
    """Returns, by case, the cycles of the fastest peer divided by those of `engine`. Both must be measured, not fitted,
    and checked, and `engine` must have no fallback."""
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

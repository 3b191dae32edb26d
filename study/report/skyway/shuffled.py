"""What the figures of shuffle programs share."""

from __future__ import annotations

from typing import Iterable

from heapwire.measure.rows import Row
from study.bench.skyway import SHUFFLE
from study.report import text
from study.report.content import Table
from study.report.skyway.common import ENGINES
from study.report.store import Store, by_case
from study.shuffle import TIMES


def of(store: Store, names: Iterable[str]) -> dict[str, dict[str, Row]]:
    """Returns the rows of these programs, by case and engine."""
    wanted = set(names)
    rows = by_case(store.rows("skyway"), SHUFFLE)
    return {case: found for case, found in rows.items() if case.partition("/")[0] in wanted}


def all_rows(programs: dict[str, dict[str, Row]]) -> list[Row]:
    return [row for found in programs.values() for row in found.values()]


def split(row: Row) -> dict[str, int]:
    """Returns the cycles of a row by category."""
    return {part: int(row[f"{part}_cycles"]) for part in TIMES if f"{part}_cycles" in row}


def panels(programs: dict[str, dict[str, Row]]) -> dict[str, dict[str, dict[str, float]]]:
    """Returns the bars of a picture of the programs' cycles."""
    return {
        case: {
            engine: {part: float(cycles) for part, cycles in split(found[engine]).items()}
            for engine in ENGINES
            if engine in found
        }
        for case, found in programs.items()
    }


def split_table(programs: dict[str, dict[str, Row]]) -> Table:
    parts = [part for part in TIMES if any(f"{part}_cycles" in row for row in all_rows(programs))]
    return Table(
        "Cycles",
        ["program", "engine", "all", *parts, "bytes", "S/D"],
        [
            [
                case,
                engine,
                text.count(int(row["cycles"])),
                *(text.count(split(row).get(part)) for part in parts),
                text.count(int(row["wire_bytes"])),
                text.percent((int(row["serialize_cycles"]) + int(row["deserialize_cycles"])) / int(row["cycles"])),
            ]
            for case, found in programs.items()
            for engine in ENGINES
            if engine in found
            for row in [found[engine]]
        ],
    )


def stacked(bars: dict, label: str):
    from study.report import plots

    return plots.stacked(bars, label)

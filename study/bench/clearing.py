"""The cost of clearing new objects. The same messages are read with tables that clear all of an object, its references,
or only the slots that are read before a hasbit is tested (the ablation of Wu & Schmulbach, section 5.2.4)."""

from __future__ import annotations

from dataclasses import replace

from heapwire.measure.rows import Row
from heapwire.schema import Clear
from heapwire.workload.group import Group

LESS = (Clear.REFERENCES, Clear.UNASKED)
SOURCES = ("jsbs", "fields")


def clearing_groups(groups: list[Group]) -> list[Group]:
    """Returns the hardware's cases of some groups with less clearing. The original groups measure full clearing."""
    return [
        Group(
            f"{group.name}-{clear.value}",
            group.schema,
            [replace(case, name=_name(clear, case.name), engines=("hw",)) for case in group.cases],
            clear,
            layouts=1,
        )
        for group in groups
        if group.name in SOURCES
        for clear in LESS
    ]


def _name(clear: Clear, case: str) -> str:
    return f"clear {clear.value}: {case}"


def section(rows: list[Row]) -> tuple[str, str, list[str], list[list[str]]]:
    """Returns title, text, head and lines of a table of the suite's page."""
    cycles = {
        str(row["case"]): int(row["cycles"]) for row in rows if row["engine"] == "hw" and row["op"] == "deserialize"
    }
    lines = []
    for case, whole in cycles.items():
        less = [cycles.get(_name(clear, case)) for clear in LESS]
        if None not in less:
            lines.append([case, f"{whole:,}", *(f"{found:,} ({100 * found / whole - 100:+.1f} %)" for found in less)])
    return (
        "What clearing costs",
        "Cycles to deserialize, by what of a new object is cleared: everything; references and what is "
        "read whether it is there or not; the latter alone, with the references that are.",
        ["case", *(clear.value for clear in Clear)],
        lines,
    )

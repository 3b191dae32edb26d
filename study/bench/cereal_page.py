"""The tables of the page of the suite `cereal` that other suites do not have."""

from __future__ import annotations

from typing import Sequence

from heapwire.measure.rows import Row
from study.bench.cereal import ONE, OPERATIONS, SCALES, SERIES, VANILLA
from study.bench.cereal_bars import FULL, copy_share, gains, is_full, of
from study.bench.cereal_paper import BLOCK, Section, tables
from study.bench.fitted import section as fitted_section
from study.bench.objects.workload import Graph
from study.bench.rows import is_fitted, port_share
from study.bench.shares import section as shares_section


def sections(rows: list[Row], graphs: Sequence[Graph] = ()) -> list[Section]:
    """Returns title, text, head and lines of each table. Wrong rows are in none of them."""
    measured = [row for row in rows if row["ok"] and not is_fitted(row)]
    found = [
        _cases(graphs),
        *tables(measured, graphs),
        fitted_section(rows, graphs),
        _scaling(measured),
        _memory(measured),
        shares_section([row for row in measured if row["engine"] in (ONE, VANILLA) and row["op"] in OPERATIONS]),
    ]
    return [section for section in found if section[3]]


def _cases(graphs: Sequence[Graph]) -> Section:
    paper = {series.name: series.paper for series in SERIES}
    return (
        "Graphs",
        "Names end in nodes, or records. Objects are those that are reached, arrays and strings among them.",
        ["case", "objects", "references", "bytes of objects", "the paper's"],
        [
            [
                graph.name,
                f"{graph.objects:,}",
                f"{graph.references:,}",
                f"{graph.heap_bytes:,}",
                paper.get(graph.name.split("/")[0], ""),
            ]
            for graph in graphs
        ],
    )


def _cell(row: Row | None, name: str) -> str:
    return f"{int(row[name]):,}" if row else ""


def _scaling(rows: list[Row]) -> Section:
    lines, copy = [], copy_share(rows)
    for operation in OPERATIONS:
        mine = {(row["case"], row["engine"]): row for row in of(rows, operation)}
        gain = {engine: gains(rows, operation, engine) for engine in SCALES.values()}
        for case in dict.fromkeys(case for case, _ in mine):
            found = [mine.get((case, engine)) for engine in SCALES.values()]
            if not any(found[1:]):
                continue
            lines.append(
                [
                    str(case),
                    operation,
                    *(_cell(row, "cycles") for row in found),
                    *(
                        f"{gain[engine][case]:.2f}{' (port)' if is_full(mine[case, engine], copy) else ''}"
                        if case in gain[engine]
                        else ""
                        for engine in list(SCALES.values())[1:]
                    ),
                    *(f"{100 * port_share(row):.0f} %" if row else "" for row in found),
                ]
            )
    return (
        "Several units",
        "Cycles a graph, of independent graphs, one for each unit, by a context each; how many times one unit that is; "
        "the share of the port. (port): it moves "
        f"{100 * FULL:.0f} % of what the copy unit moves, or more, which bounds it. Cycles of one unit are of one "
        "graph at a time.",
        [
            "case",
            "operation",
            *(f"{units} unit{'s' if units > 1 else ''}" for units in SCALES),
            *(f"x{units}" for units in list(SCALES)[1:]),
            *(f"port, {units}" for units in SCALES),
        ],
        lines,
    )


def _memory(rows: list[Row]) -> Section:
    """Returns the table of memory traffic. If graphs are larger than the shared cache, DRAM bounds a unit that walks
    them."""
    lines = []
    for row in rows:
        moved = int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0))
        if not str(row["engine"]).startswith(ONE) or row["op"] not in OPERATIONS or not moved:
            continue
        lines.append(
            [
                str(row["case"]),
                str(row["op"]),
                str(row["engine"]),
                *(
                    f"{int(row.get(name, 0)):,}"
                    for name in ("object_bytes", "read_bytes", "write_bytes", "dram_read_bytes", "dram_write_bytes")
                ),
                f"{int(row['cycles']) * BLOCK / moved:.1f}",
            ]
        )
    return (
        "Memory",
        "Bytes that units read and wrote, and that the shared cache fetched from DRAM and wrote back meanwhile; cycles "
        "for each of its blocks of 64 bytes. The copy "
        "unit takes 4.6 for blocks in order; the suite `memory` has what blocks in no order take (`gather`).",
        [
            "case",
            "operation",
            "engine",
            "objects",
            "unit reads",
            "unit writes",
            "DRAM to cache",
            "cache to DRAM",
            "cycles a block",
        ],
        lines,
    )

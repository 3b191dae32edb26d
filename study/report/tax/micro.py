"""Figures 1 and 4: the time of a repeated field by type and number of elements. Figures 3 and 6: its memory traffic."""

from __future__ import annotations

from typing import Callable

from heapwire.measure.rows import Row
from study.bench.rows import fit
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, machine_of, series
from study.report.tax import paper

COMMAND = "make bench SUITE=protobuf"
ENGINES = ("nanopb", "table", "hw")
OPERATIONS = {"serialize": "write", "deserialize": "read"}


def sweep(store: Store, kind: str, packing: str, operation: str, engine: str) -> list[tuple[int, Row]]:
    """Returns the rows of one type, by the number of elements."""
    return series(
        [row for row in store.rows("protobuf") if row["op"] == operation and row["engine"] == engine],
        f"{kind}_{packing}",
    )


def _packings(kind: str) -> tuple[str, ...]:
    return ("unpacked",) if kind == "string" else ("packed", "unpacked")


def times(store: Store, number: str, operation: str) -> Item:
    """Returns figure 1 or 4."""
    title = f"time to {operation} a repeated field, by its type and length"
    found = {
        (kind, packing, engine): rows
        for kind in paper.TYPES
        for packing in _packings(kind)
        for engine in ENGINES
        if (rows := sweep(store, kind, packing, operation, engine))
    }
    if not found:
        return unmeasured(number, title, COMMAND)
    panels = {
        engine: {
            kind: [(count, float(row["cycles"])) for count, row in rows]
            for (kind, packing, of), rows in found.items()
            if of == engine and packing == ("unpacked" if kind == "string" else "packed")
        }
        for engine in ENGINES
    }
    counts = sorted({count for rows in found.values() for count, _ in rows})
    lines = [
        [
            f"{kind}, {packing}",
            engine,
            *(text.count(dict((count, int(row["cycles"])) for count, row in rows).get(count)) for count in counts),
            _rate(rows),
        ]
        for (kind, packing, engine), rows in found.items()
    ]
    rows = [row for each in found.values() for _, row in each]
    return Item(
        number,
        title,
        [
            f"The paper, protobuf's C++ library: {paper.SLOWER[operation]}; a Rocket core is 3 to 6 times as slow as a "
            "Xeon.",
            f"{machine_of(rows)} nanopb and `table`, our software codec for managed objects, run on the core beside "
            "the engine; the paper's library ran on a Xeon and on a Rocket core. Values are random over the whole "
            "type, and strings have 50 characters, as in the paper.",
        ],
        [
            Plot(
                f"tax-{number.rpartition(' ')[2]}",
                f"Cycles to {OPERATIONS[operation]} a packed field (strings: unpacked) against its elements",
                lambda: _lines({name: data for name, data in panels.items() if data}),
            )
        ],
        [
            Table(
                "Cycles by the number of elements, and cycles an element (fitted)",
                ["type", "engine", *map(text.count, counts), "an element"],
                lines,
            )
        ],
        cut=store.cut("protobuf"),
    )


def _rate(rows: list[tuple[int, Row]]) -> str:
    points = [(float(count), float(row["cycles"])) for count, row in rows]
    return f"{fit(points)[0]:.2f}" if len({x for x, _ in points}) >= 3 else ""


def _lines(panels: dict):
    from study.report import plots

    return plots.lines(panels, "elements", "cycles")


def traffic(store: Store, number: str, operation: str) -> Item:
    """Returns figure 3 or 6."""
    title = f"memory traffic to {operation} by type"
    views: dict[str, Callable[[Row], tuple[int, int]]] = {
        "unit": lambda row: (int(row["read_bytes"]), int(row["write_bytes"])),
        "DRAM": lambda row: (int(row.get("dram_read_bytes", 0)), int(row.get("dram_write_bytes", 0))),
    }
    lines, data = [], {}
    used: list[Row] = []
    for kind in paper.TYPES:
        packing = _packings(kind)[0]
        of = {engine: dict(sweep(store, kind, packing, operation, engine)) for engine in ("hw", "nanopb")}
        common = sorted(set(of["hw"]) & set(of["nanopb"]))
        if not common:
            continue
        count = common[-1]
        unit, peer = of["hw"][count], of["nanopb"][count]
        used += [unit, peer]
        cells = [*views["unit"](unit), *views["DRAM"](unit), *views["DRAM"](peer)]
        read, written = paper.TRAFFIC[operation][kind]
        lines.append(
            [
                f"{kind}, {packing}",
                text.count(count),
                text.count(int(unit["wire_bytes"])),
                *map(text.count, cells),
                f"{read}",
                f"{written}",
            ]
        )
        data[kind] = {
            "engine reads": cells[0] / count,
            "engine writes": cells[1] / count,
            "nanopb, DRAM reads": cells[4] / count,
            "nanopb, DRAM writes": cells[5] / count,
        }
    if not lines:
        return unmeasured(number, title, COMMAND)
    return Item(
        number,
        title,
        [
            "The paper counts what perf saw between the Xeon's caches and memory over a run of unknown length, in "
            "GiB. Ratios between types can be compared, figures cannot.",
            f"{machine_of(used)} The table has the longest field that both engines have, warm: the bytes that the "
            "engine's port moved, and those that the shared cache fetched from DRAM and wrote back.",
        ],
        [Plot(f"tax-{number.rpartition(' ')[2]}", "Bytes an element", lambda: _bars({"": data}))],
        [
            Table(
                "Bytes",
                [
                    "type",
                    "elements",
                    "on the wire",
                    "engine reads",
                    "engine writes",
                    "DRAM to cache, engine",
                    "cache to DRAM, engine",
                    "DRAM to cache, nanopb",
                    "cache to DRAM, nanopb",
                    "the paper's reads, GiB",
                    "its writes, GiB",
                ],
                lines,
            )
        ],
        cut=store.cut("protobuf"),
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "bytes an element")

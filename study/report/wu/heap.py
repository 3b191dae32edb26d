"""Pauses, and messages in a heap with collections (section 5.2.5 of the fuller report, 4.2.3 of the earlier one); area
(5.2.6)."""

from __future__ import annotations

from study.bench import heap
from study.bench.rows import slopes
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store
from study.report.wu import paper

COMMAND = "make bench SUITE=heap"


def pauses(store: Store) -> Item:
    """Returns the item of the collector's pauses, and of the wait for a command in flight."""
    title = "pauses of the collector, and the wait for a command in flight"
    rows = store.rows("heap")
    found = {
        operation: [(int(row["object_bytes"]), float(row["cycles"])) for row in rows if row["op"] == operation]
        for operation in (heap.YOUNG, heap.FULL)
    }
    if not any(found.values()):
        return unmeasured("", title, COMMAND)
    waits = sorted(heap.waits(rows), key=lambda row: -int(row["cycles"]))
    lines = [
        [operation, f"{size:,}", text.count(cycles), f"{cycles / size:.2f}"]
        for operation, points in found.items()
        for size, cycles in points
    ]
    tables = [Table("Pauses", ["collection", "bytes that live", "cycles", "cycles a byte"], lines)]
    fitted = [
        [line.series, f"{line.fixed:,.0f}", f"{line.rate:.3f}", text.percent(line.error)]
        for line in slopes(rows)
        if line.operation in (heap.YOUNG, heap.FULL)
    ]
    if fitted:
        tables.append(
            Table("cycles = fixed + rate x bytes", ["collection", "fixed", "rate", "largest deviation"], fitted)
        )
    if waits:
        tables.append(
            Table(
                "The longest waits for a command in flight",
                ["message", "bytes", "cycles"],
                [
                    [str(row["case"]), text.count(int(row["wire_bytes"])), text.count(int(row["cycles"]))]
                    for row in waits[:8]
                ],
            )
        )
    return Item(
        "",
        title,
        [
            f"The paper: pauses of about {paper.PAUSE_MS} ms with a heap of 512 MB, far longer than any "
            "deserialization; a pause that waits for one was never seen.",
            "Here a collection waits for commands in flight, and this wait is measured.",
        ],
        [Plot("heap-pauses", "Cycles of a pause against bytes that live", lambda: _lines({"": found}))],
        tables,
        cut=store.cut("heap"),
    )


def _lines(panels: dict):
    from study.report import plots

    return plots.lines(panels, "bytes that live", "cycles")


def end_to_end(store: Store) -> Item:
    """Returns the item of messages with the collections that they cause."""
    title = "messages into a small heap, collections included"
    rows = [row for row in store.rows("heap") if row["op"] == heap.END_TO_END and int(row["cycles"])]
    if not rows:
        return unmeasured("", title, COMMAND)
    data: dict[str, dict[str, float]] = {}
    for row in rows:
        data.setdefault(str(row["case"]), {})[str(row["engine"])] = 1e6 / int(row["cycles"])
    lines = [
        [
            str(row["case"]),
            str(row["engine"]),
            text.count(int(row["cycles"])),
            f"{1e6 / int(row['cycles']):,.1f}",
            str(row.get("collections", "")),
        ]
        for row in rows
    ]
    return Item(
        "",
        title,
        [
            "The paper runs its benchmarks in an artificially small heap so that the collector has work; it has no "
            "figure of them."
        ],
        [Plot("heap-end-to-end", "Messages a million cycles", lambda: _bars({"": data}))],
        [
            Table(
                "Messages", ["message", "engine", "cycles a message", "messages a million cycles", "collections"], lines
            )
        ],
        cut=store.cut("heap"),
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "messages a million cycles")


def area(store: Store) -> Item:
    """Returns the item of the engine's area."""
    title = "area of the deserializer"
    lines = []
    for machine, document in store.areas.items():
        if "Engine" in (modules := document.get("modules", {})):
            total = modules["Engine"]["total"]
            alone = document.get("fmax", {}).get("alone", {}).get("Engine", {}).get("mhz")
            lines.append(
                [
                    machine,
                    *(
                        text.short(total.get(figure))
                        for figure in ("ecp5.LUT", "ecp5.FF", "ecp5.BRAM", "kGE", "memory bits")
                    ),
                    text.short(alone),
                ]
            )
    if not lines:
        return unmeasured("", title, "make area CONFIG=default")
    return Item(
        "",
        title,
        [
            f"The paper: {paper.AREA}.",
            "Our engine reads and writes. It is mapped for ECP5, and also counted in NAND2 equivalents "
            "([area.md](docs:reference/area.md)); neither count compares with cells of a foundry's library.",
        ],
        tables=[Table("The engine", ["machine", "LUT", "FF", "BRAM", "kGE", "memory bits", "MHz alone"], lines)],
    )

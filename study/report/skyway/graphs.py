"""Figure 7, the bulk graphs, and the cost of extra bytes and of the metadata field (section 5.2)."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, OPERATIONS
from study.bench.rows import geometric_mean
from study.bench.skyway import both_ways, is_bulk
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.skyway import broadcast, paper
from study.report.skyway.common import COMMAND, ENGINES
from study.report.store import Store, by_case, machine_of

PARTS = ("headers", "padding", "pointers")


def _bars(panels: dict, label: str, log: bool = False):
    from study.report import plots

    return plots.bars(panels, label, log)


def figure_7(store: Store) -> Item:
    """Returns the figure of JSBS."""
    title = "serializers on JSBS's MediaContent"
    rows = [row for row in store.rows("skyway") if row["case"] == MEDIA and row["op"] in OPERATIONS]
    total = both_ways(rows).get(MEDIA, {})
    if "skyway-sw" not in total:
        return unmeasured("Figure 7", title, COMMAND)
    ways = {operation: by_case(rows, operation).get(MEDIA, {}) for operation in OPERATIONS}
    lines = [
        [
            engine,
            *(text.count(int(ways[operation][engine]["cycles"])) for operation in OPERATIONS),
            text.count(cycles),
            f"{cycles / total['skyway-sw']:.2f}",
            text.short(paper.JSBS.get(engine)),
            text.count(int(ways["serialize"][engine]["wire_bytes"])),
        ]
        for engine, cycles in sorted(total.items(), key=lambda pair: pair[1])
    ]
    said, more = broadcast.tables(store)
    panels = {
        operation: {MEDIA: {engine: float(row["cycles"]) for engine, row in found.items()}}
        for operation, found in ways.items()
    }
    return Item(
        "Figure 7",
        title,
        [
            f"The paper: Skyway is the fastest of 91 libraries, {paper.JSBS['kryo-manual']} times as fast as "
            "hand-written Kryo, 1.5 times as fast as Colfer, and more than 67 times as fast as Java; it sends half "
            "as many bytes again.",
            f"{machine_of(rows)} The case is one message of 35 objects, without a network. The paper's Java and Kryo "
            "ran on HotSpot, by reflection; ours are compiled C. Each buffer has a fixed cost, which is most of the "
            "time of one message here ([bench_skyway.md](docs:../study/results/bench_skyway.md)).",
            *said,
        ],
        [Plot("skyway-7", "Cycles of one MediaContent", lambda: _bars(panels, "cycles"))],
        [Table("Cycles", ["engine", *OPERATIONS, "both ways", "over skyway-sw", "the paper's", "bytes"], lines), *more],
        cut=store.cut("skyway"),
    )


def bulk(store: Store) -> Item:
    """Returns the item of bulk graphs, both ways."""
    title = "bulk graphs, both ways together"
    rows = [row for row in store.rows("skyway") if is_bulk(row)]
    cycles = {case: found for case, found in both_ways(rows).items() if "java" in found and len(found) > 1}
    if not cycles:
        return unmeasured("", title, COMMAND)
    over = {
        case: {engine: found["java"] / found[engine] for engine in ENGINES[1:] if engine in found}
        for case, found in cycles.items()
    }
    lines = [
        [
            case,
            *(text.count(found.get(engine)) for engine in ENGINES),
            *(text.short(over[case].get(engine)) for engine in ("skyway-sw", "skyway-hw")),
        ]
        for case, found in cycles.items()
    ]
    lines.append(
        [
            "geometric mean",
            *[""] * len(ENGINES),
            *(
                text.short(geometric_mean([each[engine] for each in over.values() if engine in each]))
                for engine in ("skyway-sw", "skyway-hw")
            ),
        ]
    )
    return Item(
        "",
        title,
        [f"These are the graphs of Cereal's suite; the paper does not have them. {machine_of(rows)}"],
        [
            Plot(
                "skyway-bulk",
                "Times Java serialization, both ways, logarithmic",
                lambda: _bars({"": over}, "times Java", log=True),
            )
        ],
        [
            Table(
                "Cycles both ways, and times Java",
                ["graph", *ENGINES, "skyway-sw over java", "skyway-hw over java"],
                lines,
            )
        ],
        cut=store.cut("skyway"),
    )


def _sizes(store: Store) -> list[Row]:
    return [row for row in store.rows("graphs") if "skyway_headers" in row]


def extra(store: Store) -> Item:
    """Returns the item of the bytes that Skyway sends beside values."""
    title = "extra bytes of a Skyway buffer (section 5.2)"
    rows = _sizes(store)
    if not rows:
        return unmeasured(
            "",
            title,
            "make report",
            ["The sizes are computed from the graphs (`python -m study.report.graphs`), which needs `make classes`."],
        )
    shares = {
        str(row["case"]): {
            part: 100 * int(row[f"skyway_{part}"]) / sum(int(row[f"skyway_{name}"]) for name in PARTS) for part in PARTS
        }
        for row in rows
    }
    lines = [
        [
            case,
            *(text.count(int(row[f"skyway_{name}"])) for name in ("values", *PARTS, "stream")),
            *(f"{shares[case][part]:.0f} %" for part in PARTS),
        ]
        for row in rows
        for case in [str(row["case"])]
    ]
    lines.append(
        ["mean", *[""] * 5, *(f"{sum(found[part] for found in shares.values()) / len(shares):.0f} %" for part in PARTS)]
    )
    lines.append(["the paper's, of Spark's", *[""] * 5, *(f"{100 * paper.EXTRA[part]:.0f} %" for part in PARTS)])
    return Item(
        "",
        title,
        [
            "The sizes are computed from the graphs. References have 4 bytes here and 8 in the paper; our headers "
            "have 8 bytes of metadata that Cereal and Skyway share."
        ],
        [Plot("skyway-extra", "Percent of the extra bytes", lambda: _stacked({"": shares}))],
        [
            Table(
                "Bytes",
                ["graph", "values", *PARTS, "the stream's words", *(f"{part} of the extra" for part in PARTS)],
                lines,
            )
        ],
    )


def _stacked(panels: dict):
    from study.report import plots

    return plots.stacked(panels, "percent")


def memory(store: Store) -> Item:
    """Returns the item of the metadata field's cost."""
    title = "memory of the metadata field (section 5.2)"
    rows = _sizes(store)
    if not rows:
        return unmeasured("", title, "make report")
    more = [int(row["object_bytes"]) / int(row["bytes_without_metadata"]) - 1 for row in rows]
    lines = [
        [
            str(row["case"]),
            text.count(int(row["objects"])),
            text.count(int(row["bytes_without_metadata"])),
            text.count(int(row["object_bytes"])),
            text.percent(extra),
        ]
        for row, extra in zip(rows, more)
    ]
    lines.append(["mean", "", "", "", text.percent(sum(more) / len(more))])
    lines.append(["the paper's mean", "", "", "", text.percent(paper.MEMORY[2])])
    return Item(
        "",
        title,
        [
            f"The paper: `baddr` makes the peak heap of Spark's programs {text.percent(paper.MEMORY[0])} to "
            f"{text.percent(paper.MEMORY[1])} larger. Ours are graphs alone. Without the field their headers have 8 "
            "bytes, and a JVM's have 12 or 16, so the field weighs more here."
        ],
        tables=[Table("Bytes of the objects", ["graph", "objects", "without", "with", "more"], lines)],
    )

"""Figures 12, 13, 15 and 16: JSBS, and records with the shapes of those that Spark's programs shuffle."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, OPERATIONS
from study.bench.objects.captured import CASE as CAPTURED
from study.bench.objects.captured import SKYWAY
from study.bench.rows import geometric_mean, port_share
from study.report import text
from study.report.cereal import paper
from study.report.cereal.common import COMMAND, both, columns
from study.report.content import Item, Plot, Table, unmeasured
from study.report.spark import STAND_IN
from study.report.store import Store, machine_of

RECORDS = (CAPTURED, STAND_IN)
KINDS = (
    "Records named `captured-` are a sample of those that Spark serialized in a program of the same kind "
    "([spark.md](docs:../study/results/spark.md)), each key and value a graph of its own, all in one array; they have "
    "no "
    "hand-written serializer. Records named `spark-` are generated, in the shapes that the paper's programs shuffle. "
    "The simulated machine serializes both kinds, without Spark."
)


def together(rows: list[Row]) -> dict[str, dict[str, int]]:
    """Returns, by case and then by engine, the cycles to write and to read, added."""
    found: dict[str, dict[str, int]] = {}
    ways = both(rows)
    for case, engines in ways.get(OPERATIONS[0], {}).items():
        back = ways.get(OPERATIONS[1], {}).get(case, {})
        found[case] = {
            engine: int(row["cycles"]) + int(back[engine]["cycles"])
            for engine, row in engines.items()
            if engine in back
        }
    return {case: cycles for case, cycles in found.items() if cycles}


def _bars(panels: dict, label: str, log: bool = False):
    from study.report import plots

    return plots.bars(panels, label, log)


def figure_12(store: Store) -> Item:
    """Returns the figure of JSBS."""
    title = "serializers on JSBS's MediaContent"
    rows = [row for row in store.rows("cereal") if row["case"] == MEDIA]
    cycles = together(rows).get(MEDIA, {})
    if "kryo-manual" not in cycles:
        return unmeasured("Figure 12", title, COMMAND)
    wire = {str(row["engine"]): int(row["wire_bytes"]) for row in rows if row["op"] == "serialize"}
    ways = both(rows)
    lines = [
        [
            engine,
            *(text.count(int(ways[operation][MEDIA][engine]["cycles"])) for operation in OPERATIONS),
            text.count(total),
            f"{cycles['kryo-manual'] / total:.2f}",
            text.count(wire.get(engine)),
        ]
        for engine, total in sorted(cycles.items(), key=lambda pair: pair[1])
    ]
    lines.append(["the paper's Cereal", "", "", "", f"{paper.JSBS_OVER_KRYO}", ""])
    split = {
        operation: {MEDIA: {engine: float(row["cycles"]) for engine, row in found[MEDIA].items()}}
        for operation, found in ways.items()
    }
    return Item(
        "Figure 12",
        title,
        [
            f"The paper: Cereal is {paper.JSBS_OVER_KRYO} times as fast as hand-written Kryo, the fastest of 88 "
            f"libraries, and {paper.JSBS_OVER_ALL} times as fast as the 88 on average.",
            f"{machine_of(rows)} One message of 35 objects. The libraries here are the peers that exist in C; the "
            "other 85 need a JVM.",
        ],
        [Plot("cereal-12", "Cycles of one MediaContent", lambda: _bars(split, "cycles"))],
        [Table("Cycles", ["engine", *OPERATIONS, "both ways", "times kryo-manual", "bytes"], lines)],
        cut=store.cut("cereal"),
    )


def _records(store: Store) -> list[Row]:
    """Returns the rows of this paper's programs."""
    others = tuple(f"{CAPTURED}{program}/" for program in SKYWAY)
    return [
        row
        for row in store.rows("cereal")
        if str(row["case"]).startswith(RECORDS) and not str(row["case"]).startswith(others)
    ]


def figure_13(store: Store) -> Item:
    """Returns the figure of speed-ups on Spark's records."""
    title = "speed-up of serialization on Spark's workloads, both ways together"
    rows = _records(store)
    cycles = {case: found for case, found in together(rows).items() if "java" in found}
    if not cycles:
        return unmeasured("Figure 13", title, COMMAND)
    engines = [engine for engine in columns(rows) if engine != "java"]
    over = {
        case: {engine: found["java"] / found[engine] for engine in engines if engine in found}
        for case, found in cycles.items()
    }
    lines = []
    for prefix in RECORDS:
        mine = {case: found for case, found in over.items() if case.startswith(prefix)}
        lines += [[case, *(text.short(found.get(engine)) for engine in engines)] for case, found in mine.items()]
        if mine:
            lines.append(
                [
                    f"geometric mean of {len(mine)}, `{prefix}`",
                    *(
                        text.short(geometric_mean([found[engine] for found in mine.values() if engine in found]))
                        for engine in engines
                    ),
                ]
            )
    lines.append(["the paper's", *(text.short(paper.SPARK.get(engine)) for engine in engines)])
    return Item(
        "Figure 13",
        title,
        [
            f"The paper: Kryo 1.67 times Java, Cereal 7.97 times Java and {paper.SPARK_OVER_KRYO} times Kryo. There "
            "S/D is part of a running program, beside Spark's other work.",
            f"{KINDS} {machine_of(rows)}",
        ],
        [
            Plot(
                "cereal-13",
                "Times Java serialization, both ways together, logarithmic",
                lambda: _bars({"": over}, "times Java", log=True),
            )
        ],
        [Table("Times Java", ["records", *engines], lines), *_beside(store)],
        cut=store.cut("cereal"),
    )


def _beside(store: Store) -> list[Table]:
    """Returns the table that describes the records, from computed rows."""
    found = [
        row
        for row in store.rows("graphs")
        if str(row["case"]).startswith(RECORDS) and str(row["case"]).rpartition("/")[2].isdigit()
    ]
    lines = []
    for row in sorted(found, key=lambda row: (str(row["case"]).partition("-")[2].partition("/")[0], str(row["case"]))):
        records, objects = int(str(row["case"]).rpartition("/")[2]), int(row["objects"]) - 1
        lines.append(
            [
                str(row["case"]),
                f"{objects / records:.1f}",
                f"{(int(row['references']) - records) / objects:.2f}",
                f"{int(row['object_bytes']) / objects:.1f}",
            ]
        )
    return (
        [
            Table(
                "Records that Spark serialized beside those that stand for them",
                ["records", "objects a record", "references an object", "bytes an object"],
                lines,
            )
        ]
        if lines
        else []
    )


def figure_15(store: Store) -> Item:
    """Returns the figure of bandwidth on Spark's records."""
    title = "share of the memory's bandwidth on Spark's workloads"
    rows = _records(store)
    if not rows:
        return unmeasured("Figure 15", title, COMMAND)
    engines = columns(rows)
    data = {
        operation: {
            case: {engine: 100 * port_share(row) for engine, row in each.items()} for case, each in cases.items()
        }
        for operation, cases in both(rows).items()
    }
    lines = [
        [case, operation, *(f"{each[engine]:.1f} %" if engine in each else "" for engine in engines)]
        for operation, cases in data.items()
        for case, each in cases.items()
    ]
    units = {
        operation: {
            case: {engine: share for engine, share in each.items() if engine.startswith("hw")}
            for case, each in cases.items()
        }
        for operation, cases in data.items()
    }
    return Item(
        "Figure 15",
        title,
        [
            "The paper has only a picture: its units use much more of the bandwidth than software, and more to read "
            "than to write.",
            f"{KINDS} {machine_of(rows)}",
        ],
        [Plot("cereal-15", "Percent of what DRAM's port could have moved, by units", lambda: _bars(units, "percent"))],
        [Table("Share of the port", ["records", "operation", *engines], lines)],
        cut=store.cut("cereal"),
    )


def figure_16(store: Store) -> Item:
    """Returns the figure of packing."""
    title = "what packing saves"
    rows = [row for row in store.rows("graphs") if "packed_bytes" in row]
    if not rows:
        return unmeasured(
            "Figure 16",
            title,
            "make report",
            ["The sizes are computed from the graphs (`python -m study.report.graphs`), which needs `make classes`."],
        )
    data = {
        str(row["case"]): {
            "packed": 100 * int(row["packed_bytes"]) / int(row["plain_bytes"]),
            "and stripped": 100 * int(row["stripped_bytes"]) / int(row["plain_bytes"]),
        }
        for row in rows
    }
    lines = [
        [
            str(row["case"]),
            *(text.count(int(row[f"{name}_bytes"])) for name in ("plain", "packed", "stripped")),
            *(text.percent(1 - int(row[f"{name}_bytes"]) / int(row["plain_bytes"])) for name in ("packed", "stripped")),
        ]
        for row in rows
    ]
    for prefix in RECORDS:
        saved = [
            1 - int(row["packed_bytes"]) / int(row["plain_bytes"])
            for row in rows
            if str(row["case"]).startswith(prefix)
        ]
        if saved:
            lines.append([f"mean of {len(saved)}, `{prefix}`", "", "", "", text.percent(sum(saved) / len(saved)), ""])
    lines.append(["the paper's average of Spark's", "", "", "", text.percent(paper.PACKING), ""])
    return Item(
        "Figure 16",
        title,
        [
            "A stream that is not packed has references of 4 bytes and, for each object, a bitmap with a bit for "
            "each slot and a length of 4 bytes. The last column leaves out the marks, too.",
            "The format's writer in Python computes the sizes from the graphs; the figure has no times. References "
            "have 4 bytes here and 8 in the paper.",
        ],
        [Plot("cereal-16", "Percent of the stream that is not packed", lambda: _bars({"": data}, "percent"))],
        [
            Table(
                "Bytes",
                ["graph", "not packed", "packed", "header stripped", "saved by packing", "with header strip"],
                lines,
            )
        ],
    )

"""Figures 3, 10 and 11, tables II and IV: microbenchmarks."""

from __future__ import annotations

from statistics import mean
from typing import Callable

from heapwire.measure.rows import Row
from study.bench.rows import geometric_mean, port_share
from study.report import text
from study.report.cereal import paper
from study.report.cereal.common import COMMAND, DIFFERS, both, columns, largest, ratios, rows, shape, shared
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, machine_of

SOFTWARE = ("java", "kryo-generic", "kryo-manual")
BLOCK = 64
"""Bytes that the shared cache fetches on a miss."""


def figure_3(store: Store) -> Item:
    """Returns the figure of the core's behavior during serialization."""
    title = "software serializers on the microbenchmarks: instructions a cycle, cache misses, bandwidth, speed-up"
    found = [row for row in rows(store) if row["engine"] in SOFTWARE]
    if not found:
        return unmeasured("Figure 3", title, COMMAND)
    views: dict[str, tuple[str, Callable[[Row], float]]] = {
        "(a) instructions a cycle": ("{:.2f}", lambda row: int(row["instret"]) / int(row["cycles"])),
        "(b) misses of the shared cache in 1,000 instructions": (
            "{:.1f}",
            lambda row: 1000 * int(row.get("dram_read_bytes", 0)) / BLOCK / int(row["instret"]),
        ),
        "(c) share of DRAM's bandwidth": ("{:.3f}", port_share),
    }
    tables, plots = [], []
    for i, (label, (form, value)) in enumerate(views.items()):
        data = {
            operation: {case: {engine: value(row) for engine, row in cases.items()} for case, cases in each.items()}
            for operation, each in both(found).items()
        }
        lines = [
            [case, operation, *(form.format(each[engine]) if engine in each else "" for engine in columns(found))]
            for operation, cases in data.items()
            for case, each in cases.items()
        ]
        if i == 0:
            lines.append(
                [
                    "the paper's average",
                    "both",
                    *(f"{paper.IPC[engine]}" if engine in paper.IPC else "" for engine in columns(found)),
                ]
            )
        tables.append(Table(label, ["graph", "operation", *columns(found)], lines))
        plots.append(
            Plot(
                f"cereal-3{'abc'[i]}",
                label,
                lambda data=data, label=label: _bars(
                    {operation: {case: cases[case] for case in largest(cases)} for operation, cases in data.items()},
                    label,
                ),
            )
        )
    return Item(
        "Figure 3",
        title,
        [
            "The paper: on average 1.01 instructions a cycle for Java and 0.96 for Kryo, many misses, little "
            "bandwidth. Its (d), the speed-up of Kryo over Java, is part of figure 10 here.",
            f"{machine_of(found)} Pictures show the largest graph of each shape. (b) counts blocks fetched from DRAM. "
            "The paper's miss rate is misses over accesses; here nothing counts hits of the last cache.",
            DIFFERS,
        ],
        plots,
        tables,
        cut=store.cut("cereal"),
    )


def _bars(panels: dict, label: str, log: bool = False):
    from study.report import plots

    return plots.bars(panels, label, log)


def figure_10(store: Store) -> Item:
    """Returns the figure of speed-ups over Java."""
    title = "speed-up over Java serialization on the microbenchmarks"
    data = {operation: over for operation, found in both(rows(store)).items() if (over := ratios(found, "java"))}
    if not data:
        return unmeasured("Figure 10", title, COMMAND)
    engines = [engine for engine in columns(rows(store)) if engine != "java"]
    lines = [
        [case, operation, *(text.short(each.get(engine)) for engine in engines)]
        for operation, cases in data.items()
        for case, each in cases.items()
    ]
    for operation, cases in data.items():
        count, values = shared(cases)
        means = {engine: geometric_mean(each) for engine, each in values.items() if each}
        lines.append([f"geometric mean of {count}", operation, *(text.short(means.get(engine)) for engine in engines)])
        lines.append(
            [
                "the paper's average",
                operation,
                *(text.short(paper.SPEEDUPS.get((operation, engine))) for engine in engines),
            ]
        )
    plot = Plot(
        "cereal-10",
        "Times Java serialization, the largest graph of each shape, logarithmic",
        lambda: _bars(
            {operation: {case: cases[case] for case in largest(cases)} for operation, cases in data.items()},
            "times Java",
            log=True,
        ),
    )
    return Item(
        "Figure 10",
        title,
        [
            "The paper: Kryo writes 2.30 times and reads 52.3 times as fast as Java; Cereal, with eight units of "
            "each kind, 26.5 and 364.5 times.",
            f"{machine_of(rows(store))} `hw` is one unit of each kind; `hw-xN` are N units with a graph each (the "
            "cycles are those for one graph); `hw-vanilla` has neither pipelining nor block parallelism. A mean is "
            "over the graphs that all engines shown here have.",
            DIFFERS,
        ],
        [plot],
        [Table("Times Java", ["graph", "operation", *engines], lines)],
        cut=store.cut("cereal"),
    )


def figure_11(store: Store) -> Item:
    """Returns the figure of bandwidth."""
    title = "share of the memory's bandwidth on the microbenchmarks"
    found = rows(store)
    if not found:
        return unmeasured("Figure 11", title, COMMAND)
    data = {
        operation: {
            case: {engine: port_share(row) for engine, row in each.items() if int(row["cycles"])}
            for case, each in cases.items()
        }
        for operation, cases in both(found).items()
    }
    engines, lines = columns(found), []
    for operation, cases in data.items():
        lines += [
            [case, operation, *(text.percent(each.get(engine)) for engine in engines)] for case, each in cases.items()
        ]
        count, values = shared(cases)
        means = {engine: mean(each) for engine, each in values.items() if each}
        lines.append([f"mean of {count}", operation, *(text.percent(means.get(engine)) for engine in engines)])
        lines.append(
            [
                "the paper's average",
                operation,
                *(text.percent(paper.PORT.get((operation, engine))) for engine in engines),
            ]
        )
    plot = Plot(
        "cereal-11",
        "Percent of what DRAM's port could have moved, the largest graph of each shape",
        lambda: _bars(
            {
                operation: {
                    case: {engine: 100 * value for engine, value in cases[case].items()} for case in largest(cases)
                }
                for operation, cases in data.items()
            },
            "percent",
        ),
    )
    return Item(
        "Figure 11",
        title,
        [
            "The paper: Java 2.71 %, Kryo 4.12 %, Cereal 20.9 % (at most 74.5 %) to write; 3.48 %, 4.50 % and 31.1 % "
            "(at most 83.3 %) to read, of 76.8 GB/s.",
            f"{machine_of(found)} A share is the bytes that the shared cache fetched from DRAM and wrote back, over "
            "what DRAM's port could have moved. The cache holds small graphs, so writing them moves little.",
            "The mean is over the graphs that all engines shown here have.",
            "Here one unit has one small port to itself; in the paper eight units share four channels. So our shares "
            "are higher.",
        ],
        [plot],
        [Table("Share of the port", ["graph", "operation", *engines], lines)],
        cut=store.cut("cereal"),
    )


def table_2(store: Store) -> Item:
    """Returns the table of graphs."""
    title = "graphs of the microbenchmarks"
    cases = {
        str(row["case"]): int(row["object_bytes"])
        for row in rows(store)
        if row["op"] == "serialize" and row["engine"] in ("hw", "java")
    }
    if not cases:
        return unmeasured("Table II", title, COMMAND)
    return Item(
        "Table II",
        title,
        [
            "Names of our graphs end in the number of nodes. Graphs of the paper's size, up to 1.2 GB, fit into no "
            "board's memory ([bench_cereal.md](docs:../study/results/bench_cereal.md#graphs))."
        ],
        tables=[
            Table(
                "Graphs",
                ["graph", "bytes of objects", "the paper's"],
                [[case, text.count(size), paper.GRAPHS[shape(case)]] for case, size in cases.items()],
            )
        ],
        cut=store.cut("cereal"),
    )


def table_4(store: Store) -> Item:
    """Returns the table of stream sizes."""
    title = "bytes of a stream"
    found = both(rows(store)).get("serialize", {})
    engines = ("java", "kryo-generic", "kryo-manual", "cereal-sw")
    sizes = {
        case: {engine: int(each[engine]["wire_bytes"]) for engine in engines if engine in each}
        for case, each in found.items()
    }
    sizes = {case: each for case, each in sizes.items() if "java" in each and "cereal-sw" in each}
    if not sizes:
        return unmeasured("Table IV", title, COMMAND)

    def line(case: str, each: dict[str, int]) -> list[str]:
        java, kryo, cereal = paper.SIZES[shape(case)]
        return [
            case,
            *(text.count(each.get(engine)) for engine in engines),
            f"{each['cereal-sw'] / each['java']:.2f}",
            f"{cereal / java:.2f}",
            f"{each['kryo-generic'] / each['java']:.2f}" if "kryo-generic" in each else "",
            f"{kryo / java:.2f}",
        ]

    return Item(
        "Table IV",
        title,
        [
            "The ratios are of graphs of the same shape, not of the same size. The Java stream of the paper's sparse "
            "graph is as large as that of a narrow tree with 500 times as many nodes, as if the graph's arrays had "
            "4,095 elements, nearly all null. But the paper's table II says one edge, and our graphs have one."
        ],
        tables=[
            Table(
                "Bytes",
                ["graph", *engines, "cereal over java", "the paper's", "kryo-generic over java", "the paper's"],
                [line(*pair) for pair in sizes.items()],
            )
        ],
        cut=store.cut("cereal"),
    )

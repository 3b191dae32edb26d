"""The tables and figures of the Cereal paper as tables of the page of the suite `cereal`, with the paper's numbers
beside ours where its text has any."""

from __future__ import annotations

from statistics import mean
from typing import Sequence

from heapwire.cereal.numbers import FORMAT
from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, ONE, OPERATIONS, PEERS, SCALES, SOFTWARE, VANILLA, micro
from study.bench.cereal_bars import KRYO, of
from study.bench.objects.workload import Graph
from study.bench.rows import geometric_mean, in_all, port_share, speedups

BLOCK = 64
"""Bytes of a block of the shared cache."""
Section = tuple[str, str, list[str], list[list[str]]]
CONTEXT = (
    "The paper's Java ran on HotSpot, by reflection, on a core at 3.6 GHz; ours is compiled C on the same small core "
    "as the units."
)

PAPER_SIZES = {
    "tree-narrow": (23.0, 12.0, 16.1),
    "tree-wide": (148.6, 48.0, 80.0),
    "list-small": (8.0, 2.5, 16.0),
    "list-large": (59.4, 10.0, 47.8),
    "graph-sparse": (22.1, 10.8, 2.4),
    "graph-dense": (115.5, 51.1, 2.4),
}
"""Table IV: MB of Java, Kryo, Cereal."""
PAPER_SPEEDUPS = {
    ("micro", "serialize", "kryo"): 2.30,
    ("micro", "deserialize", "kryo"): 52.3,
    ("micro", "serialize", "hw"): 26.5,
    ("micro", "deserialize", "hw"): 364.5,
}
"""Over Java, section VI-B, with eight units of each kind."""
PAPER_SPARK = (7.97, 4.81, 1.67)
"""Cereal over Java, Cereal over Kryo, and Kryo over Java in Spark's programs, both ways together, section VI-D."""
PAPER_JSBS = (15.1, 43.4)
"""Over Kryo by hand, and over 88 libraries on average, section VI-C."""
PAPER_IPC = {"java": 1.01, "kryo-generic": 0.96}
"""Fig. 3(a), section III."""
PAPER_PORT = {
    ("serialize", "java"): 2.71,
    ("serialize", "kryo-generic"): 4.12,
    ("serialize", SCALES[8]): 20.9,
    ("deserialize", "java"): 3.48,
    ("deserialize", "kryo-generic"): 4.50,
    ("deserialize", SCALES[8]): 31.1,
}
"""Percent of DRAM's bandwidth, section VI-B: means."""
PAPER_PORT_BEST = {"serialize": 74.5, "deserialize": 83.3}
"""The largest percentage of a benchmark, by Cereal."""
NO_BARS = "The paper prints no number for a single bar of it"


def tables(rows: list[Row], graphs: Sequence[Graph]) -> list[Section]:
    """Returns title, text, head and lines of each table. rows: measured and right rows."""
    return [
        _sizes(rows),
        _software(rows),
        _speedups(rows),
        _shapes(rows),
        _port(rows),
        _jsbs(rows),
        _spark_port(rows),
        _compression(graphs),
    ]


def _ratio(value: float | None) -> str:
    return f"{value:.2f}" if value else ""


def _sizes(rows: list[Row]) -> Section:
    """Returns the table for table IV."""
    engines = ("java", "kryo-generic", "kryo-manual", "cereal-sw")
    bytes_of = {
        (row["case"], row["engine"]): int(row["wire_bytes"])
        for row in rows
        if row["op"] == "serialize" and row["wire_bytes"]
    }
    lines = []
    for case in dict.fromkeys(case for case, engine in bytes_of if engine in engines):
        java, kryo, _, cereal = (bytes_of.get((case, engine), 0) for engine in engines)
        paper = PAPER_SIZES.get(str(case).split("/")[0])
        lines.append(
            [
                str(case),
                *(f"{bytes_of[case, engine]:,}" if (case, engine) in bytes_of else "" for engine in engines),
                *(_ratio(found / java if java else None) for found in (kryo, cereal)),
                *(
                    (f"{paper[0]}; {paper[1]}; {paper[2]}", _ratio(paper[1] / paper[0]), _ratio(paper[2] / paper[0]))
                    if paper
                    else ("", "", "")
                ),
            ]
        )
    return (
        "Table IV: bytes of a stream",
        "Beside the paper's, which are of its larger graphs, in MB. Its sparse and dense graphs have 2.4 MB both, of a "
        "graph with 4,096 edges and one with 16.8 "
        "million: they cannot be the graphs of its table II.",
        [
            "case",
            *PEERS,
            "cereal",
            "Kryo over Java",
            "Cereal over Java",
            "paper: MB of Java, Kryo, Cereal",
            "paper: Kryo over Java",
            "paper: Cereal over Java",
        ],
        lines,
    )


def _software(rows: list[Row]) -> Section:
    """Returns the table for fig. 3."""
    engines = PEERS[:2]
    lines = []
    for operation in OPERATIONS:
        mine = {(row["case"], row["engine"]): row for row in of(rows, operation)}
        for case in dict.fromkeys(case for case, engine in mine if engine in engines):
            found = [mine.get((case, engine)) for engine in engines]
            lines.append(
                [
                    str(case),
                    operation,
                    *(f"{int(row['instret']) / int(row['cycles']):.2f}" if row else "" for row in found),
                    *(
                        f"{1000 * int(row.get('dram_read_bytes', 0)) / BLOCK / int(row['instret']):.2f}"
                        if row and int(row["instret"])
                        else ""
                        for row in found
                    ),
                    *(f"{100 * port_share(row):.1f} %" if row else "" for row in found),
                    _ratio(int(found[0]["cycles"]) / int(found[1]["cycles"]) if all(found) else None),
                ]
            )
    if lines:
        means = [
            mean(int(row["instret"]) / int(row["cycles"]) for row in micro(rows) if row["engine"] == engine)
            if any(row["engine"] == engine for row in micro(rows))
            else None
            for engine in engines
        ]
        lines += [
            ["mean", "", *map(_ratio, means), "", "", "", "", ""],
            ["the paper's mean", "", *(str(PAPER_IPC[engine]) for engine in engines), "", "", "", "", ""],
        ]
    return (
        "Figure 3: serialization by software",
        "Instructions a cycle; blocks of 64 bytes that the shared cache fetches from DRAM, for 1,000 instructions; "
        "share of the port; Kryo over Java. "
        f"{NO_BARS}: of (a) it has the means, of (b), the misses, (c), the bandwidth, and (d), Kryo's speed-up, which "
        "it calls marginal, nothing. Its core issues several instructions a cycle, ours one.",
        [
            "case",
            "operation",
            *(f"IPC {engine}" for engine in engines),
            *(f"misses {engine}" for engine in engines),
            *(f"port {engine}" for engine in engines),
            "Kryo over Java",
        ],
        lines,
    )


def _speedups(rows: list[Row]) -> Section:
    lines = []
    sets = (
        ("micro", list(micro(rows))),
        ("jsbs", [row for row in rows if row["case"] == MEDIA]),
        ("spark", [row for row in rows if str(row["case"]).startswith("spark-")]),
    )
    for name, mine in sets:
        for operation in OPERATIONS:
            here = [row for row in mine if row["op"] == operation]
            over = [
                speedups(here, peers, engine)
                for peers, engine in (
                    (("java",), "kryo-generic"),
                    (("java",), "kryo-manual"),
                    (("java",), "cereal-sw"),
                    (("java",), ONE),
                    (("java",), SCALES[8]),
                    (KRYO, ONE),
                    ((VANILLA,), ONE),
                )
            ]
            means = [geometric_mean(list(found.values())) if found else None for found in in_all(over)]
            if any(means):
                paper = [PAPER_SPEEDUPS.get((name, operation, engine)) for engine in ("kryo", "hw")]
                lines.append(
                    [name, operation, *map(_ratio, means), *(f"{value:g}" if value else "" for value in paper)]
                )
    return (
        "Speed-ups",
        f"Geometric means. {CONTEXT} Its units were eight of each kind. In Spark's programs it was {PAPER_SPARK[0]} "
        f"times Java and {PAPER_SPARK[1]} times Kryo, "
        f"which was {PAPER_SPARK[2]} times Java, both ways together (figure 13).",
        [
            "set",
            "operation",
            "kryo-generic over java",
            "kryo-manual over java",
            "cereal-sw over java",
            "hw over java",
            "hw-x8 over java",
            "hw over the best Kryo",
            "hw over hw-vanilla",
            "paper: Kryo over Java",
            "paper: Cereal over Java",
        ],
        lines,
    )


def _shapes(rows: list[Row]) -> Section:
    """Returns the table for fig. 10."""
    engines = ("kryo-generic", "kryo-manual", VANILLA, ONE, SCALES[8])
    lines = []
    for operation in OPERATIONS:
        over = {engine: speedups(of(rows, operation), ("java",), engine) for engine in engines}
        for case in dict.fromkeys(case for found in over.values() for case in found):
            lines.append([case, operation, *(_ratio(over[engine].get(case)) for engine in engines)])
        if any(over.values()):
            lines.append(
                [
                    "geometric mean",
                    operation,
                    *(_ratio(geometric_mean(list(each.values())) if each else None) for each in in_all(over.values())),
                ]
            )
            kryo, cereal = (f"{PAPER_SPEEDUPS['micro', operation, engine]:g}" for engine in ("kryo", "hw"))
            lines.append(["the paper's mean", operation, kryo, "", "", "", cereal])
    return (
        "Figure 10: times Java serialization",
        f"{NO_BARS}; its means are beside ours. {CONTEXT}",
        ["case", "operation", *engines],
        lines,
    )


def _port(rows: list[Row]) -> Section:
    """Returns the table for fig. 11."""
    engines = (*SOFTWARE, VANILLA, *SCALES.values())
    lines = []
    for operation in OPERATIONS:
        mine = of(rows, operation)
        cells = {(row["case"], row["engine"]): port_share(row) for row in mine if int(row["cycles"])}
        for case in dict.fromkeys(str(row["case"]) for row in mine):
            lines.append(
                [
                    case,
                    operation,
                    *(f"{100 * cells[case, engine]:.1f} %" if (case, engine) in cells else "" for engine in engines),
                ]
            )
        if mine:
            of_engines = in_all(
                {case: value for (case, engine), value in cells.items() if engine == wanted} for wanted in engines
            )
            shares = [list(each.values()) for each in of_engines]
            for name, of_all in (("mean", mean), ("largest", max)):
                lines.append([name, operation, *(f"{100 * of_all(found):.1f} %" if found else "" for found in shares)])
            lines.append(
                [
                    "the paper's mean",
                    operation,
                    *(
                        f"{PAPER_PORT[operation, engine]} %" if (operation, engine) in PAPER_PORT else ""
                        for engine in engines
                    ),
                ]
            )
            lines.append(
                [
                    "the paper's largest",
                    operation,
                    *(f"{PAPER_PORT_BEST[operation]} %" if engine == SCALES[8] else "" for engine in engines),
                ]
            )
    return (
        "Figure 11: share of the port",
        f"{NO_BARS}; its means and Cereal's largest are beside ours, of DRAM's 76.8 GB/s. Bytes that the shared "
        "cache fetched from DRAM and wrote back, over what DRAM's port could have moved.",
        ["case", "operation", *engines],
        lines,
    )


def _jsbs(rows: list[Row]) -> Section:
    """Returns the table for fig. 12."""
    cycles: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["case"] == MEDIA:
            cycles.setdefault(str(row["engine"]), {})[str(row["op"])] = int(row["cycles"])
    both = {engine: sum(found.values()) for engine, found in cycles.items() if set(found) == set(OPERATIONS)}
    lines = [
        [
            engine,
            *(f"{cycles[engine][operation]:,}" for operation in OPERATIONS),
            f"{total:,}",
            _ratio(total / both[ONE] if ONE in both else None),
            str(PAPER_JSBS[0]) if engine == "kryo-manual" else "",
        ]
        for engine, total in both.items()
    ]
    return (
        "Figure 12: MediaContent of jvm-serializers",
        f"Cycles, and how many times those of `{ONE}` that is, both ways together. The paper has 88 libraries, and "
        f"Cereal at {PAPER_JSBS[1]} times them on average; "
        f"{NO_BARS[0].lower()}{NO_BARS[1:]} but Kryo's by hand, its fastest.",
        ["engine", *OPERATIONS, "both", f"times `{ONE}`", "the paper's"],
        lines,
    )


def _spark_port(rows: list[Row]) -> Section:
    """Returns the table for fig. 15."""
    engines = (*SOFTWARE, VANILLA, *SCALES.values())
    cells = {
        (row["case"], row["op"], row["engine"]): port_share(row)
        for row in rows
        if str(row["case"]).startswith("spark-") and int(row["cycles"])
    }
    lines = [
        [
            str(case),
            str(operation),
            *(
                f"{100 * cells[case, operation, engine]:.1f} %" if (case, operation, engine) in cells else ""
                for engine in engines
            ),
        ]
        for case, operation in dict.fromkeys((case, operation) for case, operation, _ in cells)
    ]
    return (
        "Figure 15: share of the port, records of Spark's programs",
        f"As in figure 11. {NO_BARS}, and no mean.",
        ["case", "operation", *engines],
        lines,
    )


def _plain(graph: Graph) -> int:
    """Returns the bytes of the stream without any packing."""
    return FORMAT.header_size + graph.header.values + 4 * graph.references + graph.unpacked_layouts


def _compression(graphs: Sequence[Graph]) -> Section:
    """Returns the table for fig. 16."""
    lines = []
    for graph in graphs:
        plain, packed, stripped = _plain(graph), len(graph.stream), graph.stripped
        lines.append(
            [
                graph.name,
                f"{plain:,}",
                f"{packed:,}",
                f"{stripped:,}",
                f"{100 * (1 - packed / plain):.1f} %",
                f"{100 * (1 - stripped / plain):.1f} %",
            ]
        )
    saved = [1 - len(graph.stream) / _plain(graph) for graph in graphs if graph.name.startswith("spark-")]
    if saved:
        lines += [
            ["mean of Spark's records", "", "", "", f"{100 * mean(saved):.1f} %", ""],
            ["the paper's mean, Spark", "", "", "", "28.3 %", ""],
        ]
    return (
        "Figure 16: compression",
        f"{NO_BARS}. Streams with references of 4 bytes and a bitmap of a bit a slot with its length of 4 bytes an "
        "object; packed; "
        "packed, and without marks.",
        ["case", "not packed", "packed", "header stripped", "saved by packing", "with header strip"],
        lines,
    )

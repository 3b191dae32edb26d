"""What the page of the suite `cereal` has beside the tables of every suite: the paper's tables and figures, with its own numbers beside ours."""
from __future__ import annotations

from statistics import mean
from typing import Sequence

from heapwire.bench.cereal import MEDIA, OPERATIONS, ONE, PEERS, SCALES, SERIES, SOFTWARE, VANILLA, micro
from heapwire.bench.cereal_bars import KRYO, gains, of, share
from heapwire.bench.objects.workload import Graph
from heapwire.bench.rows import Row, geometric_mean, speedups
from heapwire.bench.shares import section as shares_section
from heapwire.cereal.numbers import FORMAT

BLOCK = 64
"""Bytes of a block of the shared cache."""
Section = tuple[str, str, list[str], list[list[str]]]
CONTEXT = "The paper's Java ran on HotSpot, by reflection, on a core at 3.6 GHz; ours is compiled C on the same small core as the units."

PAPER_SIZES = {"tree-narrow": (23.0, 12.0, 16.1), "tree-wide": (148.6, 48.0, 80.0), "list-small": (8.0, 2.5, 16.0),
               "list-large": (59.4, 10.0, 47.8), "graph-sparse": (22.1, 10.8, 2.4), "graph-dense": (115.5, 51.1, 2.4)}
"""Table IV: MB of Java, Kryo, Cereal."""
PAPER_SPEEDUPS = {("micro", "serialize", "kryo"): 2.30, ("micro", "deserialize", "kryo"): 52.3, ("micro", "serialize", "hw"): 26.5,
                  ("micro", "deserialize", "hw"): 364.5}
"""Over Java, section VI-B; of eight units of each kind."""
PAPER_SPARK = (7.97, 4.81)
"""Cereal over Java and over Kryo in Spark's programs, both ways, section VI-D."""
PAPER_JSBS = 15.1
"""Over Kryo by hand, section VI-C."""
PAPER_PORT = {("serialize", "java"): 2.71, ("serialize", "kryo-generic"): 4.12, ("serialize", SCALES[8]): 20.9,
              ("deserialize", "java"): 3.48, ("deserialize", "kryo-generic"): 4.50, ("deserialize", SCALES[8]): 31.1}
"""Percent of DRAM's bandwidth, section VI-B."""


def sections(rows: list[Row], graphs: Sequence[Graph] = ()) -> list[Section]:
    """Title, text, head and lines of each table."""
    found = [_cases(graphs), _sizes(rows), _speedups(rows), _port(rows), _compression(graphs), _scaling(rows), _memory(rows),
             shares_section([row for row in rows if row["engine"] in (ONE, VANILLA) and row["op"] in OPERATIONS])]
    return [section for section in found if section[3]]


def _cases(graphs: Sequence[Graph]) -> Section:
    paper = {series.name: series.paper for series in SERIES}
    return ("Graphs", "Names end in nodes, or records. Objects are those that are reached, arrays and strings among them.",
            ["case", "objects", "references", "bytes of objects", "the paper's"],
            [[graph.name, f"{graph.objects:,}", f"{graph.references:,}", f"{graph.heap_bytes:,}", paper.get(graph.name.split("/")[0], "")]
             for graph in graphs])


def _cell(row: Row | None, name: str) -> str:
    return f"{int(row[name]):,}" if row else ""


def _sizes(rows: list[Row]) -> Section:
    """Table IV."""
    by = {(row["case"], row["engine"]): row for row in rows if row["op"] == "serialize"}
    lines = []
    for case in dict.fromkeys(str(row["case"]) for row in rows if row["op"] == "serialize"):
        found = [by.get((case, engine)) for engine in (*PEERS, "cereal-sw")]
        ratio = int(found[3]["wire_bytes"]) / int(found[0]["wire_bytes"]) if found[0] and found[3] else None
        paper = PAPER_SIZES.get(case.split("/")[0])
        lines.append([case, *(_cell(row, "wire_bytes") for row in found), f"{ratio:.2f}" if ratio else "", f"{paper[2] / paper[0]:.2f}" if paper else ""])
    return ("Bytes of a stream", "As in the paper's table IV; the last columns are Cereal's size over Java's, here and there.",
            ["case", *PEERS, "cereal", "over java", "the paper's"], lines)


def _speedups(rows: list[Row]) -> Section:
    lines = []
    rows = [row for row in rows if row["ok"]]
    sets = (("micro", list(micro(rows))), ("jsbs", [row for row in rows if row["case"] == MEDIA]),
            ("spark", [row for row in rows if str(row["case"]).startswith("spark-")]))
    for name, mine in sets:
        for operation in OPERATIONS:
            here = [row for row in mine if row["op"] == operation]
            means = [geometric_mean(list(found.values())) if (found := speedups(here, peers, engine)) else None
                     for peers, engine in ((("java",), "kryo-generic"), (("java",), "kryo-manual"), (("java",), "cereal-sw"), (("java",), ONE),
                                           (("java",), SCALES[8]), (KRYO, ONE), ((VANILLA,), ONE))]
            if any(means):
                paper = [PAPER_SPEEDUPS.get((name, operation, engine)) for engine in ("kryo", "hw")]
                lines.append([name, operation, *(f"{value:.2f}" if value else "" for value in means), *(f"{value:g}" if value else "" for value in paper)])
    return ("Speed-ups", f"Geometric means. {CONTEXT} Its units were eight of each kind. In JSBS it was {PAPER_JSBS} times Kryo by hand, in Spark's programs "
            f"{PAPER_SPARK[0]} times Java and {PAPER_SPARK[1]} times Kryo, both ways together.",
            ["set", "operation", "kryo-generic over java", "kryo-manual over java", "cereal-sw over java", "hw over java", "hw-x8 over java",
             "hw over the best Kryo", "hw over hw-vanilla", "paper: Kryo over Java", "paper: Cereal over Java"], lines)


def _moved(row: Row) -> float:
    """Of the port, what units moved; of software, what went between cache and DRAM."""
    if str(row["engine"]).startswith(ONE):
        return share(row)
    return (int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0))) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))


def _port(rows: list[Row]) -> Section:
    """Fig. 11."""
    engines = (*SOFTWARE, VANILLA, *SCALES.values())
    lines = []
    for operation in OPERATIONS:
        mine = of(rows, operation)
        cells = {(row["case"], row["engine"]): _moved(row) for row in mine if int(row["cycles"])}
        for case in dict.fromkeys(str(row["case"]) for row in mine):
            lines.append([case, operation, *(f"{100 * cells[case, engine]:.1f} %" if (case, engine) in cells else "" for engine in engines)])
        if mine:
            means = [[value for (_, engine), value in cells.items() if engine == wanted] for wanted in engines]
            lines.append(["mean", operation, *(f"{100 * mean(found):.1f} %" if found else "" for found in means)])
            lines.append(["the paper's mean", operation, *(f"{PAPER_PORT[operation, engine]} %" if (operation, engine) in PAPER_PORT else "" for engine in engines)])
    return ("Share of the port", "As in the paper's fig. 11. Bytes over what the memory port could have moved: of units, all that they read and wrote; of software, "
            "what the shared cache fetched from DRAM and wrote back.", ["case", "operation", *engines], lines)


def _compression(graphs: Sequence[Graph]) -> Section:
    """Fig. 16."""
    lines = []
    for graph in graphs:
        header = graph.header
        plain = FORMAT.header_size + header.values + 4 * graph.references + graph.unpacked_layouts
        packed, stripped = len(graph.stream), graph.stripped
        lines.append([graph.name, f"{plain:,}", f"{packed:,}", f"{stripped:,}", f"{100 * (1 - packed / plain):.1f} %", f"{100 * (1 - stripped / plain):.1f} %"])
    return ("Compression", "As in the paper's fig. 16: streams with references of 4 bytes and a bitmap of a bit a slot with its length of 4 bytes an object; packed; "
            "packed, and without marks. The paper's packing saves 28.3 % on average in Spark's programs.",
            ["case", "not packed", "packed", "header stripped", "saved by packing", "with header strip"], lines)


def _scaling(rows: list[Row]) -> Section:
    lines = []
    for operation in OPERATIONS:
        mine = {(row["case"], row["engine"]): row for row in of(rows, operation)}
        gain = {engine: gains(rows, operation, engine) for engine in SCALES.values()}
        for case in dict.fromkeys(case for case, _ in mine):
            found = [mine.get((case, engine)) for engine in SCALES.values()]
            if not any(found[1:]):
                continue
            lines.append([str(case), operation, *(_cell(row, "cycles") for row in found),
                          *(f"{gain[engine][case]:.2f}" if case in gain[engine] else "" for engine in list(SCALES.values())[1:]),
                          *(f"{100 * share(row):.0f} %" if row else "" for row in found)])
    return ("Several units", "Cycles a graph, of independent graphs, one for each unit, by a context each; how many times one unit that is; the share of the port.",
            ["case", "operation", *(f"{units} unit{'s' if units > 1 else ''}" for units in SCALES), *(f"x{units}" for units in list(SCALES)[1:]),
             *(f"port, {units}" for units in SCALES)], lines)


def _memory(rows: list[Row]) -> Section:
    """What stands behind the port: where graphs are larger than the shared cache, DRAM is what bounds a unit that walks them."""
    lines = []
    for row in rows:
        moved = int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0))
        if not str(row["engine"]).startswith(ONE) or row["op"] not in OPERATIONS or not moved:
            continue
        lines.append([str(row["case"]), str(row["op"]), str(row["engine"]), *(f"{int(row.get(name, 0)):,}" for name in ("object_bytes", "read_bytes", "write_bytes", "dram_read_bytes",
                      "dram_write_bytes")), f"{int(row['cycles']) * BLOCK / moved:.1f}"])
    return ("Memory", "Bytes that units read and wrote, and that the shared cache fetched from DRAM and wrote back meanwhile; cycles for each of its blocks of 64 bytes. The copy "
            "unit takes 4.6 for blocks in order; the suite `memory` has what blocks in no order take (`gather`).",
            ["case", "operation", "engine", "objects", "unit reads", "unit writes", "DRAM to cache", "cache to DRAM", "cycles a block"], lines)

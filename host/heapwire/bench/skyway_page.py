"""What the page of the suite `skyway` has beside the tables of every suite: the paper's figures, with its own numbers beside ours."""
from __future__ import annotations

from typing import Sequence

from heapwire.bench.cereal import SKYWAY, SKYWAY_HW
from heapwire.bench.objects.workload import Graph
from heapwire.bench.rows import Row, geometric_mean
from heapwire.bench.skyway import ENGINES, SHUFFLE, both_ways, is_bulk, times
from heapwire.shuffle import TIMES
from heapwire.skyway.classes import Layout
from heapwire.skyway.stream import HEAD, HEADER, tops_bytes

Section = tuple[str, str, list[str], list[list[str]]]
PLAIN, OWN = Layout(8, 16), Layout()
PEERS = ENGINES[:ENGINES.index(SKYWAY)]


def sections(rows: list[Row], graphs: Sequence[Graph] = ()) -> list[Section]:
    """Title, text, head and lines of each table."""
    found = [_together(rows), _sizes(rows), _extra(graphs), _memory(graphs), _normalized(rows), _split(rows)]
    return [section for section in found if section[3]]


def _together(rows: list[Row]) -> Section:
    cycles = both_ways(rows)
    over = {**{f"over {peer}": times(rows, peer, SKYWAY) for peer in PEERS}, f"{SKYWAY_HW} over {SKYWAY}": times(rows, SKYWAY, SKYWAY_HW)}
    lines = [[case, *(f"{found[engine]:,}" if engine in found else "" for engine in ENGINES),
              *(f"{ratios[case]:.2f}" if case in ratios else "" for ratios in over.values())] for case, found in cycles.items()]
    bulk = {str(row["case"]) for row in rows if is_bulk(row)}
    means = [[ratio for case, ratio in ratios.items() if case in bulk] for ratios in over.values()]
    if lines:
        lines.append(["bulk graphs, geometric mean", *[""] * len(ENGINES), *(f"{geometric_mean(mean):.2f}" if mean else "" for mean in means)])
    return ("Both ways together", f"Cycles to write and to read, and how many times as fast `{SKYWAY}` is as each peer, and `{SKYWAY_HW}` as it. The paper's, on JSBS: 2.2 times Kryo by hand, 67.3 times Java "
            "serialization.", ["case", *ENGINES, *over], lines)


def _sizes(rows: list[Row]) -> Section:
    bytes_of: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["op"] == "serialize" and row["ok"]:
            bytes_of.setdefault(str(row["case"]), {})[str(row["engine"])] = int(row["wire_bytes"])
    return ("Bytes on the wire", "Of a stream with one root. The paper: Skyway's are 1.77 times those of Kryo by hand and 1.0 times Java serialization's in Spark.",
            ["case", *ENGINES, "over kryo-manual", "over java"],
            [[case, *(f"{found[engine]:,}" if engine in found else "" for engine in ENGINES),
              *(f"{found[SKYWAY] / found[peer]:.2f}" if SKYWAY in found and peer in found else "" for peer in ("kryo-manual", "java"))] for case, found in bytes_of.items()])


def parts(graph: Graph) -> dict[str, int]:
    """Bytes of a Skyway buffer: of headers (marks, type ids, lengths, metadata), references, padding, and what is left, values; and those of the
    stream's own words."""
    found = dict.fromkeys(("headers", "pointers", "padding", "values"), 0)
    for each in graph.reached:
        pointers = 4 * sum(1 for _ in each.references())
        body = each.length << each.cls.shift if each.cls.is_array else graph.klasses[each.cls.name].bytes
        found["headers"] += OWN.body(each.cls)
        found["pointers"] += pointers
        found["padding"] += OWN.size(each.cls, each.length) - OWN.body(each.cls) - body
        found["values"] += body - pointers
    found["stream"] = HEADER.size + 2 * HEAD.size + tops_bytes(1)
    return found


def _extra(graphs: Sequence[Graph]) -> Section:
    """What the paper's section 5.2 breaks down."""
    lines = []
    for graph in graphs:
        found = parts(graph)
        extra = found["headers"] + found["pointers"] + found["padding"]
        lines.append([graph.name, f"{sum(found.values()):,}", *(f"{found[name]:,}" for name in ("values", "headers", "pointers", "padding", "stream")),
                      *(f"{100 * found[name] / extra:.0f} %" for name in ("headers", "padding", "pointers"))])
    return ("Extra bytes", "Of a Skyway buffer: values, and what no other serializer sends; shares of that. The paper, of Spark's: headers 51 %, padding 34 %, pointers 15 %. Here headers have 16 bytes "
            "and arrays 24, 8 of them the metadata.",
            ["case", "bytes", "values", "headers", "pointers", "padding", "the stream's words", "headers of the extra", "padding", "pointers"], lines)


def _memory(graphs: Sequence[Graph]) -> Section:
    """What the metadata field costs, as the paper's section 5.2 reports its baddr."""
    lines = []
    for graph in graphs:
        plain, own = (sum(layout.size(each.cls, each.length) for each in graph.reached) for layout in (PLAIN, OWN))
        lines.append([graph.name, f"{graph.objects:,}", f"{plain:,}", f"{own:,}", f"{100 * (own / plain - 1):.1f} %"])
    return ("Memory of the metadata field", "Bytes of the graph's objects without it and with it, 8 bytes an object, which Cereal and Skyway share. The paper's heaps grow by 2.1 to 21.8 %, "
            "where a header has 16 bytes of its own.", ["case", "objects", "without", "with", "more"], lines)


COLUMNS = {"overall": "cycles", "ser": "serialize_cycles", "write": "write_cycles", "des": "deserialize_cycles", "read": "read_cycles", "size": "wire_bytes"}
PAPER = {"kryo-manual": (0.76, 0.59, 0.61, 0.26, 0.02, 0.52), SKYWAY: (0.64, 0.62, 0.97, 0.16, 0.02, 1.15)}
"""Table 2: geometric means, normalized to Java serialization."""


def _programs(rows: list[Row]) -> dict[str, dict[str, Row]]:
    """By case, then by engine: rows of programs that are right."""
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        if row["op"] == SHUFFLE and row["ok"]:
            found.setdefault(str(row["case"]), {})[str(row["engine"])] = row
    return found


def _normalized(rows: list[Row]) -> Section:
    programs, lines = _programs(rows), []
    for engine in ENGINES[1:]:
        pairs = [(found[engine], found["java"]) for found in programs.values() if engine in found and "java" in found]
        if not pairs:
            continue
        cells = []
        for name in COLUMNS.values():
            ratios = [int(row[name]) / int(java[name]) for row, java in pairs if int(row[name]) and int(java[name])]
            cells.append(f"{min(ratios):.2f} to {max(ratios):.2f} ({geometric_mean(ratios):.2f})" if ratios else "")
        lines.append([engine, *cells])
        if engine in PAPER:
            lines.append([f"the paper's {'Skyway' if engine == SKYWAY else 'Kryo'}", *(f"({value})" for value in PAPER[engine])])
    return ("Programs that shuffle, normalized", "As in the paper's table 2: over Java serialization, the range over the programs and the geometric mean.", ["engine", *COLUMNS], lines)


def _split(rows: list[Row]) -> Section:
    """Fig. 8's bars, as numbers."""
    lines = []
    for case, found in _programs(rows).items():
        for engine in ENGINES:
            if engine not in found:
                continue
            row = found[engine]
            total = int(row["cycles"])
            s_d, transfer = (sum(int(row[f"{name}_cycles"]) for name in names) for names in (("serialize", "deserialize"), ("write", "read")))
            lines.append([case, engine, f"{total:,}", *(f"{int(row[f'{name}_cycles']):,}" for name in TIMES), f"{100 * s_d / total:.0f} %", f"{100 * transfer / total:.1f} %",
                          f"{int(row['wire_bytes']):,}", str(row["phases"]), str(row["roots"])])
    return ("Where the programs' time goes", "Cycles of two workers that take turns on one machine. Collections count as such wherever they happen. Write and read are copies by the core, "
            "out of one worker's memory and into the other's: what the bytes cost without a line.",
            ["case", "engine", "all", *TIMES, "S/D", "transfer", "bytes", "phases", "roots"], lines)

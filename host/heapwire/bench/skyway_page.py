"""The tables of the page of the suite `skyway` that other suites do not have: the paper's figures, with its numbers
beside ours."""

from __future__ import annotations

from typing import Sequence

from heapwire.bench.cereal import MEDIA, SKYWAY, SKYWAY_HW
from heapwire.bench.fitted import section as fitted_section
from heapwire.bench.objects.workload import Graph
from heapwire.bench.rows import Row, geometric_mean, is_fitted
from heapwire.bench.skyway import ENGINES, SHUFFLE, both_ways, is_bulk, times
from heapwire.shuffle import TIMES
from heapwire.skyway.formats import Format
from heapwire.skyway.stream import HEAD, HEADER, tops_bytes

Section = tuple[str, str, list[str], list[list[str]]]
PLAIN, OWN = Format(8, 16), Format()
PEERS = ENGINES[: ENGINES.index(SKYWAY)]
OWN_ENGINES = (SKYWAY, SKYWAY_HW)
PAPER_JSBS = {"kryo-manual": "2.2", "java": "more than 67"}
"""Both ways, over Skyway."""


def sections(rows: list[Row], graphs: Sequence[Graph] = ()) -> list[Section]:
    """Returns title, text, head and lines of each table. Wrong rows are in none of them."""
    measured = [row for row in rows if row["ok"] and not is_fitted(row)]
    found = [
        _together(measured),
        _jsbs(measured),
        _sizes(measured),
        _extra(graphs),
        _memory(graphs),
        _normalized(measured),
        _spark(measured),
        _split(measured),
        fitted_section(rows, graphs),
    ]
    return [section for section in found if section[3]]


def _together(rows: list[Row]) -> Section:
    cycles = both_ways(rows)
    over = {
        **{f"over {peer}": times(rows, peer, SKYWAY) for peer in PEERS},
        f"{SKYWAY_HW} over {SKYWAY}": times(rows, SKYWAY, SKYWAY_HW),
    }
    lines = [
        [
            case,
            *(f"{found[engine]:,}" if engine in found else "" for engine in ENGINES),
            *(f"{ratios[case]:.2f}" if case in ratios else "" for ratios in over.values()),
        ]
        for case, found in cycles.items()
    ]
    bulk = {str(row["case"]) for row in rows if is_bulk(row)}
    means = [[ratio for case, ratio in ratios.items() if case in bulk] for ratios in over.values()]
    if lines:
        lines.append(
            [
                "bulk graphs, geometric mean",
                *[""] * len(ENGINES),
                *(f"{geometric_mean(mean):.2f}" if mean else "" for mean in means),
            ]
        )
    return (
        "Both ways together",
        f"Cycles to write and to read, and how many times as fast `{SKYWAY}` is as each peer, and `{SKYWAY_HW}` as it. "
        "Bulk: all but MediaContent.",
        ["case", *ENGINES, *over],
        lines,
    )


def _jsbs(rows: list[Row]) -> Section:
    """Returns the table for section 5.1, fig. 7."""
    cycles = both_ways(rows).get(MEDIA, {})
    bytes_of = {
        row["engine"]: int(row["wire_bytes"])
        for row in rows
        if row["case"] == MEDIA and row["op"] == "serialize" and row["ok"]
    }
    lines = [
        [
            engine,
            f"{cycles[engine]:,}",
            *(f"{cycles[engine] / cycles[own]:.2f}" if own in cycles else "" for own in OWN_ENGINES),
            PAPER_JSBS.get(engine, ""),
            f"{bytes_of.get(engine, 0):,}",
        ]
        for engine in ENGINES
        if engine in cycles
    ]
    return (
        "Section 5.1: MediaContent of jvm-serializers",
        f"Cycles of both ways, and how many times those of `{SKYWAY}` and of `{SKYWAY_HW}` that is; bytes. The paper's "
        "Skyway is the fastest of 91 libraries, 1.5 times as "
        "fast as the next, Colfer, which is not here, and sends half as many bytes again as the others on average. "
        "Figure 7's bars have no numbers in its text, nor has what the network took.",
        ["engine", "both ways", *(f"over {own}" for own in OWN_ENGINES), "the paper's, over Skyway", "bytes"],
        lines,
    )


def _sizes(rows: list[Row]) -> Section:
    bytes_of: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["op"] == "serialize" and row["ok"]:
            bytes_of.setdefault(str(row["case"]), {})[str(row["engine"])] = int(row["wire_bytes"])
    return (
        "Bytes on the wire",
        "Of a stream with one root. The paper: Skyway's are 1.77 times those of Kryo by hand and 1.0 times Java "
        "serialization's in Spark.",
        ["case", *ENGINES, "over kryo-manual", "over java"],
        [
            [
                case,
                *(f"{found[engine]:,}" if engine in found else "" for engine in ENGINES),
                *(
                    f"{found[SKYWAY] / found[peer]:.2f}" if SKYWAY in found and peer in found else ""
                    for peer in ("kryo-manual", "java")
                ),
            ]
            for case, found in bytes_of.items()
        ],
    )


def parts(graph: Graph) -> dict[str, int]:
    """Returns the bytes of a Skyway buffer by kind: headers (marks, type ids, lengths, metadata), references, padding,
    values (the rest of the objects), and the stream's own words."""
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
    """Returns the table for the breakdown in the paper's section 5.2."""
    lines = []
    for graph in graphs:
        found = parts(graph)
        extra = found["headers"] + found["pointers"] + found["padding"]
        lines.append(
            [
                graph.name,
                f"{sum(found.values()):,}",
                *(f"{found[name]:,}" for name in ("values", "headers", "pointers", "padding", "stream")),
                *(f"{100 * found[name] / extra:.0f} %" for name in ("headers", "padding", "pointers")),
            ]
        )
    return (
        "Extra bytes",
        "Of a Skyway buffer: values, and what no other serializer sends; shares of that. The paper, of Spark's: "
        "headers 51 %, padding 34 %, pointers 15 %. Here headers have 16 bytes "
        "and arrays 24, 8 of them the metadata.",
        [
            "case",
            "bytes",
            "values",
            "headers",
            "pointers",
            "padding",
            "the stream's words",
            "headers of the extra",
            "padding",
            "pointers",
        ],
        lines,
    )


def _memory(graphs: Sequence[Graph]) -> Section:
    """Returns the table of the metadata field's cost, like that of the paper's baddr in section 5.2."""
    lines = []
    for graph in graphs:
        plain, own = (sum(layout.size(each.cls, each.length) for each in graph.reached) for layout in (PLAIN, OWN))
        lines.append([graph.name, f"{graph.objects:,}", f"{plain:,}", f"{own:,}", f"{100 * (own / plain - 1):.1f} %"])
    return (
        "Memory of the metadata field",
        "Bytes of the graph's objects without it and with it, 8 bytes an object, which Cereal and Skyway share. The "
        "paper's heaps grow by 2.1 to 21.8 %, "
        "where a header has 16 bytes of its own.",
        ["case", "objects", "without", "with", "more"],
        lines,
    )


COLUMNS = {
    "overall": "cycles",
    "ser": "serialize_cycles",
    "write": "write_cycles",
    "des": "deserialize_cycles",
    "read": "read_cycles",
    "size": "wire_bytes",
}
PAPER = {
    "kryo-manual": (
        (0.39, 0.94, 0.76),
        (0.33, 0.89, 0.59),
        (0.12, 0.83, 0.61),
        (0.11, 0.55, 0.26),
        (0.01, 0.03, 0.02),
        (0.31, 1.09, 0.52),
    ),
    SKYWAY: (
        (0.27, 0.92, 0.64),
        (0.19, 1.29, 0.62),
        (0.12, 1.61, 0.97),
        (0.04, 0.43, 0.16),
        (0.01, 0.05, 0.02),
        (0.91, 3.13, 1.15),
    ),
}
"""Table 2, normalized to Java serialization: least, most, geometric mean."""


def _programs(rows: list[Row]) -> dict[str, dict[str, Row]]:
    """Returns the rows of programs that are right, by case and then by engine."""
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
            lines.append(
                [
                    f"the paper's {'Skyway' if engine == SKYWAY else 'Kryo'}",
                    *(f"{least:.2f} to {most:.2f} ({value:.2f})" for least, most, value in PAPER[engine]),
                ]
            )
    return (
        "Table 2: programs that shuffle",
        "Over Java serialization, the range over the programs and the geometric mean. The paper's reads include the "
        "network, and its programs are Spark's, on graphs of 69 million to 1.5 "
        "billion edges.",
        ["engine", *COLUMNS],
        lines,
    )


def _spark(rows: list[Row]) -> Section:
    """Returns the table for the running times and bytes in the text of sections 5.2 and 5.3."""
    programs, lines = _programs(rows).values(), []
    for engine in OWN_ENGINES:
        for peer, faster, more in (("java", "36 %", "about as many"), ("kryo-manual", "16 %", "77 % more")):
            pairs = [(found[engine], found[peer]) for found in programs if engine in found and peer in found]
            if pairs:
                time, size = (
                    geometric_mean([int(row[name]) / int(other[name]) for row, other in pairs])
                    for name in ("cycles", "wire_bytes")
                )
                lines.append(
                    [
                        f"{engine} over {peer}",
                        f"{100 * (1 - time):.0f} % less",
                        f"{100 * (size - 1):+.0f} %",
                        *((faster, more) if engine == SKYWAY else ("", "")),
                    ]
                )
    return (
        "Section 5.2: programs, all of the time",
        "Geometric means over the programs: how much less time they take, and how many more bytes they send; beside "
        "them how much faster the paper says that Spark is. Section 5.3 and "
        "table 4, of Flink, have no counterpart here.",
        ["", "time", "bytes", "paper: faster", "paper: bytes"],
        lines,
    )


def _split(rows: list[Row]) -> Section:
    """Returns the bars of fig. 8 as a table."""
    lines = []
    for case, found in _programs(rows).items():
        for engine in ENGINES:
            if engine not in found:
                continue
            row = found[engine]
            total = int(row["cycles"])
            s_d, transfer = (
                sum(int(row[f"{name}_cycles"]) for name in names)
                for names in (("serialize", "deserialize"), ("write", "read"))
            )
            lines.append(
                [
                    case,
                    engine,
                    f"{total:,}",
                    *(f"{int(row[f'{name}_cycles']):,}" for name in TIMES),
                    f"{100 * s_d / total:.0f} %",
                    f"{100 * transfer / total:.1f} %",
                    f"{int(row['wire_bytes']):,}",
                    str(row["phases"]),
                    str(row["roots"]),
                ]
            )
    return (
        "Where the programs' time goes",
        "Cycles of two workers that take turns on one machine. Collections count as such wherever they happen. Write "
        "and read are copies by the core, "
        "out of one worker's memory and into the other's: what the bytes cost without a line.",
        ["case", "engine", "all", *TIMES, "S/D", "transfer", "bytes", "phases", "roots"],
        lines,
    )

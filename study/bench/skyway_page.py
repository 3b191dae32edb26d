"""The tables of the page of the suite `skyway` that other suites do not have: the paper's figures, with its numbers
beside ours."""

from __future__ import annotations

from typing import Sequence

from heapwire.measure.rows import Row
from heapwire.skyway.formats import Format
from heapwire.skyway.stream import HEAD, HEADER, tops_bytes
from study.bench import skyway_programs
from study.bench.cereal import MEDIA, SKYWAY, SKYWAY_HW
from study.bench.fitted import section as fitted_section
from study.bench.objects.workload import Graph
from study.bench.rows import geometric_mean, is_fitted
from study.bench.skyway import ENGINES, OWN, both_ways, is_bulk, times
from study.bench.skyway_programs import Section

PLAIN, WITH_METADATA = Format(8, 16), Format()
PEERS = ENGINES[: ENGINES.index(SKYWAY)]
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
        *skyway_programs.sections(measured),
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
            *(f"{cycles[engine] / cycles[own]:.2f}" if own in cycles else "" for own in OWN),
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
        ["engine", "both ways", *(f"over {own}" for own in OWN), "the paper's, over Skyway", "bytes"],
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
        found["headers"] += WITH_METADATA.body(each.cls)
        found["pointers"] += pointers
        found["padding"] += WITH_METADATA.size(each.cls, each.length) - WITH_METADATA.body(each.cls) - body
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
        plain, own = (
            sum(layout.size(each.cls, each.length) for each in graph.reached) for layout in (PLAIN, WITH_METADATA)
        )
        lines.append([graph.name, f"{graph.objects:,}", f"{plain:,}", f"{own:,}", f"{100 * (own / plain - 1):.1f} %"])
    return (
        "Memory of the metadata field",
        "Bytes of the graph's objects without it and with it, 8 bytes an object, which Cereal and Skyway share. The "
        "paper's heaps grow by 2.1 to 21.8 %, "
        "where a header has 16 bytes of its own.",
        ["case", "objects", "without", "with", "more"],
        lines,
    )

"""Rows of the graphs themselves: sizes that the formats' writers in Python compute, without a machine (`python -m
study.report.graphs FILE`).

The klass tables of `make classes` are required."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from heapwire.cereal.numbers import FORMAT
from heapwire.measure.rows import Row
from study.bench import built, cereal, skyway_page
from study.bench.objects.workload import Graph

SUITE = "graphs"
REFERENCE = 4
"""Bytes of a reference in a stream that is not packed."""


def row(graph: Graph) -> Row:
    """Returns a row with the sizes of a graph and of its Cereal and Skyway streams. It has no cycles."""
    header, parts = graph.header, skyway_page.parts(graph)
    return {
        "suite": SUITE,
        "case": graph.name,
        "op": "size",
        "engine": "writer",
        "model": "managed",
        "cycles": 0,
        "config": "host",
        "port_bytes_per_cycle": 0,
        "ok": True,
        "objects": graph.objects,
        "references": graph.references,
        "object_bytes": sum(skyway_page.WITH_METADATA.size(each.cls, each.length) for each in graph.reached),
        "bytes_without_metadata": sum(skyway_page.PLAIN.size(each.cls, each.length) for each in graph.reached),
        "plain_bytes": FORMAT.header_size + header.values + REFERENCE * graph.references + graph.unpacked_layouts,
        "packed_bytes": len(graph.stream),
        "stripped_bytes": graph.stripped,
        **{f"skyway_{name}": size for name, size in parts.items()},
    }


def rows() -> list[Row]:
    """Returns the rows of all graphs of the suites `cereal` and `skyway`, except the largest of each shape: their sizes
    grow in proportion."""
    return [
        row(graph)
        for group in cereal.groups(built.klasses())
        if not group.name.startswith("large-")
        for graph in group.graphs
    ]


def main() -> None:
    """Writes the rows."""
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(each) + "\n" for each in rows())
    if not target.is_file() or target.read_text() != text:
        target.write_text(text)


if __name__ == "__main__":
    main()

"""Rows of the graphs themselves: sizes that the formats' writers in Python compute, without a machine (`python -m
study.report.graphs FILE`).

The klass tables of `make classes` are required."""

import json
import sys
from pathlib import Path
from typing import Container

from heapwire.cereal.numbers import FORMAT
from heapwire.measure.rows import Row
from heapwire.skyway.formats import Format
from heapwire.skyway.stream import HEAD, HEADER, tops_bytes
from study.bench import built, cereal
from study.bench.objects.workload import Graph

SUITE = "graphs"
REFERENCE = 4
"""Bytes of a reference in a stream that is not packed."""
PLAIN, WITH_METADATA = Format(8, 16), Format()


def parts(graph: Graph) -> dict[str, int]:
    """Returns the bytes of a Skyway buffer by kind: headers (marks, type ids, lengths, metadata), references, padding,
    values (the rest of the objects), and the stream's own words."""
    found = dict.fromkeys(("headers", "pointers", "padding", "values"), 0)
    for each in graph.reached:
        pointers = REFERENCE * sum(1 for _ in each.references())
        body = each.length << each.cls.shift if each.cls.is_array else graph.klasses[each.cls.name].bytes
        found["headers"] += WITH_METADATA.body(each.cls)
        found["pointers"] += pointers
        found["padding"] += WITH_METADATA.size(each.cls, each.length) - WITH_METADATA.body(each.cls) - body
        found["values"] += body - pointers
    found["stream"] = HEADER.size + 2 * HEAD.size + tops_bytes(1)
    return found


def count(graph: Graph) -> Row:
    """Returns a row with the numbers of objects and of references. It has no cycles."""
    names = {"suite": SUITE, "case": graph.name, "op": "size", "engine": "writer", "model": "managed"}
    machine = {"cycles": 0, "config": "host", "port_bytes_per_cycle": 0, "ok": True}
    return names | machine | {"objects": graph.objects, "references": graph.references}


def row(graph: Graph) -> Row:
    """Returns a row with the sizes of a graph and of its Cereal and Skyway streams, too."""
    values = FORMAT.header_size + graph.header.values
    return count(graph) | {
        "object_bytes": sum(WITH_METADATA.size(each.cls, each.length) for each in graph.reached),
        "bytes_without_metadata": sum(PLAIN.size(each.cls, each.length) for each in graph.reached),
        "plain_bytes": values + REFERENCE * graph.references + graph.unpacked_layouts,
        "packed_bytes": len(graph.stream),
        "stripped_bytes": graph.stripped,
        **{f"skyway_{name}": size for name, size in parts(graph).items()},
    }


def rows(only: Container[str] = ()) -> list[Row]:
    """Returns the rows of all graphs of the suites `cereal` and `skyway`, or of these. The largest of each shape are
    only counted: their sizes grow in proportion."""
    found = [
        (group.name.startswith("large-"), graph) for group in cereal.groups(built.klasses()) for graph in group.graphs
    ]
    found = [(large, graph) for large, graph in found if not only or graph.name in only]
    return [count(graph) if large else row(graph) for large, graph in found]


def main() -> None:
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(each) + "\n" for each in rows())
    if not target.is_file() or target.read_text() != text:
        target.write_text(text)


if __name__ == "__main__":
    main()

"""Functions that the figures of both reports share: rows of the suite `protobuf`, first of all those of
HyperProtoBench."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.report.store import Store

HYPER = "hyperprotobench/"
ENGINES = ("nanopb", "table", "hw")
COMMAND = "make bench SUITE=protobuf"
NEEDS_DATA = "It needs the real messages, which are not ours to give away ([host.md](docs:reference/host.md))."
DIFFERS = (
    "The paper's peer is Java's protobuf library on HotSpot, on a core like a Cortex-A72 at 3 GHz. Our peers are "
    "nanopb, which fills C structs, and `table`, our software codec for the same managed objects; both are compiled "
    "and run on the small core beside the engine."
)


def rows(store: Store, prefix: str = "", operation: str = "deserialize") -> list[Row]:
    """Returns rows of the usual machine."""
    return [
        row
        for row in store.rows("protobuf")
        if row["op"] == operation and str(row["case"]).startswith(prefix) and row["engine"] in ENGINES
    ]


def rate(row: Row) -> float:
    """Returns bytes on the wire a cycle."""
    return int(row["wire_bytes"]) / int(row["cycles"])


def name(case: str) -> str:
    """Returns the message's name: M25 for hyperprotobench/bench0/03_hyperprotobench.M25."""
    return case.rpartition("/")[2].rpartition(".")[2]

"""The sections on E. Wu and V. Schmulbach: *Multi-Language Deserialization Accelerator with GC Support*, and the
earlier report UCB/EECS-2023-268."""

from __future__ import annotations

from study.report.content import Part, absent
from study.report.store import Store
from study.report.wu import heap, limits, throughput

DRAWING = "a drawing; nothing is measured in it"


def fuller(store: Store) -> Part:
    """Returns the section on the fuller report."""
    drawings = (
        (1, "layout of a Java object"),
        (2, "heap before and after a collection"),
        (3, "structures of objects"),
        (4, "the descriptor table"),
        (5, "architecture"),
        (6, "state machines"),
        (7, "a message with repeated sub-messages"),
    )
    return Part(
        "wu",
        "Wu & Schmulbach",
        [
            "E. Wu, V. Schmulbach, *Multi-Language Deserialization Accelerator with GC Support*. "
            "[units/protobuf.md](docs:reference/units/protobuf.md) describes the engine, "
            "[runtime.md](docs:reference/runtime.md) the heap."
        ],
        [
            *(absent(f"Figure {number}", title, DRAWING) for number, title in drawings),
            throughput.of_bench(store, "Figure 8", "Bench4"),
            throughput.of_bench(store, "Figure 9", "Bench1"),
            throughput.figure_10(store),
            *limits.misses(store),
            limits.figure_13(store),
            limits.figure_14(store),
            heap.pauses(store),
            heap.end_to_end(store),
            heap.area(store),
        ],
    )


def earlier(store: Store) -> Part:
    """Returns the section on the earlier report."""
    drawings = (
        (1, "heap before and after a collection"),
        (2, "structures of objects"),
        (3, "the descriptor table"),
        (4, "a message with repeated sub-messages"),
    )
    return Part(
        "earlier",
        "UCB/EECS-2023-268",
        [
            "E. Wu, V. Schmulbach, *A Deserialization Architecture for GC Languages*. Its pauses are those of the "
            "fuller report."
        ],
        [
            *(absent(f"Figure {number}", title, DRAWING) for number, title in drawings),
            throughput.earlier_figure_5(store),
            throughput.earlier_figure_6(store),
        ],
    )

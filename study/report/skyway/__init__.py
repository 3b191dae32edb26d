"""The section on K. Nguyen et al., *Skyway: Connecting Managed Heaps in Distributed Big Data Systems* (ASPLOS 2018)."""

from __future__ import annotations

from study.report.content import Part, absent
from study.report.skyway import graphs, programs, queries
from study.report.store import Store

DRAWING = "a drawing; nothing is measured in it"


def part(store: Store) -> Part:
    """Returns the section."""
    return Part(
        "skyway",
        "Skyway, ASPLOS 2018",
        [
            "K. Nguyen et al., *Skyway: Connecting Managed Heaps in Distributed Big Data Systems*. "
            "[bench_skyway.md](docs:../study/results/bench_skyway.md) describes the suite, "
            "[skyway.md](docs:reference/skyway.md) our Skyway."
        ],
        [
            absent("Figure 1", "transfer of data", DRAWING),
            absent("Figure 2", "a Spark program", "a listing; nothing is measured in it"),
            programs.figure_3(store),
            *(
                absent(f"Figure {number}", title, DRAWING)
                for number, title in ((4, "architecture"), (5, "type registries"), (6, "layout of objects and buffers"))
            ),
            graphs.figure_7(store),
            graphs.bulk(store),
            absent(
                "Table 1",
                "graphs that are the input of Spark's programs",
                "public graphs of 69 million edges and more; ours are generated, of 64 vertices, for a "
                "machine of 256 MB",
            ),
            programs.table_2(store),
            programs.figure_8a(store),
            queries.figure_8b(store),
            graphs.extra(store),
            graphs.memory(store),
            queries.table_3(store),
            queries.table_4(store),
        ],
    )

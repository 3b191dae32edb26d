"""The section on J. Jang et al., *A Specialized Architecture for Object Serialization with Applications to Big Data
Analytics* (ISCA 2020)."""

from __future__ import annotations

from study.report.cereal import cost, micro, records, spark
from study.report.content import Item, Part, absent
from study.report.store import Store

DRAWING = "a drawing; nothing is measured in it"


def items(store: Store) -> list[Item]:
    """Returns the items, in the paper's order."""
    return [
        absent("Figure 1", "formats of three serializers", DRAWING),
        spark.figure_2(store),
        micro.figure_3(store),
        *(
            absent(f"Figure {number}", title, DRAWING)
            for number, title in (
                (4, "the format"),
                (5, "packing"),
                (6, "architecture"),
                (7, "serialization unit"),
                (8, "deserialization unit"),
                (9, "shapes of graphs"),
            )
        ),
        absent(
            "Table I",
            "parameters of the paper's machine",
            "nothing is measured in it; ours are with each figure, and in "
            "[bench_cereal.md](docs:../study/results/bench_cereal.md)",
        ),
        micro.table_2(store),
        spark.table_3(store),
        micro.figure_10(store),
        micro.figure_11(store),
        micro.table_4(store),
        records.figure_12(store),
        records.figure_13(store),
        spark.figure_14(store),
        records.figure_15(store),
        records.figure_16(store),
        cost.table_5(store),
        cost.figure_17(store),
    ]


def part(store: Store) -> Part:
    """Returns the section."""
    return Part(
        "cereal",
        "Cereal, ISCA 2020",
        [
            "J. Jang et al., *A Specialized Architecture for Object Serialization with Applications to Big Data "
            "Analytics*. [bench_cereal.md](docs:../study/results/bench_cereal.md) describes the suite, "
            "[units/cereal.md](docs:reference/units/cereal.md) the units."
        ],
        items(store),
    )

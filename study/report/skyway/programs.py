"""Figure 3, table 2, figure 8(a): programs of the kinds that Spark runs."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.skyway_programs import COLUMNS, PAPER, lines_over
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.skyway import paper, shuffled, spark
from study.report.skyway.common import COMMAND
from study.report.spark import COMMAND as SPARK_COMMAND
from study.report.store import Store, machine_of
from study.shuffle import SPARK, TIMES

NO_SPARK = (
    "These are four small programs in C with generated words and graphs, run by two workers that take turns on one "
    "machine. A stream goes through memory: one copy out (`write`) and one in (`read`). Spark writes files instead, "
    "and reads them over a network."
)
TRIANGLES = "triangles"
PAPER_8A = (
    "The paper: on average Spark is 36 % faster with Skyway than with Java serialization, and 16 % faster than with "
    "Kryo."
)


def _programs(store: Store) -> dict[str, dict[str, Row]]:
    return shuffled.of(store, SPARK)


def figure_3(store: Store) -> Item:
    """Returns the figure of S/D's share of triangle counting."""
    title = "what serialization takes of triangle counting"
    programs = {case: found for case, found in _programs(store).items() if case.startswith(f"{TRIANGLES}/")}
    wanted = ("java", "kryo-generic", "kryo-manual")
    if not any(engine in found for found in programs.values() for engine in wanted):
        return unmeasured("Figure 3", title, COMMAND)
    lines, bars = [], {}
    for case, found in programs.items():
        for engine in wanted:
            if engine in found:
                row = found[engine]
                bars[engine] = {part: 100 * cycles / int(row["cycles"]) for part, cycles in shuffled.split(row).items()}
                lines.append(
                    [
                        engine,
                        *(text.percent(shuffled.split(row).get(part, 0) / int(row["cycles"])) for part in TIMES[2:]),
                        text.count(int(row["wire_bytes"])),
                    ]
                )
    lines += [
        [f"the paper's {engine}", *(text.percent(paper.SPARK_SHARES[engine][part]) for part in TIMES[2:]), ""]
        for engine in ("java", "kryo-manual")
    ]
    return Item(
        "Figure 3",
        title,
        [
            "The paper, on LiveJournal and three nodes: S/D takes more than 30 % of the time with Kryo and with "
            "Java. The last column has the bytes, the paper's (b).",
            f"{machine_of([row for found in programs.values() for row in found.values()])} {NO_SPARK}",
        ],
        [
            Plot(
                "skyway-3",
                "Percent of the cycles of triangle counting",
                lambda: shuffled.stacked({"": bars}, "percent"),
            )
        ],
        [Table("Shares of the program's cycles", ["engine", *TIMES[2:], "bytes"], lines)],
        cut=store.cut("skyway"),
    )


def table_2(store: Store) -> Item:
    """Returns the table of programs, over Java serialization."""
    title = "programs that shuffle, normalized to Java serialization"
    programs = _programs(store)
    lines = lines_over(
        "java",
        programs,
        {
            "kryo-manual": ("the paper's Kryo", PAPER["kryo-manual"]),
            "skyway-sw": ("the paper's Skyway", PAPER["skyway-sw"]),
        },
    )
    if not lines:
        return unmeasured("Table 2", title, COMMAND)
    return Item(
        "Table 2",
        title,
        [
            "The table gives ranges over the programs, and geometric means.",
            f"{machine_of([row for found in programs.values() for row in found.values()])} {NO_SPARK}",
            "Streams are short here, 0.1 to 3 KB, so the fixed cost of a buffer weighs more; there is no network.",
        ],
        tables=[Table("Over Java serialization", ["engine", *COLUMNS], lines)],
        cut=store.cut("skyway"),
    )


def figure_8a(store: Store) -> Item:
    """Returns the figure of the programs' time by category."""
    title = "running time of the programs by serializer"
    programs, measured = _programs(store), spark.tables(store)
    if not programs:
        return (
            Item("Figure 8(a)", title, [PAPER_8A, *measured.text], measured.plots, measured.tables)
            if measured
            else unmeasured("Figure 8(a)", title, COMMAND, [f"Spark's own: `{SPARK_COMMAND}`."])
        )
    panels = shuffled.panels(programs)
    more = measured.text if measured else [f"Spark's own programs are not measured: run `{SPARK_COMMAND}`."]
    return Item(
        "Figure 8(a)",
        title,
        [
            PAPER_8A,
            f"**Our programs on the simulated machine**, measured there: "
            f"{machine_of([row for found in programs.values() for row in found.values()])} {NO_SPARK}",
            *more,
        ],
        [
            Plot("skyway-8", "Cycles of a program", lambda: shuffled.stacked(panels, "cycles")),
            *(measured.plots if measured else ()),
        ],
        [shuffled.split_table(programs), *(measured.tables if measured else ())],
        cut=store.cut("skyway"),
    )

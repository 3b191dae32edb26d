"""Figure 3, table 2, figure 8(a): shuffle programs."""

from __future__ import annotations

from heapwire.bench.rows import Row, geometric_mean
from heapwire.bench.skyway import SHUFFLE
from heapwire.report import text
from heapwire.report.content import Item, Plot, Table, unmeasured
from heapwire.report.skyway import paper, spark
from heapwire.report.skyway.common import COMMAND, ENGINES
from heapwire.report.spark import COMMAND as SPARK
from heapwire.report.store import Store, by_case, machine_of
from heapwire.shuffle import TIMES

COLUMNS = {
    "overall": "cycles",
    "serialize": "serialize_cycles",
    "write": "write_cycles",
    "deserialize": "deserialize_cycles",
    "read": "read_cycles",
    "size": "wire_bytes",
}
NO_SPARK = (
    "Four small programs in C by two workers that take turns on one machine, with generated words and graphs; a stream "
    "goes through memory, one copy out (`write`) and one in "
    "(`read`), where Spark writes files and reads them over a network."
)
TRIANGLES = "triangles"
PAPER_8A = "The paper: Spark is 36 % faster by Skyway than by Java serialization on average, and 16 % than by Kryo."


def _programs(store: Store) -> dict[str, dict[str, Row]]:
    return by_case(store.rows("skyway"), SHUFFLE)


def _split(row: Row) -> dict[str, int]:
    """Returns the cycles of a row by category."""
    return {part: int(row[f"{part}_cycles"]) for part in TIMES if f"{part}_cycles" in row}


def _split_table(programs: dict[str, dict[str, Row]]) -> Table:
    parts = [
        part for part in TIMES if any(f"{part}_cycles" in row for found in programs.values() for row in found.values())
    ]
    return Table(
        "Cycles",
        ["program", "engine", "all", *parts, "bytes", "S/D"],
        [
            [
                case,
                engine,
                text.count(int(row["cycles"])),
                *(text.count(_split(row).get(part)) for part in parts),
                text.count(int(row["wire_bytes"])),
                text.percent((int(row["serialize_cycles"]) + int(row["deserialize_cycles"])) / int(row["cycles"])),
            ]
            for case, found in programs.items()
            for engine in ENGINES
            if engine in found
            for row in [found[engine]]
        ],
    )


def _stacked(panels: dict, label: str):
    from heapwire.report import plots

    return plots.stacked(panels, label)


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
                bars[engine] = {part: 100 * cycles / int(row["cycles"]) for part, cycles in _split(row).items()}
                lines.append(
                    [
                        engine,
                        *(text.percent(_split(row).get(part, 0) / int(row["cycles"])) for part in TIMES[2:]),
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
            "The paper, on LiveJournal and three nodes: S/D is more than 30 % of the time under Kryo and under Java. "
            "(b), the bytes, is the last column.",
            f"{machine_of([row for found in programs.values() for row in found.values()])} {NO_SPARK}",
        ],
        [Plot("skyway-3", "Percent of the cycles of triangle counting", lambda: _stacked({"": bars}, "percent"))],
        [Table("Shares of the program's cycles", ["engine", *TIMES[2:], "bytes"], lines)],
        cut=store.cut("skyway"),
    )


def table_2(store: Store) -> Item:
    """Returns the table of programs, over Java serialization."""
    title = "programs that shuffle, normalized to Java serialization"
    programs, lines = _programs(store), []
    for engine in ENGINES[1:]:
        pairs = [(found[engine], found["java"]) for found in programs.values() if engine in found and "java" in found]
        if pairs:
            cells = []
            for name in COLUMNS.values():
                ratios = [int(row[name]) / int(java[name]) for row, java in pairs if int(row[name]) and int(java[name])]
                cells.append(f"{min(ratios):.2f} to {max(ratios):.2f} ({geometric_mean(ratios):.2f})" if ratios else "")
            lines.append([engine, *cells])
            if engine in paper.TABLE_2:
                lines.append([f"the paper's {'Kryo' if engine == 'kryo-manual' else 'Skyway'}", *paper.TABLE_2[engine]])
    if not lines:
        return unmeasured("Table 2", title, COMMAND)
    return Item(
        "Table 2",
        title,
        [
            "Ranges over the programs, and geometric means.",
            f"{machine_of([row for found in programs.values() for row in found.values()])} {NO_SPARK}",
            "Streams are short here, 0.1 to 3 KB, so that what a buffer costs weighs more; nothing stands for the "
            "network.",
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
            else unmeasured("Figure 8(a)", title, COMMAND, [f"Spark's own: `{SPARK}`."])
        )
    panels = {
        case: {
            engine: {part: float(cycles) for part, cycles in _split(found[engine]).items()}
            for engine in ENGINES
            if engine in found
        }
        for case, found in programs.items()
    }
    more = measured.text if measured else [f"Spark's own programs are not measured: run `{SPARK}`."]
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
            Plot("skyway-8", "Cycles of a program", lambda: _stacked(panels, "cycles")),
            *(measured.plots if measured else ()),
        ],
        [_split_table(programs), *(measured.tables if measured else ())],
        cut=store.cut("skyway"),
    )

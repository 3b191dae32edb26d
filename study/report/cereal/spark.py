"""Figures 2 and 14, Table III: programs of Spark."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.objects.captured import CEREAL
from study.bench.rows import geometric_mean
from study.report import spark, text
from study.report.cereal import paper
from study.report.cereal.common import COMMAND
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, machine_of

OURS = (
    "The programs are ours: small ones of the same kind, on generated inputs "
    "([spark.md](docs:../study/results/spark.md)). "
    "The paper ran HiBench's on 156 MB to 3 GB. SVM and LR keep their points in Spark's serialized cache, which "
    "decides most of their share."
)
ENGINES = ("hw", "hw-x8")


def figure_2(store: Store) -> Item:
    """Returns the figure of the share of S/D."""
    title = "share of S/D in Spark's programs"
    found = spark.of(store, CEREAL)
    if not found:
        return unmeasured("Figure 2", title, spark.COMMAND)
    lines, panels = [], {}
    for serializer in spark.PEER:
        mine = {program: each[serializer] for program, each in found.items() if serializer in each}
        for program, row in mine.items():
            parts = spark.shares(row)
            panels.setdefault(serializer, {})[program] = {part: 100 * share for part, share in parts.items()}
            lines.append(
                [
                    program,
                    serializer,
                    f"{int(row['run_ns']) / 1e6:,.0f}",
                    *(text.percent(share) for share in parts.values()),
                    text.percent(row["share"]),
                ]
            )
        if mine:
            mean = sum(float(row["share"]) for row in mine.values()) / len(mine)
            lines.append([f"mean of {len(mine)}", serializer, *[""] * 6, text.percent(mean)])
            lines.append(
                [
                    "the paper's mean, the most",
                    serializer,
                    *[""] * 6,
                    f"{text.percent(paper.SPARK_SHARE[serializer][0])}, "
                    f"{text.percent(paper.SPARK_SHARE[serializer][1])}",
                ]
            )
    return Item(
        "Figure 2",
        title,
        [
            f"{spark.MEASURED} on a JVM, with no simulation: {spark.jvm(found)}",
            "A serializer that is plugged into Spark measures the time of each record, less the time of the streams "
            "below it, which compress, store and fetch (`write`, `read`). The shares are those of the time that the "
            "processor worked for the tasks. No time includes the collector's.",
            OURS,
        ],
        [Plot("cereal-2", "Percent of the time of the tasks", lambda: _stacked(panels))],
        [
            Table(
                "Milliseconds of the tasks, and shares of them",
                ["program", "serializer", "ms", "computation", "serialize", "write", "deserialize", "read", "S/D"],
                lines,
            )
        ],
    )


def _stacked(panels: dict):
    from study.report import plots

    return plots.stacked(panels, "percent")


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "times", False)


def table_3(store: Store) -> Item:
    """Returns the table of inputs."""
    title = "inputs of Spark's programs"
    found = spark.of(store, CEREAL)
    if not found:
        return unmeasured("Table III", title, spark.COMMAND)
    lines = []
    for program, each in found.items():
        row = each.get("java") or next(iter(each.values()))
        lines.append(
            [
                program,
                str(row["input"]),
                *(text.count(row.get(name)) for name in ("records", "objects", "references")),
                text.count(int(row["wire_bytes"])),
                paper.SPARK_INPUTS[program],
            ]
        )
    return Item(
        "Table III",
        title,
        [
            "Inputs are generated, the same in each run. Records are what the tasks serialize: a key and its value of "
            "a "
            "shuffle, or an object of a cached block.",
            "They are counted in a run that is not timed. Bytes are those of Java's streams before Spark compresses "
            "them.",
        ],
        tables=[
            Table(
                "Inputs and what is serialized",
                ["program", "input", "records", "objects", "references", "bytes by Java", "the paper's input"],
                lines,
            )
        ],
    )


def _computed(row: Row, rows: list[Row], case: str, serializer: str, engine: str) -> float | None:
    faster = spark.ratios(rows, case, spark.PEER[serializer], engine)
    return spark.whole(row, faster) if faster else None


def figure_14(store: Store) -> Item:
    """Returns the figure of whole programs."""
    title = "speed-up of whole Spark programs"
    found, rows = spark.of(store, CEREAL), store.rows("cereal")
    if not found:
        return unmeasured("Figure 14", title, spark.COMMAND)
    cases = {program: spark.case_of(rows, program) for program in found}
    columns = [(serializer, engine) for serializer in spark.PEER for engine in ENGINES]
    table: dict[str, dict[str, float]] = {}
    for program, each in found.items():
        for serializer, engine in columns:
            row = each.get(serializer)
            if row and (value := _computed(row, rows, cases[program], serializer, engine)):
                table.setdefault(program, {})[f"{engine} over {serializer}"] = value
    if not table:
        return unmeasured(
            "Figure 14",
            title,
            COMMAND,
            ["The share of S/D was measured (figure 2); cycles of the programs' records were not."],
        )
    kryo = {
        program: int(each["java"]["run_ns"]) / int(each["kryo"]["run_ns"])
        for program, each in found.items()
        if {"java", "kryo"} <= each.keys()
    }
    names = [f"{engine} over {serializer}" for serializer, engine in columns]
    lines = [
        [program, f"`{cases[program]}`", *(text.short(each.get(name)) for name in names), text.short(kryo.get(program))]
        for program, each in table.items()
    ]
    means = [geometric_mean([each[name] for each in table.values() if name in each]) for name in names]
    lines.append(
        [
            f"geometric mean of {len(table)}",
            "",
            *map(text.short, means),
            text.short(geometric_mean(list(kryo.values()))),
        ]
    )
    theirs = {(serializer, "hw-x8"): f"{mean}, {most}" for serializer, (mean, most) in paper.PROGRAMS.items()}
    lines.append(["the paper's mean, the most", "", *(theirs.get(column, "") for column in columns), ""])
    used = [row for row in rows if row["case"] in cases.values()]
    return Item(
        "Figure 14",
        title,
        [
            f"{spark.COMPUTED}: no program of Spark ran with the units. The speed-ups follow from Amdahl's law. Of "
            "the time of the tasks (figure 2, measured on a JVM), the time to serialize is divided by the speed-up "
            "of an engine over the same software serializer when it writes the program's records on the simulated "
            "machine (figure 13, measured there), the time to deserialize by its speed-up when it reads them, and "
            "all else stays. The shares are those of a large processor, the ratios those of a small core: no machine "
            "has both.",
            f"Ratios: {machine_of(used)} Records named `captured-` were serialized by Spark; where those were not "
            "measured, generated ones stand for them (`spark-`).",
            f"The last column is {spark.MEASURED.strip('*').lower()}, on the JVM: the time of the tasks by Java over "
            "the "
            "time by Kryo.",
        ],
        [Plot("cereal-14", "Times the program by Java serialization or by Kryo, computed", lambda: _bars({"": table}))],
        [Table("Times as fast", ["program", "records", *names, "kryo over java, measured"], lines)],
        cut=store.cut("cereal"),
    )

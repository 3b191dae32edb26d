"""Figure 8(a) for Spark's own programs: the times of a JVM with Java serialization and with Kryo, and for Skyway the
times that follow from cycles of the programs' records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from heapwire.measure.rows import Row
from study.bench.objects.captured import CASE, SKYWAY
from study.bench.rows import geometric_mean
from study.bench.spark import PARTS
from study.report import spark
from study.report.content import Plot, Table
from study.report.skyway.common import COMMAND
from study.report.store import Store, by_case

ENGINES = ("skyway-sw", "skyway-hw")


@dataclass(frozen=True)
class Found:
    """The part of the figure with Spark's own programs."""

    text: Sequence[str]
    plots: Sequence[Plot]
    tables: Sequence[Table]


def computed(row: Row, rows: list[Row], case: str, engine: str) -> dict[str, float] | None:
    """Returns the milliseconds of a program with an engine, computed from those with Java. The program's own work
    stays. S/D is divided by the engine's speed-up on the program's records. The times of the streams below grow with
    the bytes."""
    faster = spark.ratios(rows, case, "java", engine)
    sent = by_case(rows, "serialize").get(case, {})
    if not faster or not int(sent["java"]["wire_bytes"]):
        return None
    bytes_ = int(sent[engine]["wire_bytes"]) / int(sent["java"]["wire_bytes"])
    factors = {"serialize": 1 / faster[0], "write": bytes_, "deserialize": 1 / faster[1], "read": bytes_}
    return {part: took * factors.get(part, 1) for part, took in _milliseconds(row).items()}


def _milliseconds(row: Row) -> dict[str, float]:
    return {part: share * int(row["run_ns"]) / 1e6 for part, share in spark.shares(row).items()}


def tables(store: Store) -> Found | None:
    """Returns text, picture and table, or None without rows of Spark."""
    found, rows = spark.of(store, SKYWAY), store.rows("skyway")
    if not found:
        return None
    names = list(dict.fromkeys(str(row["case"]) for row in rows))
    panels: dict[str, dict[str, dict[str, float]]] = {}
    for program, each in found.items():
        panels[program] = {serializer: _milliseconds(row) for serializer, row in each.items()}
        case = next((name for name in names if name.partition("/")[0] == f"{CASE}{program}"), "")
        for engine in ENGINES:
            bar = computed(each["java"], rows, case, engine) if case and "java" in each else None
            if bar:
                panels[program][f"{engine}, computed"] = bar
    lines = [
        [
            program,
            name,
            f"{sum(parts.values()):,.0f}",
            *(f"{parts[part]:,.1f}" for part in ("computation", *PARTS)),
            _over(bars, name),
        ]
        for program, bars in panels.items()
        for name, parts in bars.items()
    ]
    for name in dict.fromkeys(name for bars in panels.values() for name in bars):
        pairs = [
            sum(bars[name].values()) / sum(bars["java"].values())
            for bars in panels.values()
            if name in bars and "java" in bars
        ]
        if pairs and name != "java":
            lines.append([f"geometric mean of {len(pairs)}", name, *[""] * 6, f"{geometric_mean(pairs):.2f}"])
    several = any(name.endswith("computed") for bars in panels.values() for name in bars)
    return Found(
        [
            f"**Spark's programs on a JVM**: `java` and `kryo` are {spark.MEASURED.strip('*').lower()}. "
            f"{spark.jvm(found)} The programs are ours, with generated inputs "
            "([spark.md](docs:../study/results/spark.md)).",
            f"`skyway-sw` and `skyway-hw` are {spark.COMPUTED.strip('*').lower()}, from the times of `java` on the "
            "JVM and from cycles of the program's captured records on the simulated machine. The times to serialize "
            "and to deserialize are divided by the engine's speed-up over `java` there, `write` and `read` grow with "
            "the bytes, and all else stays. Skyway ran in no JVM."
            if several
            else f"Skyway's part is not computed, because cycles of the programs' captured records "
            f"were not measured: run `{COMMAND}`.",
        ],
        [Plot("skyway-8-spark", "Milliseconds of the tasks of a program of Spark", lambda: _stacked(panels))],
        [
            Table(
                "Spark's programs: milliseconds of the tasks",
                ["program", "serializer", "all", "computation", *PARTS, "of java's"],
                lines,
            )
        ],
    )


def _over(bars: dict[str, dict[str, float]], name: str) -> str:
    return f"{sum(bars[name].values()) / sum(bars['java'].values()):.2f}" if "java" in bars else ""


def _stacked(panels: dict):
    from study.report import plots

    return plots.stacked(panels, "milliseconds")

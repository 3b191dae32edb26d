"""What both papers' figures of Spark share: rows that `make spark` measured on a JVM, and the times of whole programs
that follow from these rows and from cycles of the simulated machine."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.cereal import OPERATIONS
from study.bench.objects.captured import CASE
from study.bench.spark import PARTS
from study.report.store import Store, by_case

COMMAND = "make spark"
STAND_IN = "spark-"
PEER = {"java": "java", "kryo": "kryo-generic"}
"""The engine of the simulated machine that stands for each serializer of Spark. Spark's Kryo has registered classes and
no hand-written serializers."""
MEASURED = "**Measured**"
COMPUTED = "**Computed, not measured**"


def programs(store: Store) -> dict[str, dict[str, Row]]:
    """Returns the rows by program, then by serializer."""
    return by_case(store.rows("spark"), "program")


def of(store: Store, names: tuple[str, ...]) -> dict[str, dict[str, Row]]:
    """Returns the rows of these programs, in this order."""
    found = programs(store)
    return {name: found[name] for name in names if name in found}


def jvm(found: dict[str, dict[str, Row]]) -> str:
    """Describes the machine and the JVM on which the rows were measured."""
    rows = [row for each in found.values() for row in each.values()]
    machines = dict.fromkeys(
        f"Spark {row['spark']}, {row['jvm']}, heap of {int(row['heap_bytes']) >> 20:,} MB, one "
        f"task at a time, {row['cpu'] or 'a processor without a name'}"
        for row in rows
    )
    runs = min(int(row["runs"]) for row in rows)
    return f"{'; '.join(machines)}; the quickest of {runs} {'run' if runs == 1 else 'runs'}."


def share(row: Row, part: str) -> float:
    """Returns the share of a part of the time of the program's tasks."""
    return int(row[f"{part}_ns"]) / int(row["run_ns"])


def shares(row: Row) -> dict[str, float]:
    """Returns the shares of the time of the tasks: the program's own work, then S/D and the streams below it."""
    found = {part: share(row, part) for part in PARTS}
    return {"computation": 1 - sum(found.values()), **found}


def case_of(rows: list[Row], program: str) -> str:
    """Returns the case with a program's records on the simulated machine: those that Spark serialized if they were
    measured, else generated ones that stand for them, else an empty text."""
    names = list(dict.fromkeys(str(row["case"]) for row in rows))
    return next(
        (name for prefix in (CASE, STAND_IN) for name in names if name.partition("/")[0] == f"{prefix}{program}"), ""
    )


def ratios(rows: list[Row], case: str, peer: str, engine: str) -> tuple[float, float] | None:
    """Returns the speed-ups of an engine over the peer, to write and to read a case, or None if one of the four cycle
    counts is missing."""
    found = [by_case(rows, operation).get(case, {}) for operation in OPERATIONS]
    if not all(peer in each and engine in each for each in found):
        return None
    write, read = (int(each[peer]["cycles"]) / int(each[engine]["cycles"]) for each in found)
    return write, read


def whole(row: Row, faster: tuple[float, float]) -> float:
    """Returns the speed-up of the tasks by Amdahl's law. faster: the speed-ups of serializing and of deserializing. All
    else takes as long as before."""
    write, read = share(row, "serialize"), share(row, "deserialize")
    return 1 / (1 - write - read + write / faster[0] + read / faster[1])

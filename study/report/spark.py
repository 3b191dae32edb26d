"""What both papers' figures of Spark share: rows that `make spark` measured on a JVM, and the times of whole programs
that follow from these rows and from cycles of the simulated machine."""

from heapwire.measure.rows import Row
from study.bench.objects.captured import CASE
from study.bench.spark import APART, PARTS, uneven
from study.report.records import WRITE_FIRST, cases, cycles
from study.report.store import Store

COMMAND = "make spark"
STAND_IN = "spark-"
PEER = {"java": "java", "kryo": "kryo-generic"}
"""The engine of the simulated machine that stands for each serializer of Spark. Spark's Kryo has registered classes and
no hand-written serializers."""
MEASURED = "**Measured**"
COMPUTED = "**Computed, not measured**"


def _by_case(rows: list[Row], op: str) -> dict[str, dict[str, Row]]:
    return {case.case: case.rows for case in cases(rows) if case.op == op}


def measured(store: Store, names: tuple[str, ...]) -> dict[str, dict[str, Row]]:
    """Returns the rows of these programs, in this order, by program and then by serializer."""
    found = _by_case(store.rows("spark"), "program")
    return {name: found[name] for name in names if name in found}


def of(store: Store, names: tuple[str, ...]) -> dict[str, dict[str, Row]]:
    """Returns the same of the programs whose computation does not depend on the serializer."""
    refused = uneven(store.rows("spark"))
    return {name: rows for name, rows in measured(store, names).items() if name not in refused}


def refused(store: Store, names: tuple[str, ...]) -> str:
    """Says which of these programs are not shown, or nothing."""
    rows = [row for each in measured(store, names).values() for row in each.values()]
    found = ", ".join(f"{name} by {100 * much:.1f} %" for name, much in uneven(rows).items())
    why = f"because the computation differs between serializers by more than {100 * APART:.0f} %"
    return f"**Not shown**, {why}: {found}." if found else ""


def jvm(store: Store, names: tuple[str, ...]) -> str:
    """Describes the machine and the JVM on which these programs were measured, and says which are not shown."""
    rows = [row for each in measured(store, names).values() for row in each.values()]
    machines = dict.fromkeys(
        f"Spark {row['spark']}, {row['jvm']}, heap of {int(row['heap_bytes']) >> 20:,} MB, one "
        f"task at a time, {row['cpu'] or 'a processor without a name'}"
        for row in rows
    )
    least = min(int(row["run_ns"]) * int(row["runs"]) for row in rows) / 1e9
    text = f"{'; '.join(machines)}; means of runs whose tasks had the processor for {least:.0f} s and more."
    return f"{text} {refused(store, names)}".strip()


def share(row: Row, part: str) -> float:
    """Returns the share of a part of the time of the program's tasks."""
    return int(row[f"{part}_ns"]) / int(row["run_ns"])


def shares(row: Row) -> dict[str, float]:
    """Returns the shares of the time of the tasks: the program's own work, then S/D and the streams below it."""
    return {part: share(row, part) for part in PARTS}


def milliseconds(row: Row) -> dict[str, float]:
    """Returns the time of each part."""
    return {part: int(row[f"{part}_ns"]) / 1e6 for part in PARTS}


def case_of(rows: list[Row], program: str, prefixes: tuple[str, ...] = (CASE, STAND_IN)) -> str:
    """Returns the case with a program's records on the simulated machine: those that Spark serialized if they were
    measured, else generated ones that stand for them, else an empty text."""
    names = list(dict.fromkeys(str(row["case"]) for row in rows))
    return next((name for prefix in prefixes for name in names if name.partition("/")[0] == f"{prefix}{program}"), "")


def ratios(rows: list[Row], case: str, peer: str, engine: str) -> tuple[float, float] | None:
    """Returns the speed-ups of an engine over the peer, to write and to read a case, or None if one of the four cycle
    counts is missing."""
    found = {each.op: each.over(peer, engine, cycles) for each in cases(row for row in rows if row["case"] == case)}
    write, read = (found.get(op) for op in WRITE_FIRST)
    return (write, read) if write and read else None


def whole(row: Row, faster: tuple[float, float]) -> float:
    """Returns the speed-up of the tasks by Amdahl's law. faster: the speed-ups of serializing and of deserializing. All
    else takes as long as before."""
    write, read = share(row, "serialize"), share(row, "deserialize")
    return 1 / (1 - write - read + write / faster[0] + read / faster[1])


def with_skyway(row: Row, rows: list[Row], program: str, engine: str) -> dict[str, float] | None:
    """Returns the milliseconds of a program with an engine of Skyway, computed from those with Java. The program's own
    work stays. S/D is divided by the engine's speed-up on the program's captured records. The times of the streams
    below grow with the bytes."""
    case = case_of(rows, program, (CASE,))
    faster = ratios(rows, case, "java", engine) if case else None
    sent = _by_case(rows, "serialize").get(case, {})
    if not faster or not int(sent["java"]["wire_bytes"]):
        return None
    bytes_ = int(sent[engine]["wire_bytes"]) / int(sent["java"]["wire_bytes"])
    factors = {"serialize": 1 / faster[0], "write": bytes_, "deserialize": 1 / faster[1], "read": bytes_}
    return {part: took * factors.get(part, 1) for part, took in milliseconds(row).items()}

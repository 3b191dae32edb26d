"""The suite `skyway`: the graphs of the suite `cereal`, and the engines measured on them."""

from heapwire.measure.rows import Row
from study.bench.cereal import MEDIA, ONE, OPERATIONS, SKYWAY, SKYWAY_HW, SOFTWARE, Group, keys_of
from study.bench.heap import Key
from study.bench.objects.captured import CASE as CAPTURED
from study.bench.rows import counts
from study.records.shuffle import PROGRAM_WORD_COUNT, SHUFFLE_BENCH_ORDERS, SHUFFLE_BENCH_VERTICES, SHUFFLE_BENCH_WORDS
from study.shuffle import QUERIES, SPARK, results
from study.shuffle.plain import digest

OWN = (SKYWAY, SKYWAY_HW)
"""Engines measured on the suite's machine. The others run on the first machine of the suite `cereal`, which has the
same core, caches and memory."""
ENGINES = (*SOFTWARE, ONE, *OWN)
CONFIG = "skyway"
"""The suite's machine: that of the suite `cereal`, with one unit of each kind that also supports Skyway."""


SHUFFLE = "shuffle"
"""The group of the shuffle programs, and their operation."""
SCALES = {
    **dict.fromkeys(SPARK, SHUFFLE_BENCH_VERTICES),
    PROGRAM_WORD_COUNT: SHUFFLE_BENCH_WORDS,
    **dict.fromkeys(QUERIES, SHUFFLE_BENCH_ORDERS),
}
"""Words, vertices or orders."""


def rows_of_skyway(found: list[Group], programs: bool = True) -> list[Key]:
    """Returns the keys of the suite's rows, including fitted ones. programs: whether to include the shuffle
    programs."""
    return keys_of(found, ENGINES) + [
        (f"{program}/{scale}", SHUFFLE, engine) for program, scale in SCALES.items() for engine in ENGINES if programs
    ]


def checked(row: Row) -> Row:
    """Checks a row of a program: it is right only if its workers found the result of a plain computation."""
    if row["op"] != SHUFFLE:
        return row
    program, _, scale = str(row["case"]).partition("/")
    return {**row, "ok": row["ok"] is True and row["digest"] == digest(results(program, int(scale)))}


def both_ways(rows: list[Row]) -> dict[str, dict[str, int]]:
    """Returns, by case and then by engine, the cycles of both directions together. Both must be measured, not fitted
    and right, and units must have done their own work."""
    single: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        if counts(row):
            single.setdefault((str(row["case"]), str(row["engine"])), {})[str(row["op"])] = int(row["cycles"])
    found: dict[str, dict[str, int]] = {}
    for (case, engine), cycles in single.items():
        if all(operation in cycles for operation in OPERATIONS):
            found.setdefault(case, {})[engine] = sum(cycles[operation] for operation in OPERATIONS)
    return found


def is_bulk(row: Row) -> bool:
    """Returns whether the row is of a bulk graph. All graphs are, except MediaContent, which is one small message, and
    records captured from Spark: bars are over the graphs that are made here."""
    return row["case"] != MEDIA and not str(row["case"]).startswith(CAPTURED) and row["op"] in OPERATIONS

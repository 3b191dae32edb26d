"""What every suite has: the cycles of all its cases, means of speed-ups, and its bars."""

from functools import partial
from typing import Any

from heapwire.measure.rows import Row, in_name_only
from heapwire.workload.case import CAPNP
from study.bench import bars, limits
from study.bench.rows import PEERS, geometric_mean, is_fitted, speedups
from study.report.figure import Column, Figure, Grid, listing, of, table
from study.report.records import Case, cases
from study.report.store import Store
from study.report.text import fixed

TITLE = "All cases and bars, by suite"
TEXT = "The cycles of every case on the usual machine, and the bars: limits that a suite has to keep."
SUITES = ("memory", "core", "protobuf", "heap", "cereal", "skyway", "sweep")
OVER = {
    "over nanopb": (("nanopb",), "hw"),
    "over the best peer": (PEERS, "hw"),
    "hw_nanopb over nanopb": (("nanopb",), "hw_nanopb"),
    "over java": (("java",), "hw"),
    "over the best Kryo": (("kryo-generic", "kryo-manual"), "hw"),
    "over hw-vanilla": (("hw-vanilla",), "hw"),
}
"""Speed-ups: the peers, of which the fastest counts, and the engine."""


def _ratios(rows: list[Row]) -> dict[str, dict[str, float]]:
    """Returns the speed-ups of one operation by column and case."""
    return {head: found for head, (peers, engine) in OVER.items() if (found := speedups(rows, peers, engine))}


def _wire(case: Case) -> str | None:
    bytes_, other = case.first["wire_bytes"], case.rows.get(CAPNP)
    return (f"{bytes_:,}" if bytes_ else "") + (f" (Cap'n Proto {other['wire_bytes']:,})" if other else "")


def cycles_of(engine: str, case: Case) -> str | None:
    """Returns the cell of an engine: marked if the cycles are fitted (~), or if software did the work (*)."""
    row = case.rows.get(engine)
    return row and f"{'~' * is_fitted(row)}{row['cycles']:,}{'*' * in_name_only(row)}"


def _moved(case: Case) -> float | None:
    """Returns bytes a cycle: those that the unit moved, or of software, whose traffic is not counted, those of the
    wire."""
    row = case.first
    moved = int(row["read_bytes"]) + int(row["write_bytes"])
    moved = moved or ("hw" not in case.rows) * int(row["wire_bytes"])
    return moved / int(row["cycles"]) if moved and row["cycles"] else None


def _checked(case: Case) -> str:
    return "yes" if all(row["ok"] is True for row in case.rows.values() if not is_fitted(row)) else "**no**"


def _mean_and_number(head: str) -> tuple[Column, Column]:
    return (
        Column(head, lambda group: geometric_mean(group[head]) if group.get(head) else None, fixed(1)),
        Column("number", lambda group: len(group.get(head, ()))),
    )


def _grids(op: str, rows: list[Row]) -> list[Grid]:
    """Returns the tables of one operation: cycles and speed-ups of each case, and means by group or sweep."""
    mine = [row for row in rows if row["op"] == op]
    engines = sorted(
        dict.fromkeys(str(row["engine"]) for row in mine),
        key=lambda name: PEERS.index(name) if name in PEERS else len(PEERS),
    )
    ratios = _ratios(mine)
    groups: dict[str, dict[str, list[float]]] = {}
    for head, found in ratios.items():
        for case, ratio in found.items():
            for name in ("all", case.rsplit("/", 1)[0]):
                groups.setdefault(name, {}).setdefault(head, []).append(ratio)
    return [
        table(
            op.capitalize(),
            "case",
            Column("wire bytes", _wire),
            *(Column(engine, partial(cycles_of, engine)) for engine in engines),
            *(Column(head, lambda case, found=found: found.get(case.case), fixed(1)) for head, found in ratios.items()),
            Column("bytes / cycle", _moved, fixed(2)),
            Column("checked", _checked),
            records=lambda _: cases(mine),
        ),
        table(
            f"{op.capitalize()}: speed-up, geometric means",
            "cases=case",
            *(column for head in ratios for column in _mean_and_number(head)),
            records=lambda _: [{"case": name} | found for name, found in groups.items()],
        ),
    ]


def every_case(suite: str, store: Store) -> list[Figure]:
    """Returns the figure with all cases of a suite, wrong and fitted ones among them."""
    rows = store.files.get(suite, [])
    ops = list(dict.fromkeys(str(row["op"]) for row in rows))
    text = """{machine} Cycles of the warm run, of a cold one where that took over two million; the fewest of the link
        layouts."""
    if any(map(in_name_only, rows)):
        text += " Software finished commands, because the unit could not (*): in no mean."
    if any(map(is_fitted, rows)):
        text += " ~ was not measured: a line through smaller cases says so. It is in no mean and no bar."
    grids = [grid for op in ops for grid in _grids(op, rows)]
    return [of(suite)(f"the suite {suite}: every case", text, *grids, rows=lambda store: rows)]


def held(suite: str, store: Store, suites: bars.Suites | None = None) -> list[Figure]:
    """Returns the figure of a suite's bars. suites: the rows that they are checked against, if not the store's."""
    mine = limits.of_suite(suite)
    results = {bar.name: bars.check(bar, suites or store.files) for bar in mine} if store.files.get(suite) else {}

    def record(name: str, result: bars.Result | None) -> dict[str, Any]:
        if result is None:
            return {"name": name, "verdict": "**not measured**"}
        return vars(result) | {"verdict": "met" if result.met else "**missed**"}

    text = "They are meant for a memory port of 128 bits."
    records = [record(name, result) for name, result in results.items()]
    shown = listing("Bars", "bar=name; measured:short; wanted; =verdict")
    return [of(suite)(f"the suite {suite}: bars", text, shown, rows=lambda store: records)] if mine else []


FIGURES: list[Any] = [partial(make, suite) for suite in SUITES for make in (every_case, held)]

"""The scaling model beside simulated rows, and its predictions for memories that nobody has simulated."""

from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from study.bench.cereal import OPERATIONS, SCALES
from study.bench.rows import geometric_mean
from study.report.figure import Column, Lines, of, table
from study.report.records import WRITE_FIRST, cases, select
from study.report.scaling import Counters, Memory, counters, memory_of, predict
from study.report.store import Store
from study.report.text import fixed, signed, whole

FUTURE = {
    "this memory": (1, 1.0),
    "two ports": (2, 1.0),
    "four ports": (4, 1.0),
    "eight ports, 1.5 times the latency (HBM class)": (8, 1.5),
}
"""Number of ports, and latency relative to today's. HBM has eight or more channels, each as wide as ours, and takes
longer to answer."""
UNITS = (1, 2, 4, 8, 16)
TRUSTED = 0.25
"""The median size of the model's error up to which it predicts memories that nobody has simulated."""


@dataclass(frozen=True)
class Error:
    """A case of several units: cycles simulated and predicted, and the bound."""

    case: str
    op: str
    units: int
    simulated: float
    predicted: float
    bound: str

    @property
    def off(self) -> float:
        return self.predicted / self.simulated - 1


@dataclass(frozen=True)
class Found:
    """The errors of all cases, the counters of one unit by operation, and the memory."""

    errors: list[Error]
    ones: dict[str, list[Counters]]
    memory: Memory | None

    def off(self, op: str, units: int | None = None) -> list[float]:
        return [error.off for error in self.errors if error.op == op and units in (None, error.units)]

    def error(self, op: str) -> float:
        """Returns the median size of the model's error; 0 without a simulation to compare with."""
        off = self.off(op)
        return median(map(abs, off)) if off else 0


def _cereal(store: Store) -> Found:
    """Returns the errors for the rows of several units of the suite `cereal`."""
    found = cases(select("cereal", WRITE_FIRST)(store))
    alone = [(case, one) for case in found if SCALES[1] in case.rows and (one := counters(case.rows[SCALES[1]]))]
    if not alone:
        return Found([], {}, None)
    memory = memory_of([alone[0][0].rows[SCALES[1]]], store.rows("cereal"), store.rows("memory"))
    errors = []
    for case, one in alone:
        for units, engine in list(SCALES.items())[1:]:
            if engine in case.rows:
                said = predict(one, units, memory)
                errors.append(
                    Error(case.case, case.op, units, float(case.rows[engine]["cycles"]), said.cycles, said.bound)
                )
    ones = {op: [one for case, one in alone if case.op == op] for op in OPERATIONS}
    return Found(errors, {op: each for op, each in ones.items() if each}, memory)


def _protobuf(store: Store) -> list[Error]:
    """Returns the errors for eight commands in flight to two engines, predicted from those to one. The core's part is
    that of a single command."""
    one, two = (cases(select("protobuf", WRITE_FIRST, machine=f"{name}-128")(store)) for name in ("single", "full"))
    pairs = {(case.op, case.case): case.rows for case in two}
    found = []
    for case in one:
        many, both = case.rows.get("hw-x1"), pairs.get((case.op, case.case), {}).get("hw-x2")
        alone = counters(case.rows["hw"]) if "hw" in case.rows else None
        of = counters(many) if many else None
        if of and alone and many and both:
            # With commands in flight the core works beside the unit, so that the unit alone takes only its busy cycles.
            mine = replace(of, cycles=of.busy, busy=of.busy - (alone.cycles - alone.busy))
            said = predict(mine, 2, memory_of([many], (), ()))
            found.append(Error(case.case, case.op, 2, float(both["cycles"]), said.cycles, said.bound))
    return found


def measured(store: Store) -> list[Found]:
    """Returns what there is, as the one record of the figure, or nothing."""
    found = _cereal(store)
    found = replace(found, errors=found.errors + _protobuf(store))
    return [found] if found.memory or found.errors else []


def _summary(records: list[Found]) -> list[dict[str, Any]]:
    return [
        {"op": op, "units": units, "off": off}
        for op in OPERATIONS
        for units in UNITS
        if (off := records[0].off(op, units))
    ]


def _future(records: list[Found]) -> list[dict[str, Any]]:
    """Returns the predictions for each operation that the model is right enough about."""
    (found,) = records
    lines = []
    for op, ones in found.ones.items() if found.memory else ():
        if found.error(op) > TRUSTED:
            continue
        for name, (ports, latency) in FUTURE.items():
            there = replace(found.memory, ports=ports, latency=latency)
            bounds = [predict(of, UNITS[-1], there).bound for of in ones]
            gains = {n: geometric_mean([of.cycles / predict(of, n, there).cycles for of in ones]) for n in UNITS}
            lines.append({"op": op, "memory": name, "bound": max(sorted(set(bounds)), key=bounds.count)} | gains)
    return lines


def _points(records: list[Found]) -> dict[str, dict[str, list]]:
    """Returns predicted over simulated cycles, and the line on which the model is right."""
    panels: dict[str, dict[str, list]] = {}
    for error in records[0].errors:
        panels.setdefault(error.op, {}).setdefault(f"{error.units} units", []).append(
            (error.simulated, error.predicted)
        )
    for found in panels.values():
        found["simulated"] = sorted({(x, x) for points in found.values() for x, _ in points})
    return panels


def _said(store: Store, records: list[Found]) -> dict[str, str]:
    (found,) = records
    memory = found.memory
    return {
        "unknown": ""
        if found.errors
        else """Rows of several units are not there, so the model's error is not known: run `make bench
            SUITE=cereal`.""",
        "copied": f"{100 * memory.copied:.0f} % of the port by the copy unit, " if memory else "",
        "block": f"""{memory.block:.1f} cycles a random block, by the suite `memory` on `default`, which has half as
            many ports to DRAM as `cereal`"""
        if memory and memory.block
        else "random blocks not measured (`make bench SUITE=memory`), so DRAM is no bound here",
        "wrong": "\n\n".join(
            f"For {op} the model is off by {100 * found.error(op):.0f} % in the median, so it predicts nothing "
            f"for other memories."
            for op in OPERATIONS
            if found.error(op) > TRUSTED
        ),
    }


FIGURES = [
    of("cereal")(
        "scaling: several units on several ports, by a model",
        """The model predicts the cycles for a graph when N units have a graph each. It takes the largest of four times:
        the time of one unit alone, divided by N; the driver's part, which one core does for all; the time in which the
        ports move the bytes at best; and the time in which DRAM gives the blocks at random. It uses the counters of one
        unit and these rates.

        {unknown} Rates: {copied}{block}. The model does not know that the graphs of several units share the cache:
        where one graph fits and two do not, it predicts too few cycles. Nor does it know that the units compete for
        open rows of DRAM.

        {wrong}""",
        Lines(
            "Cycles a graph or a message: predicted against simulated; on the line `simulated` the model is "
            "right | simulated | predicted",
            _points,
            points=True,
        ),
        table(
            "The model's error, predicted over simulated (below zero: the model predicts too few cycles)",
            "operation=op; units",
            Column("cases", lambda line: len(line["off"])),
            Column("median", lambda line: median(line["off"]), signed),
            Column("median of the size", lambda line: median(map(abs, line["off"])), whole),
            Column("largest", lambda line: max(map(abs, line["off"])), whole),
            records=_summary,
        ),
        table(
            "Cycles a graph or a message",
            "case; operation=op; units; simulated:count; predicted:count; off:signed; bound by=bound",
            records=lambda records: records[0].errors,
        ),
        table(
            "Predicted, not simulated: objects in the time in which one unit does one on this memory, geometric means",
            "operation=op; memory",
            *(Column(f"{n} unit{'s' if n > 1 else ''}", lambda line, n=n: line[n], fixed(2)) for n in UNITS),
            f"{UNITS[-1]} are mostly bound by=bound",
            records=_future,
        ),
        rows=measured,
        said=_said,
    )
]

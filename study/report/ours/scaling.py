"""The scaling model beside simulated rows, and its predictions for memories that nobody has simulated."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from heapwire.measure.rows import Row
from study.bench.cereal import OPERATIONS, SCALES
from study.bench.rows import geometric_mean
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.scaling import Counters, Memory, counters, memory_of, predict
from study.report.store import Store, by_case

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
Error = tuple[str, str, int, float, float, str]
"""Case, operation, units, cycles measured and predicted, the bound."""


def _cereal(store: Store) -> tuple[list[Error], dict[str, list[Counters]], Memory | None]:
    """Returns the model's errors for the rows of several units of the suite `cereal`, the counters of one unit by
    operation, and the memory."""
    rows = [row for row in store.rows("cereal") if row["op"] in OPERATIONS]
    ones = [row for row in rows if row["engine"] == SCALES[1] and counters(row)]
    if not ones:
        return [], {}, None
    memory = memory_of(ones, store.rows("cereal"), store.rows("memory"))
    found: list[Error] = []
    for operation in OPERATIONS:
        for case, engines in by_case(rows, operation).items():
            one = counters(engines[SCALES[1]]) if SCALES[1] in engines else None
            for units, engine in SCALES.items():
                if one and units > 1 and engine in engines:
                    said = predict(one, units, memory)
                    found.append((case, operation, units, float(engines[engine]["cycles"]), said.cycles, said.bound))
    by_operation = {
        operation: [of for row in ones if row["op"] == operation and (of := counters(row))] for operation in OPERATIONS
    }
    return found, {operation: counted for operation, counted in by_operation.items() if counted}, memory


def _protobuf(store: Store) -> list[Error]:
    """Returns the model's errors for eight commands in flight to two engines, predicted from those to one. The core's
    part is that of a single command."""
    one, two = store.rows("protobuf", "single-128"), store.rows("protobuf", "full-128")
    found: list[Error] = []
    for operation in OPERATIONS:
        pairs = by_case(two, operation)
        for case, engines in by_case(one, operation).items():
            many: Row | None = engines.get("hw-x1")
            alone = counters(engines["hw"]) if "hw" in engines else None
            of = counters(many) if many else None
            if of and alone and many and "hw-x2" in pairs.get(case, {}):
                # With commands in flight the core works beside the unit, so that the unit alone takes only its busy
                # cycles.
                driver = alone.cycles - alone.busy
                said = predict(replace(of, cycles=of.busy, busy=of.busy - driver), 2, memory_of([many], (), ()))
                found.append((case, operation, 2, float(pairs[case]["hw-x2"]["cycles"]), said.cycles, said.bound))
    return found


def _summary(errors: list[Error]) -> list[list[str]]:
    lines = []
    for operation in OPERATIONS:
        for units in UNITS:
            off = [said / measured - 1 for _, op, n, measured, said, _ in errors if (op, n) == (operation, units)]
            if off:
                lines.append(
                    [
                        operation,
                        str(units),
                        str(len(off)),
                        f"{100 * median(off):+.0f} %",
                        f"{100 * median(map(abs, off)):.0f} %",
                        f"{100 * max(map(abs, off)):.0f} %",
                    ]
                )
    return lines


def _error(errors: list[Error], operation: str) -> float:
    """Returns the median size of the model's error; 0 without a simulation to compare with."""
    off = [abs(said / measured - 1) for _, op, _, measured, said, _ in errors if op == operation]
    return median(off) if off else 0


def item(store: Store) -> Item:
    """Returns the item of the model."""
    title = "scaling: several units on several ports, by a model"
    errors, ones, memory = _cereal(store)
    errors = errors + _protobuf(store)
    if memory is None and not errors:
        return unmeasured("", title, "make bench SUITE=cereal")
    tables, plots = [], []
    if errors:
        tables += [
            Table(
                "The model's error, predicted over simulated (below zero: the model predicts too few cycles)",
                ["operation", "units", "cases", "median", "median of the size", "largest"],
                _summary(errors),
            ),
            Table(
                "Cycles a graph or a message",
                ["case", "operation", "units", "simulated", "predicted", "off", "bound by"],
                [
                    [
                        case,
                        operation,
                        str(units),
                        text.count(measured),
                        text.count(said),
                        f"{100 * (said / measured - 1):+.0f} %",
                        bound,
                    ]
                    for case, operation, units, measured, said, bound in errors
                ],
            ),
        ]
        points = {
            operation: {
                f"{units} units": pairs
                for units in UNITS
                if (
                    pairs := [
                        (measured, said) for _, op, n, measured, said, _ in errors if (op, n) == (operation, units)
                    ]
                )
            }
            for operation in OPERATIONS
        }
        points = {operation: found for operation, found in points.items() if found}
        plots.append(
            Plot(
                "scaling",
                "Cycles a graph or a message: predicted against simulated; on the line `simulated` the model is right",
                lambda: _points(points),
            )
        )
    wrong = [operation for operation in OPERATIONS if _error(errors, operation) > TRUSTED]
    trusted = {operation: found for operation, found in ones.items() if operation not in wrong}
    if memory and trusted:
        tables.append(_future(trusted, memory))
    absent = (
        ""
        if errors
        else "Rows of several units are not there, so the model's error is not known: run `make bench SUITE=cereal`. "
    )
    block = (
        f"{memory.block:.1f} cycles a random block, by the suite `memory` on `default`, which has half as many ports "
        "to DRAM as `cereal`"
        if memory and memory.block
        else "random blocks not measured (`make bench SUITE=memory`), so DRAM is no bound here"
    )
    return Item(
        "",
        title,
        [
            "The model predicts the cycles for a graph when N units have a graph each. It takes the largest of four "
            "times: the time of one unit alone, divided by N; the driver's part, which one core does for all; the "
            "time in which the ports move the bytes at best; and the time in which DRAM gives the blocks at random. "
            "It uses the counters of one unit and these rates.",
            f"{absent}Rates: "
            f"{f'{100 * memory.copied:.0f} % of the port by the copy unit, ' if memory else ''}{block}. The model "
            "does not know that the graphs of several units share the cache: where one graph fits and two do not, it "
            "predicts too few cycles. Nor does it know that the units compete for open rows of DRAM.",
            *(
                f"For {operation} the model is off by {100 * _error(errors, operation):.0f} % in the median, so it "
                "predicts nothing for other memories."
                for operation in wrong
            ),
        ],
        plots,
        tables,
        cut=store.cut("cereal"),
    )


def _future(ones: dict[str, list[Counters]], memory: Memory) -> Table:
    lines = []
    for operation, found in ones.items():
        for name, (ports, latency) in FUTURE.items():
            there = replace(memory, ports=ports, latency=latency)
            gains = [geometric_mean([of.cycles / predict(of, units, there).cycles for of in found]) for units in UNITS]
            bounds = [predict(of, UNITS[-1], there).bound for of in found]
            lines.append(
                [operation, name, *(f"{gain:.2f}" for gain in gains), max(sorted(set(bounds)), key=bounds.count)]
            )
    return Table(
        "Predicted, not simulated: objects in the time in which one unit does one on this memory, geometric means",
        [
            "operation",
            "memory",
            *(f"{units} unit{'s' if units > 1 else ''}" for units in UNITS),
            f"{UNITS[-1]} are mostly bound by",
        ],
        lines,
    )


def _points(panels: dict):
    from study.report import plots

    panels = {
        title: found | {"simulated": sorted({(x, x) for points in found.values() for x, _ in points})}
        for title, found in panels.items()
    }
    return plots.lines(panels, "simulated", "predicted", points=True)

"""Bars: limits on figures of the suites. A bar is data (study.bench.limits): a name, a selection of rows, a formula, a
limit. Here are the selections and the formulas.

If the rows of a bar were not measured, its figure is None, and page and console say that it was not measured.
study.bench.expected checks that every case was measured."""

from dataclasses import dataclass
from statistics import mean, median
from typing import Callable, Iterable, Sequence

from heapwire.measure.rows import Row
from study.bench import cores, flight
from study.bench.cereal import LARGE, MEDIA, MEDIUM, ONE, OPERATIONS, SMALL, micro
from study.bench.rows import counts, geometric_mean, port_share, slopes, speedups
from study.bench.skyway import both_ways, is_bulk

PORT_BYTES = 16
"""Bytes a cycle of the memory port for which the bars are meant."""
FULL = 0.85
"""Share of the copy unit's rate. If several units reach it on a graph, the port bounds them, so the graph is left out
of the bar of several units."""
BULK = 1 << 16
"""Messages of at least so many bytes are compared with the copy unit."""

Suites = dict[str, list[Row]]
"""Rows of suites by name. Rows measured earlier may be among them."""
Selection = Callable[[list[Row]], list[Row]]
Formula = Callable[[list[Row], Suites], float | None]
"""Returns a figure of selected rows. Some formulas need rows of other suites, too."""


@dataclass(frozen=True)
class Bar:
    """A limit on one figure of a suite: it must be at most `limit`, or with `at_least` at least `limit`."""

    suite: str
    name: str
    rows: Selection
    formula: Formula
    limit: float
    at_least: bool = True

    def figure(self, suites: Suites) -> float | None:
        """Returns the figure, or None if it was not measured."""
        return self.formula(self.rows([row for row in suites.get(self.suite, []) if counts(row)]), suites)


@dataclass(frozen=True)
class Result:
    name: str
    measured: float
    wanted: str
    met: bool


def check(bar: Bar, suites: Suites) -> Result | None:
    """Checks a bar. Returns None if its figure was not measured."""
    measured = bar.figure(suites)
    if measured is None:
        return None
    met = measured >= bar.limit if bar.at_least else measured <= bar.limit
    return Result(bar.name, measured, f"{'>=' if bar.at_least else '<='} {bar.limit:,.4g}", met)


def unmeasured(bars: Sequence[Bar], results: Sequence[Result]) -> list[str]:
    """Returns the names of the bars that have no result."""
    names = {result.name for result in results}
    return [bar.name for bar in bars if bar.name not in names]


def missed(results: Iterable[Result], rows: Iterable[Row]) -> list[str]:
    """Returns the missed bars, as text. The bars are meant for a memory port of 128 bits; at another width none is
    missed."""
    if any(row["port_bytes_per_cycle"] != PORT_BYTES for row in rows):
        return []
    return [f"{result.name}: {result.measured:,.4g}, wanted {result.wanted}" for result in results if not result.met]


# Selections


def pick(op: str = "", case: str = "", prefix: str | tuple[str, ...] = "", engine: str = "") -> Selection:
    """Returns the selection of rows with these values. prefix: of the case."""
    return lambda rows: [
        row
        for row in rows
        if op in ("", row["op"])
        and case in ("", row["case"])
        and engine in ("", row["engine"])
        and str(row["case"]).startswith(prefix)
    ]


def graphs(
    op: str, sizes: Sequence[int] = (SMALL, MEDIUM, LARGE), shapes: tuple[str, ...] = ("",), engine: str = ""
) -> Selection:
    """Returns the selection of microbenchmarks of these sizes, whose names begin with one of the shapes."""
    chosen = pick(op, prefix=shapes, engine=engine)
    return lambda rows: list(micro(chosen(rows), tuple(sizes)))


def bulk(rows: list[Row]) -> list[Row]:
    return [row for row in rows if is_bulk(row)]


# Formulas


def over(*peers: str, engine: str = ONE) -> Formula:
    """The geometric mean of the speed-ups over the fastest of the peers."""

    def figure(rows: list[Row], _: Suites) -> float | None:
        found = list(speedups(rows, peers, engine).values())
        return geometric_mean(found) if found else None

    return figure


def both_ways_over(peer: str, engine: str) -> Formula:
    """The geometric mean of the speed-ups over the peer, both directions together."""

    def figure(rows: list[Row], _: Suites) -> float | None:
        found = [each[peer] / each[engine] for each in both_ways(rows).values() if peer in each and engine in each]
        return geometric_mean(found) if found else None

    return figure


def cycles(each: int = 1) -> Formula:
    """The cycles of the row, or those of one of `each` parts of it."""
    return lambda rows, _: int(rows[0]["cycles"]) / each if rows else None


def slope(rows: list[Row], _: Suites) -> float | None:
    """Cycles an element."""
    return next((line.rate for line in slopes(rows)), None)


def unit_share(row: Row) -> float:
    """Returns the bytes that a unit moved, divided by those that the port could have moved."""
    moved = int(row["read_bytes"]) + int(row["write_bytes"])
    return moved / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))


def share(of: Callable[[list[float]], float]) -> Formula:
    """The units' share of the port: the median, the least or the like of the rows."""
    return lambda rows, _: of([unit_share(row) for row in rows]) if rows else None


def gather_gain(rows: list[Row], _: Suites) -> float | None:
    """How many times as fast eight reads in flight are as one."""
    of = {row["case"]: int(row["cycles"]) for row in rows}
    one, eight = (of.get(f"gather_1024_in_flight_{number}") for number in (1, 8))
    return one / eight if one and eight else None


def of_copy(rows: list[Row], suites: Suites) -> float | None:
    """The bytes a cycle of the slowest message of at least 64 KB, divided by those of the copy unit, which the suite
    `memory` measures: 64 KB, median of bank offsets."""
    copies = pick(prefix=COPIES, engine=ONE)([row for row in suites.get("memory", []) if counts(row)])
    rates = [int(row["wire_bytes"]) / int(row["cycles"]) for row in rows if int(row["wire_bytes"]) >= BULK]
    return min(rates) / (BULK / median(int(row["cycles"]) for row in copies)) if rates and copies else None


COPIES = "copy_64K_bank_offset_"


def two_engines(op: str) -> Formula:
    """The gain of two engines over one."""
    return lambda rows, suites: flight.gain(rows, suites.get(flight.SINGLE, []), op)


def over_core(op: str, group: str) -> Formula:
    """Messages a second and LUT, divided by a core's. The areas come from `make area`."""
    return lambda rows, _: cores.times(rows, op, group, cores.areas())


def a_node(rows: list[Row], _: Suites) -> float | None:
    """The cycles a node of the longest list of either series, whichever is worse."""
    longest: dict[str, tuple[int, float]] = {}
    for row in rows:
        series, _, nodes = str(row["case"]).partition("/")
        longest[series] = max(longest.get(series, (0, 0.0)), (int(nodes), int(row["cycles"]) / int(nodes)))
    return max((rate for _, rate in longest.values()), default=None)


def mean_share(rows: list[Row], _: Suites) -> float | None:
    """The mean share of DRAM's port."""
    return mean(map(port_share, rows)) if rows else None


def copy_share(rows: list[Row]) -> float | None:
    """Returns the copy unit's share of the port. The suite measures it, too."""
    return next((port_share(row) for row in rows if row["case"] == "copy" and row["ok"]), None)


def is_full(row: Row, copy: float | None) -> bool:
    """Returns whether the port bounds the row."""
    return copy is not None and port_share(row) >= FULL * copy


def best(rows: list[Row], suites: Suites) -> float | None:
    """The best share of a graph divided by that of the copy unit."""
    copy = copy_share(suites.get("cereal", []))
    found = [port_share(row) for row in rows if str(row["engine"]).startswith(ONE)]
    return max(found) / copy if found and copy else None


def several(engine: str, limit: float) -> Formula:
    """The geometric mean, over graphs that the port does not bound, of the cycles of one unit divided by those of a
    graph of several units with a graph each. If the port bounds all graphs, the bar is met: its limit."""

    def figure(rows: list[Row], suites: Suites) -> float | None:
        copy = copy_share(suites.get("cereal", []))
        full = {row["case"] for row in rows if row["engine"] == engine and is_full(row, copy)}
        found = speedups(rows, (ONE,), engine)
        free = [gain for case, gain in found.items() if case not in full]
        return geometric_mean(free) if free else limit if found else None

    return figure


def media(rows: list[Row]) -> list[Row]:
    """Selects MediaContent in both directions."""
    return [row for row in rows if row["case"] == MEDIA and row["op"] in OPERATIONS]

"""Estimates the cycles of software for large graphs, by a line through the cycles of the small and the medium graph of
a shape, and says how far such lines can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

from heapwire.measure.rows import Row, complete
from study.bench.cereal import BY_SOFTWARE, LARGE, MEDIUM, OPERATIONS, SERIES, SMALL, Group
from study.bench.objects.workload import Graph
from study.bench.rows import fit, is_fitted

NEAR = 0.1
"""Largest relative error at the third size for which the cycles count as linear."""
Section = tuple[str, str, list[str], list[list[str]]]


def size_of(graph: Graph) -> int:
    """Returns the size over which cycles are linear: objects plus reference slots, as both are visited. For lists and
    trees this is linear in nodes, too."""
    return graph.objects + graph.references


@dataclass(frozen=True)
class Line:
    """The line of one shape, direction and engine: the measured points (size, cycles), the line through the first two
    points, and the size of the large graph."""

    series: str
    operation: str
    engine: str
    points: tuple[tuple[int, int], ...]
    rate: float
    fixed: float
    large: int

    @property
    def told(self) -> int:
        """Cycles of the large graph, by the line."""
        return round(self.fixed + self.rate * self.large)

    @property
    def growth(self) -> float:
        """Cycles a unit of size, medium divided by small. A value above 1 means that the medium graph has exceeded
        something, such as a cache."""
        (small, fewer), (medium, more) = self.points[:2]
        return more / medium / (fewer / small)

    @property
    def error(self) -> float | None:
        """Relative error of the line at the third point, or None if that was not measured."""
        return self.told / self.points[2][1] - 1 if len(self.points) > 2 else None


def lines(rows: Sequence[Row], graphs: Sequence[Graph]) -> Iterator[Line]:
    """Yields the lines of the shapes whose graphs are all there, for software engines whose small and medium rows are
    measured and right."""
    by_name = {graph.name: graph for graph in graphs}
    cycles = {
        (row["case"], row["op"], row["engine"]): int(row["cycles"]) for row in rows if row["ok"] and not is_fitted(row)
    }
    for series in SERIES:
        names = [series.case(series.sizes[size]) for size in (SMALL, MEDIUM, LARGE)]
        if not all(name in by_name for name in names):
            continue
        sizes = [size_of(by_name[name]) for name in names]
        for operation in OPERATIONS:
            for engine in BY_SOFTWARE:
                found = [
                    (size, cycles[name, operation, engine])
                    for name, size in zip(names, sizes)
                    if (name, operation, engine) in cycles
                ]
                if [size for size, _ in found[:2]] == sizes[:2]:
                    yield Line(series.name, operation, engine, tuple(found), *fit(found[:2]), sizes[LARGE])


def rows_of(rows: Sequence[Row], groups: Sequence[Group]) -> list[Row]:
    """Returns a row, marked `fitted`, for each line whose third point was not measured, right or wrong. Such a row
    gives estimated cycles and nothing else."""
    if not rows:
        return []
    graphs = {graph.name: graph for group in groups for graph in group.graphs}
    names = {series.name: series.case(series.sizes[LARGE]) for series in SERIES}
    sample = {str(row["engine"]): row for row in rows}
    measured = {(row["case"], row["op"], row["engine"]) for row in rows if not is_fitted(row)}
    return [
        complete(
            {
                "suite": sample[line.engine]["suite"],
                "case": names[line.series],
                "op": line.operation,
                "engine": line.engine,
                "model": sample[line.engine]["model"],
                "cycles": line.told,
                "object_bytes": graphs[names[line.series]].heap_bytes,
                "layouts": 0,
                "ok": True,
                "fitted": True,
            },
            str(sample[line.engine]["config"]),
            int(sample[line.engine]["port_bytes_per_cycle"]),
        )
        for line in lines(rows, list(graphs.values()))
        if (names[line.series], line.operation, line.engine) not in measured
    ]


def _verdict(line: Line) -> str:
    if line.error is not None:
        return "linear" if abs(line.error) <= NEAR else "**not linear**"
    return "two sizes alone" if line.growth <= 1 + NEAR else "two sizes alone; **not linear** from small to medium"


def section(rows: Sequence[Row], graphs: Sequence[Graph]) -> Section:
    """Returns title, text, head and lines of a table of the suite's page."""
    return (
        "Large graphs by software",
        "Cycles = fixed + rate x size, through the small and the medium graph; size: objects and reference slots. The "
        "large graph is fitted (~), or "
        f"measured, a third size, which tells whether the line is one: it may be {100 * NEAR:.0f} % off. Growth: "
        "cycles a unit of size of the medium graph over the small one's; above "
        "1 the medium graph has left the caches, and the line begins below 0.",
        [
            "shape",
            "operation",
            "engine",
            "small",
            "medium",
            "growth",
            "rate",
            "fixed",
            "large, by the line",
            "large, measured",
            "the line is off by",
            "",
        ],
        [
            [
                line.series,
                line.operation,
                line.engine,
                *(f"{cycles:,}" for _, cycles in line.points[:2]),
                f"{line.growth:.2f}",
                f"{line.rate:.1f}",
                f"{line.fixed:,.0f}",
                f"~{line.told:,}",
                f"{line.points[2][1]:,}" if len(line.points) > 2 else "",
                f"{100 * line.error:+.0f} %" if line.error is not None else "",
                _verdict(line),
            ]
            for line in lines(rows, graphs)
        ],
    )

"""Estimates the cycles of software for large graphs, by a line through the cycles of the small and the medium graph of
a shape, and says how far such lines can be trusted."""

from dataclasses import dataclass
from typing import Iterator, Mapping, Sequence

from heapwire.measure.rows import Row, complete
from study.bench.cereal import BY_SOFTWARE, LARGE, MEDIUM, OPERATIONS, SERIES, SMALL, Group
from study.bench.objects.workload import Graph
from study.bench.rows import fit, is_fitted

NEAR = 0.1
"""Largest relative error at the third size for which the cycles count as linear."""


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
    def verdict(self) -> str:
        """Says whether the cycles are linear, as far as the points tell."""
        if self.error is not None:
            return "linear" if abs(self.error) <= NEAR else "**not linear**"
        return "two sizes alone" if self.growth <= 1 + NEAR else "two sizes alone; **not linear** from small to medium"

    @property
    def error(self) -> float | None:
        """Relative error of the line at the third point, or None if that was not measured."""
        return self.told / self.points[2][1] - 1 if len(self.points) > 2 else None


def lines(rows: Sequence[Row], size: Mapping[str, int]) -> Iterator[Line]:
    """Yields the lines of the shapes whose graphs are all there, for software engines whose small and medium rows are
    measured and right. size: by graph."""
    cycles = {
        (row["case"], row["op"], row["engine"]): int(row["cycles"]) for row in rows if row["ok"] and not is_fitted(row)
    }
    for series in SERIES:
        names = [series.case(series.sizes[size]) for size in (SMALL, MEDIUM, LARGE)]
        if not all(name in size for name in names):
            continue
        sizes = [size[name] for name in names]
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
    found = []
    for line in lines(rows, {name: size_of(graph) for name, graph in graphs.items()}):
        like, case = sample[line.engine], names[line.series]
        if (case, line.operation, line.engine) not in measured:
            key = {"suite": like["suite"], "case": case, "op": line.operation, "engine": line.engine}
            row = {"cycles": line.told, "object_bytes": graphs[case].heap_bytes, "layouts": 0, "ok": True}
            more = {"model": like["model"], "fitted": True}
            found.append(complete(key | row | more, str(like["config"]), int(like["port_bytes_per_cycle"])))
    return found

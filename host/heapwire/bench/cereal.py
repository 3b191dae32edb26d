"""The suite `cereal`: its machines, its cases, the rows that it has."""
from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Iterator

from heapwire.bench.heap import Key
from heapwire.bench.objects import records, shapes
from heapwire.bench.objects.klasses import Klasses
from heapwire.bench.objects.workload import Case, Graph
from heapwire.bench.workload import LAYOUTS

PEERS = ("java", "kryo-generic", "kryo-manual")
SOFTWARE = (*PEERS, "cereal-sw")
ONE, VANILLA = "hw", "hw-vanilla"
MACHINES = {"cereal": (*SOFTWARE, ONE), "cereal-vanilla": (VANILLA,), "cereal-x2": ("hw-x2",), "cereal-x4": ("hw-x4",), "cereal-x8": ("hw-x8",)}
"""The suite's configurations, and who is measured on each."""
FIRST = next(iter(MACHINES))
SCALES = {1: "hw", 2: "hw-x2", 4: "hw-x4", 8: "hw-x8"}
"""Engines by the number of units of each kind."""
SKYWAY, SKYWAY_HW = "skyway-sw", "skyway-hw"
FLIGHT = 1 << 15
BITS = {**{name: 1 << i for i, name in enumerate((*SOFTWARE, ONE, VANILLA, SKYWAY, SKYWAY_HW))}, **{name: FLIGHT for units, name in SCALES.items() if units > 1}}
"""By firmware/bench/serializers.h."""
OPERATIONS = ("serialize", "deserialize")
SMALL, MEDIUM, LARGE = range(3)


@dataclass(frozen=True)
class Series:
    """A microbenchmark: three graphs of one shape. paper: what the paper has of it (table II)."""

    name: str
    sizes: tuple[int, int, int]
    paper: str

    def graph(self, size: int, klasses: Klasses) -> Graph:
        """The graph of one size: levels of a tree, nodes of a list or a graph; its name tells nodes."""
        if self.name.startswith("tree"):
            width = WIDTHS[self.name]
            return Graph(f"{self.name}/{shapes.nodes_of_tree(width, size)}", partial(shapes.tree, width=width, levels=size), klasses)
        if self.name.startswith("list"):
            return Graph(f"{self.name}/{size}", partial(shapes.linked_list, nodes=size), klasses)
        edges = 1 if self.name == "graph-sparse" else size - 1
        return Graph(f"{self.name}/{size}", partial(shapes.graph, nodes=size, edges=edges), klasses)


WIDTHS = {"tree-narrow": 2, "tree-wide": 8}
SERIES = (
    Series("tree-narrow", (8, 11, 14), "2,097,150 nodes of 2 children"),
    Series("tree-wide", (3, 4, 5), "19,173,960 nodes of 8 children"),
    Series("list-small", (512, 4096, 8192), "524,288 nodes"),
    Series("list-large", (2048, 16384, 32768), "2,097,152 nodes"),
    Series("graph-sparse", (512, 2048, 4096), "4,096 nodes of 1 edge"),
    Series("graph-dense", (64, 192, 512), "4,096 nodes of 4,095 edges"),
)
"""Sizes, of 17 KB to 1.7 MB of objects: lists are a 1,024th, a 128th and a 64th of the paper's, trees at most a 64th and a 512th, the dense graph an eighth
of its nodes; the sparse one is at most the paper's own."""
MEDIA = "media/1"
RECORDS = {"nweight": (records.nweight, 60), "svm": (records.svm, 120), "bayes": (records.bayes, 24), "lr": (records.regression, 160),
           "terasort": (records.terasort, 200), "als": (records.als, 600)}
"""Records of Spark's workloads, and how many of them."""


@dataclass(frozen=True)
class Group:
    """Cases of one image's run; layouts: how many link layouts they are measured in."""

    name: str
    graphs: tuple[Graph, ...]
    layouts: int
    warm: int


def groups(klasses: Klasses) -> list[Group]:
    """Small graphs, media and records in all layouts; the others, of which each takes millions of cycles, in one."""
    small = [series.graph(series.sizes[SMALL], klasses) for series in SERIES]
    few = [Graph(MEDIA, records.media, klasses), *(Graph(f"spark-{name}/{count}", partial(build, count=count), klasses)
                                                   for name, (build, count) in RECORDS.items())]
    return [Group("small", tuple(small), LAYOUTS, 2), Group("records", tuple(few), LAYOUTS, 2),
            Group("medium", tuple(series.graph(series.sizes[MEDIUM], klasses) for series in SERIES), 1, 1),
            *(Group(f"large-{series.name}", (series.graph(series.sizes[LARGE], klasses),), 1, 1) for series in SERIES)]


def quick(klasses: Klasses) -> list[Group]:
    """A few objects of each shape: what `make test` runs."""
    few = [Graph("tree", partial(shapes.tree, width=3, levels=2), klasses), Graph("list", partial(shapes.linked_list, nodes=9), klasses),
           Graph("graph", partial(shapes.graph, nodes=7, edges=3), klasses), Graph("media", records.media, klasses),
           *(Graph(name, partial(build, count=3), klasses) for name, (build, _) in RECORDS.items())]
    return [Group("quick", tuple(few), 1, 1)]


def layouts_of(group: Group, engine: str) -> int:
    """Many graphs at a time are measured in one layout."""
    return 1 if BITS[engine] == FLIGHT else group.layouts


def has(graph: Graph, engine: str) -> bool:
    """Graphs that go to several units at a time are independent ones: those of MediaContent are not, as all refer to the same constants of
    enums, which one serialization at a time can have."""
    return BITS[engine] != FLIGHT or not graph.name.startswith("media")


def cases(group: Group, engines: tuple[str, ...]) -> list[Case]:
    """The cases of a machine; none of a group in which no graph is for it."""
    found = [Case(graph, sum({BITS[engine] for engine in engines if has(graph, engine)}), group.warm, SKYWAY in engines or SKYWAY_HW in engines) for graph in group.graphs]
    return [case for case in found if case.engines]


def rows_of_cereal(found: list[Group]) -> list[Key]:
    """The rows of the suite."""
    keys = [(graph.name, operation, engine) for group in found for graph in group.graphs for engines in MACHINES.values()
            for engine in engines if has(graph, engine) for operation in OPERATIONS]
    return [*keys, ("copy", "copy", ONE)]


def micro(rows: list[dict]) -> Iterator[dict]:
    """Rows of the microbenchmarks."""
    names = tuple(f"{series.name}/" for series in SERIES)
    return (row for row in rows if str(row["case"]).startswith(names))

"""The suite `cereal`: its machines, its cases, the engines of each machine, and its rows."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Iterable, Iterator, Sequence

from heapwire.klasses import Klasses
from heapwire.measure.rows import Row
from heapwire.workload.group import LAYOUTS
from study.bench.heap import Key
from study.bench.objects import captured, records, shapes
from study.bench.objects.workload import Case, Graph
from study.records.serializers import SERIALIZER_FLIGHT, Serializer

OURS = (Serializer.CEREAL_SW, Serializer.HW, Serializer.HW_VANILLA, Serializer.SKYWAY_SW, Serializer.SKYWAY_HW)
PEERS = tuple(each.text for each in Serializer if each not in OURS)
SOFTWARE = (*PEERS, "cereal-sw")
ONE, VANILLA = "hw", "hw-vanilla"
MACHINES = {
    "cereal": (*SOFTWARE, ONE),
    "cereal-vanilla": (VANILLA,),
    "cereal-x2": ("hw-x2",),
    "cereal-x4": ("hw-x4",),
    "cereal-x8": ("hw-x8",),
}
"""The suite's configurations, and the engines measured on each."""
FIRST = next(iter(MACHINES))
SCALES = {1: "hw", 2: "hw-x2", 4: "hw-x4", 8: "hw-x8"}
"""Engines by the number of units of each kind."""
SKYWAY, SKYWAY_HW = "skyway-sw", "skyway-hw"
BY_SOFTWARE = (*SOFTWARE, SKYWAY)
"""Engines without units. They take hundreds of cycles an object, and the place of their code in the caches matters."""
OF_ANY_CLASS = tuple(name for name in BY_SOFTWARE if name != "kryo-manual")
"""Software that serializes objects of classes for which nobody wrote a serializer by hand."""
FLIGHT = 1 << SERIALIZER_FLIGHT
BITS = {
    **{each.text: 1 << each for each in Serializer},
    **{name: FLIGHT for units, name in SCALES.items() if units > 1},
}
"""Bits of engines."""
OPERATIONS = ("serialize", "deserialize")
SMALL, MEDIUM, LARGE = range(3)


@dataclass(frozen=True)
class Series:
    """A microbenchmark: three graphs of one shape. paper: the paper's graph (table II). third: the software that is
    also measured on the largest graph."""

    name: str
    sizes: tuple[int, int, int]
    paper: str
    third: tuple[str, ...] = ()

    def case(self, size: int) -> str:
        return f"{self.name}/{shapes.nodes_of_tree(WIDTHS[self.name], size) if self.name in WIDTHS else size}"

    def graph(self, size: int, klasses: Klasses) -> Graph:
        """Returns the graph of one size. The size means levels of a tree, or nodes of a list or graph. The name always
        gives nodes."""
        if self.name in WIDTHS:
            return Graph(self.case(size), partial(shapes.tree, width=WIDTHS[self.name], levels=size), klasses)
        if self.name.startswith("list"):
            return Graph(self.case(size), partial(shapes.linked_list, nodes=size), klasses)
        edges = 1 if self.name == "graph-sparse" else size - 1
        return Graph(self.case(size), partial(shapes.graph, nodes=size, edges=edges), klasses)


WIDTHS = {"tree-narrow": 2, "tree-wide": 8}
SERIES = (
    Series("tree-narrow", (8, 11, 14), "2,097,150 nodes of 2 children"),
    Series("tree-wide", (3, 4, 5), "19,173,960 nodes of 8 children", third=PEERS),
    Series("list-small", (512, 4096, 8192), "524,288 nodes"),
    Series("list-large", (2048, 16384, 32768), "2,097,152 nodes"),
    Series("graph-sparse", (512, 2048, 4096), "4,096 nodes of 1 edge"),
    Series("graph-dense", (64, 192, 512), "4,096 nodes of 4,095 edges"),
)
"""Sizes, with 17 KB to 1.7 MB of objects. Lists are a 1,024th, a 128th and a 64th of the paper's, trees at most a 64th
and a 512th. The dense graph has an eighth of the paper's nodes; the sparse one is at most the paper's own."""
SHAPES = {series.case(size): series.name for series in SERIES for size in series.sizes}
"""The names of the shapes, by those of their graphs."""
MEDIA = "media/1"
RECORDS = {
    "nweight": (records.nweight, 60),
    "svm": (records.svm, 120),
    "bayes": (records.bayes, 24),
    "lr": (records.regression, 160),
    "terasort": (records.terasort, 200),
    "als": (records.als, 600),
}
"""Records of Spark's workloads, and their numbers."""


@dataclass(frozen=True)
class Group:
    """Cases of one image's run. layouts: number of link layouts in which software is measured. warm: runs of units
    after the first, cold one. software: the software that is measured. layout: number of the layout, if there is
    one."""

    name: str
    graphs: tuple[Graph, ...]
    layouts: int
    warm: int
    software: tuple[str, ...] = BY_SOFTWARE
    layout: int = 0


SMALL_GROUP = "small"
"""The group whose rows say in which layouts software is measured on medium and large graphs."""


def groups(klasses: Klasses) -> list[Group]:
    """Returns the groups. Software measures small graphs, media and records made here in all layouts. It measures
    records captured from Spark in one. Medium graphs, which take millions of cycles each, are measured in the first
    layout and in that which suited the small graph of the shape (`favourites`). Large graphs are for units."""
    small, medium, large = (
        [series.graph(series.sizes[size], klasses) for series in SERIES] for size in (SMALL, MEDIUM, LARGE)
    )
    of_spark = [(f"spark-{name}/{count}", partial(build, count=count)) for name, (build, count) in RECORDS.items()]
    few = [Graph(name, build, klasses) for name, build in [(MEDIA, records.media), *of_spark]]
    return [
        Group(SMALL_GROUP, tuple(small), LAYOUTS, 2),
        Group("records", tuple(few), LAYOUTS, 2),
        Group("medium", tuple(medium), 1, 1),
        Group("captured", tuple(captured.graph(each, klasses) for each in captured.PROGRAMS), 1, 1, OF_ANY_CLASS),
        *(Group(f"large-{series.name}", (graph,), 1, 1, software=series.third) for series, graph in zip(SERIES, large)),
    ]


def quick(klasses: Klasses) -> Group:
    """Returns a group with a few objects of each shape, for `make test`."""
    few = {
        "tree": partial(shapes.tree, width=3, levels=2),
        "list": partial(shapes.linked_list, nodes=9),
        "graph": partial(shapes.graph, nodes=7, edges=3),
        "media": records.media,
        **{name: partial(build, count=3) for name, (build, _) in RECORDS.items()},
    }
    return Group("quick", tuple(Graph(name, build, klasses) for name, build in few.items()), 1, 1)


def layouts_of(group: Group, engine: str) -> int:
    """Returns the number of layouts. The place of the driver's code moves a small graph by up to a twentieth, so one
    unit gets the best of as many layouts as software. Several units at a time are measured in one."""
    return 1 if BITS[engine] == FLIGHT else group.layouts


def has(group: Group, graph: Graph, engine: str) -> bool:
    """Returns whether an engine is measured on a graph of the group. Large graphs are for one unit of each kind: the
    core builds and checks a graph for every unit, which takes most of a run. Graphs that go to several units at a time
    must be independent. Those of MediaContent are not: all refer to the same constants of enums, which only one
    serialization at a time can own."""
    large = group.name.startswith("large")
    if BITS[engine] == FLIGHT:
        return not large and not graph.name.startswith("media")
    if engine in BY_SOFTWARE:
        return engine in group.software
    return not (large and engine == VANILLA)


def cases(group: Group, engines: tuple[str, ...]) -> list[Case]:
    """Returns the cases of an image's run, without graphs that no engine is measured on."""
    found = [
        Case(
            graph,
            sum({BITS[engine] for engine in engines if has(group, graph, engine)}),
            group.warm,
            SKYWAY in engines or SKYWAY_HW in engines,
        )
        for graph in group.graphs
    ]
    return [case for case in found if case.engines]


def runs(found: list[Group], engines: tuple[str, ...]) -> Iterator[tuple[Group, tuple[str, ...]]]:
    """Yields the runs of one machine, each with its engines and a name of its own: software on one graph, warm once;
    units on a group."""
    software = tuple(engine for engine in engines if engine in BY_SOFTWARE)
    units = tuple(engine for engine in engines if engine not in BY_SOFTWARE)
    for group in found:
        for graph in group.graphs:
            mine = tuple(engine for engine in software if has(group, graph, engine))
            if mine:
                yield replace(group, name=f"{graph.name} by software", graphs=(graph,), warm=1), mine
        graphs = tuple(graph for graph in group.graphs if any(has(group, graph, engine) for engine in units))
        if graphs:
            layouts = min(layouts_of(group, engine) for engine in units)
            yield replace(group, name=f"{group.name} by units", graphs=graphs, layouts=layouts), units


def favourites(rows: Sequence[Row]) -> dict[tuple[str, str], int]:
    """Returns the layout in which each software is fastest on the small graph of each shape, both directions together,
    by the names of the shape and of the engine; without those whose favourite is the first layout. rows: those of small
    graphs in all layouts."""
    names = {series.case(series.sizes[SMALL]): series.name for series in SERIES}
    cycles: dict[tuple[str, str], dict[int, int]] = {}
    for row in rows:
        if row["case"] in names and row["engine"] in BY_SOFTWARE:
            of_layout = cycles.setdefault((names[str(row["case"])], str(row["engine"])), {})
            of_layout[int(row["layout"])] = of_layout.get(int(row["layout"]), 0) + int(row["cycles"])
    best = {key: min(of_layout, key=of_layout.__getitem__) for key, of_layout in cycles.items()}
    return {key: layout for key, layout in best.items() if layout}


def is_measured_again(group: Group, graph: Graph) -> bool:
    """Returns whether software that is measured on the graph in the first layout is measured again in its favourite
    one."""
    return group.layouts == 1 and graph.name in SHAPES


def favourite_runs(
    found: list[Group], engines: tuple[str, ...], best: dict[tuple[str, str], int]
) -> Iterator[tuple[Group, tuple[str, ...]]]:
    """Yields the runs of software in its favourite layouts, each with its engines and a name of its own. best: those
    layouts (favourites)."""
    for group in found:
        for graph in filter(partial(is_measured_again, group), group.graphs):
            for layout in range(1, LAYOUTS):
                mine = tuple(
                    engine
                    for engine in engines
                    if best.get((SHAPES[graph.name], engine)) == layout and has(group, graph, engine)
                )
                if mine:
                    name = f"{graph.name} by software in layout {layout}"
                    yield replace(group, name=name, graphs=(graph,), warm=1, layout=layout), mine


def keys_of(found: list[Group], engines: Iterable[str]) -> list[Key]:
    """Returns the keys of rows of these engines, including fitted ones."""
    return [
        (graph.name, operation, engine)
        for group in found
        for graph in group.graphs
        for engine in engines
        if has(group, graph, engine) or can_fit(found, group, engine)
        for operation in OPERATIONS
    ]


def rows_of_cereal(found: list[Group]) -> list[Key]:
    """Returns the keys of the suite's rows, including fitted ones."""
    return [*keys_of(found, [engine for engines in MACHINES.values() for engine in engines]), COPY]


COPY = ("copy", "copy", ONE)
"""The row of the copy unit."""


def can_fit(found: list[Group], group: Group, engine: str) -> bool:
    """Returns whether software's cycles on the group's graphs can be fitted from measured smaller graphs."""
    return (
        engine in BY_SOFTWARE
        and engine not in group.software
        and group.name.startswith("large")
        and {"small", "medium"} <= {each.name for each in found}
    )


def micro(rows: list[dict], sizes: tuple[int, ...] = (SMALL, MEDIUM, LARGE)) -> Iterator[dict]:
    """Yields the rows of the microbenchmarks with these sizes."""
    names = {series.case(series.sizes[size]) for series in SERIES for size in sizes}
    return (row for row in rows if row["case"] in names)

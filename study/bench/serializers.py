"""Measures the suites of serializers, `cereal`, `skyway` and `sweep`, each on all its machines at a time."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Callable

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import interface as interface_module
from heapwire.klasses import Klasses
from heapwire.measure import messages
from heapwire.measure.rows import Row, complete
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from heapwire.workload.place import jump_to, load_base
from study.bench import built, cereal, expected, fitted, skyway, sweep
from study.bench.images import Job, rows_of
from study.bench.kept import Kept
from study.bench.objects import workload as objects
from study.bench.rows import merge_layouts
from study.records.objects import WorkloadFlags

Say = Callable[[str], None]
OUT = ROOT / "build" / "bench"
PACE = {True: 40, False: 3}
"""Rough cycles a byte of objects, both ways, by whether an engine is software. Used to start the longest jobs first."""
AROUND = 25
"""Rough cycles a byte to build the graph and to check the result."""


Found = tuple[list[Row], list[str]]
"""The results of a suite: its rows, and the absent rows as text."""


def _length(group: cereal.Group, engines: tuple[str, ...]) -> int:
    lanes = max((units for units, engine in cereal.SCALES.items() if engine in engines), default=1)
    each = sum(PACE[engine in cereal.BY_SOFTWARE] * (1 + group.warm) + AROUND * lanes for engine in engines)
    return sum(graph.heap_bytes for graph in group.graphs) * group.layouts * each


@cache
def _image(machine: Parts, out: Path, layout: str) -> Path:
    return built.image("serializers", machine, out / "serializers", None, layout)


def job(
    group: cereal.Group,
    engines: tuple[str, ...],
    klasses: Klasses,
    machine: Parts,
    out: Path | None = None,
    flags: int = 0,
) -> Job:
    """Returns the job of a group on one machine, with all engines that its graphs have. out: folder of the firmware.
    flags: of the workload."""
    interface = interface_module.load(machine.gen / "heapwire.json")
    layout = "layouts" if group.layouts > 1 else str(group.layout or "")
    image = _image(machine, out or OUT / "images" / machine.name, layout)

    def loads() -> list[tuple[int, bytes]]:
        packed = objects.pack(cereal.cases(group, engines), klasses, flags)
        return [(load_base(interface), packed), *([jump_to(interface, group.layout)] if group.layout else [])]

    return Job(f"{machine.config}: {group.name}", lambda: image, loads, _length(group, engines), machine)


def _of(
    groups: list[cereal.Group], engines: tuple[str, ...], klasses: Klasses, machine: Parts, flags: int = 0
) -> list[Job]:
    """Returns all jobs of a machine for the groups."""
    return [job(group, mine, klasses, machine, flags=flags) for group, mine in cereal.runs(groups, engines)]


def _in_favourites(
    groups: list[cereal.Group], engines: tuple[str, ...], klasses: Klasses, machine: Parts, say: Say, flags: int = 0
) -> list[Row]:
    """Returns the rows of software on a machine in its favourite layouts. Small graphs say which these are, so they are
    measured first unless their rows are kept."""
    if not any(cereal.is_measured_again(group, graph) for group in groups for graph in group.graphs):
        return []
    software = tuple(engine for engine in engines if engine in cereal.BY_SOFTWARE)
    small = [group for group in cereal.groups(klasses) if group.name == cereal.SMALL_GROUP]
    kept = Kept(OUT / "kept")
    best = cereal.favourites(rows_of(_of(small, software, klasses, machine, flags), None, say, kept))
    plan = cereal.favourite_runs(groups, software, best)
    return rows_of([job(group, mine, klasses, machine, flags=flags) for group, mine in plan], None, say, kept)


def _copy(klasses: Klasses, machine: Parts) -> Job:
    """Returns the job that measures the port's best rate."""
    return job(cereal.Group("copy", (), 1, 1), (cereal.ONE,), klasses, machine, flags=WorkloadFlags.COPY)


def _chosen(
    klasses: Klasses, only: tuple[str, ...], one_layout: bool, others: tuple[str, ...] = ()
) -> list[cereal.Group]:
    """Returns groups of graphs. only: names of groups (none: all). one_layout: measures each in one link layout.
    others: additional names that are valid."""
    groups = cereal.groups(klasses)
    known = [*(group.name for group in groups), *others]
    if unknown := [name for name in only if name not in known]:
        raise HeapwireError(messages.no_group(unknown, known))
    return [replace(group, layouts=1) if one_layout else group for group in groups if not only or group.name in only]


def _measured(
    suite: str, found: list[Job], groups: list[cereal.Group], data_width: int, say: Say, more: list[Row]
) -> list[Row]:
    """Runs the jobs. Returns a row for each case and engine, merged over the layouts that it should have, and then the
    fitted rows. Kept rows are not measured again. more: rows in favourite layouts."""
    of_case = {graph.name: group for group in groups for graph in group.graphs}
    repeated = {(row["case"], row["engine"]) for row in more}

    def wanted(row: Row) -> int:
        group = of_case.get(str(row["case"]))
        again = (row["case"], row["engine"]) in repeated
        return (cereal.layouts_of(group, str(row["engine"])) if group else 1) + again

    merged = _merged(suite, [*rows_of(found, None, say, Kept(OUT / "kept")), *more], wanted, data_width)
    return merged + fitted.rows_of(merged, groups)


def _merged(suite: str, rows: list[Row], layouts: Callable[[Row], int], data_width: int) -> list[Row]:
    """Returns complete rows of a suite, merged over their layouts."""
    merged = merge_layouts([row | {"suite": suite} for row in rows], layouts)
    return [complete(row, f"{row['config']}{interface_module.variation()}", data_width // 8) for row in merged]


def measure_cereal(say: Say, data_width: int, only: tuple[str, ...], one_layout: bool = False) -> Found:
    """Measures the suite `cereal`. only: names of groups (none: all)."""
    klasses = built.klasses()
    groups = _chosen(klasses, only, one_layout)
    machines = {config: default_parts(config, data_width) for config in cereal.MACHINES}
    found = [
        each for config, engines in cereal.MACHINES.items() for each in _of(groups, engines, klasses, machines[config])
    ]
    first = machines[cereal.FIRST]
    more = [] if one_layout else _in_favourites(groups, cereal.MACHINES[cereal.FIRST], klasses, first, say)
    rows = _measured("cereal", [*found, _copy(klasses, first)], groups, data_width, say, more)
    return rows, expected.absent(cereal.rows_of_cereal(groups), rows)


def measure_skyway(say: Say, data_width: int, only: tuple[str, ...], one_layout: bool = False) -> Found:
    """Measures the suite `skyway`. only: names of groups of graphs, or that of the programs (none: all)."""
    klasses = built.klasses()
    groups, programs = _chosen(klasses, only, one_layout, (skyway.SHUFFLE,)), not only or skyway.SHUFFLE in only
    first, machine = (default_parts(config, data_width) for config in (cereal.FIRST, skyway.CONFIG))
    found = [
        *_of(groups, cereal.MACHINES[cereal.FIRST], klasses, first),
        *_of(groups, skyway.OWN, klasses, machine, WorkloadFlags.SKYWAY),
    ]
    if programs:
        image = built.image("shuffle", machine, OUT / "images" / machine.name / "shuffle")
        found.append(Job(f"{skyway.CONFIG}: {skyway.SHUFFLE}", lambda: image, lambda: [], 0, machine))
    more = [] if one_layout else _in_favourites(groups, cereal.MACHINES[cereal.FIRST], klasses, first, say)
    more += [] if one_layout else _in_favourites(groups, skyway.OWN, klasses, machine, say, WorkloadFlags.SKYWAY)
    rows = [skyway.checked(row) for row in _measured("skyway", found, groups, data_width, say, more)]
    return rows, expected.absent(skyway.rows_of_skyway(groups, programs), rows)


def measure_sweep(say: Say, data_width: int, only: tuple[str, ...], one_layout: bool = False) -> Found:
    """Measures the suite `sweep`: medium graphs, and the copy, by units of all its machines. only: graphs (none: all);
    one_layout changes nothing, because units are measured in one layout anyway."""
    klasses = built.klasses()
    if unknown := [name for name in only if name not in sweep.graphs()]:
        raise HeapwireError(messages.no_group(unknown, sweep.graphs()))
    medium = next(group for group in cereal.groups(klasses) if group.name == "medium")
    group = replace(medium, graphs=tuple(graph for graph in medium.graphs if not only or graph.name in only))
    machines = {config: default_parts(config, data_width) for config in sweep.MACHINES}
    found = [
        each for config in sweep.MACHINES for each in _of([group], sweep.engines_of(config), klasses, machines[config])
    ]
    rows = [
        row if row["case"] == cereal.COPY[0] else row | {"engine": row["config"]}
        for row in rows_of([*found, _copy(klasses, machines[sweep.BASE])], None, say, Kept(OUT / "kept"))
    ]
    done = _merged("sweep", rows, lambda row: 1, data_width)
    return done, expected.absent(sweep.rows_of_sweep([graph.name for graph in group.graphs]), done)


MEASURES: dict[str, Callable[..., Found]] = {"cereal": measure_cereal, "skyway": measure_skyway, "sweep": measure_sweep}
"""Functions that measure a suite, by suite."""

"""Runs the suites' images on the simulated SoC and writes their results."""
from __future__ import annotations

import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Callable, Iterator, Sequence

from heapwire import firmware, interface as interface_module
from heapwire.bench import bars, cache, cases, cereal, cereal_page, clearing, cores, expected, flight, heap, report, shares, sizes, skyway, skyway_page, traffic, workload
from heapwire.bench.objects import workload as objects
from heapwire.bench.objects.klasses import Klasses
from heapwire.bench.rows import Row, complete, in_name_only, merge_layouts, parse_line
from heapwire.bench.workload import LAYOUTS
from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, Interface
from heapwire.simulation import Parts, module, parts as default_parts

SUITES = ("memory", "core", "protobuf", "heap", "cereal", "skyway")
FIVE_FIT = 32 << 20
"""Bytes of main memory of which an eighth holds the five programs of an image, one a layout."""
ONE_LAYOUT = ("memory",)
"""Suites that measure no software: one layout says it all."""
OF_THE_UNIT = (heap.WAITING,)
"""Operations whose cycles are the unit's: likewise."""
MAX_CYCLES = 20_000_000_000
BENCH = REPOSITORY / "build" / "bench"
"""Where rows and pages go, unless somebody names another folder."""


@dataclass(frozen=True)
class Measurement:
    """A measured suite: its rows and page, what is wrong with it in words."""

    rows: list[Row]
    page: Path
    problems: list[str]


@dataclass(frozen=True)
class Job:
    """An image to build and run. loads: what lies in memory from the start, by address; length: how long it takes, beside
    others, in no unit."""

    name: str
    image: Callable[[], Path]
    loads: Callable[[], list[tuple[int, bytes]]]
    length: int = 0


class ImageFailed(HeapwireError):
    """An image ended with a code other than 0."""


def load_base(interface: Interface) -> int:
    """Where workloads lie: an eighth into main memory (docs/firmware_build.md)."""
    return interface.cluster["memoryBase"] + interface.cluster["memoryBytes"] // 8


def lines_of(image: Path, parts: Parts, loads: list[tuple[int, bytes]]) -> Iterator[str]:
    """Runs an image to its end and yields its lines as they come.

    Raises ImageFailed, after its last line, unless it ends with code 0."""
    sim = module()
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for i, (address, content) in enumerate(loads):
            file = Path(scratch) / f"load{i}"
            file.write_bytes(content)
            files.append((address, file))
        try:
            command = sim.Build.of(**parts.choice).command(
                image, files, ["--quiet", "--with-parent", "--max-cycles", MAX_CYCLES])
        except sim.SimulationError as error:
            raise HeapwireError(str(error)) from error
        log = Path(scratch) / "errors"
        with log.open("wb") as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                yield line.decode(errors="replace").rstrip()
            code = process.wait()
        finally:
            process.kill()
            process.wait()
        if code:
            raise ImageFailed(f"{image.name} ended with code {code}; {log.read_text(errors='replace')[-500:].strip()}")


def _rows_of(job: Job, parts: Parts, say: Callable[[str], None]) -> list[Row]:
    """Builds the image of a job, runs it and collects its rows, or finds those that it printed before.

    Raises ImageFailed if it does not end with code 0, though no row is wrong: such rows are reported."""
    say(f"{job.name}: building the firmware")
    image, loads, rows = job.image(), job.loads(), []
    kept = cache.key(parts, image, loads)
    if found := cache.find(kept):
        say(f"{job.name}: {len(found)} rows of the same machine, program and workload, measured before")
        return found
    try:
        for line in lines_of(image, parts, loads):
            row = parse_line(line)
            if row is None:
                say(f"{job.name}: {line}" if line else "")
                continue
            rows.append(row)
            say(f"{job.name}: layout {row.get('layout', 0)} {row['case']} {row['op']} {row['engine']}: {row['cycles']:,} cycles"
                f"{'' if row.get('ok') is True else '  NOT OK'}")
    except ImageFailed as error:
        if all(row.get("ok") is True for row in rows):
            raise
        say(f"{job.name}: {error}")
        return rows
    cache.keep(kept, rows)
    return rows


def _at_a_time() -> int:
    """How many images run at a time: HEAPWIRE_JOBS, else as many as there are cores for this process."""
    return int(os.environ.get("HEAPWIRE_JOBS") or len(os.sched_getaffinity(0)))


def rows_of(jobs: list[Job], parts: Parts, say: Callable[[str], None]) -> list[Row]:
    """The rows of the jobs, in their order; as many run at a time as there are cores, the longest first."""
    with ThreadPoolExecutor(_at_a_time()) as pool:
        found = {pool.submit(_rows_of, jobs[i], parts, say): i for i in sorted(range(len(jobs)), key=lambda i: -jobs[i].length)}
        rows: dict[int, list[Row]] = {}
        try:
            for future in as_completed(found):
                rows[found[future]] = future.result()
        except BaseException:
            say("stopping: what runs is let to its end")
            pool.shutdown(cancel_futures=True)
            raise
        return [row for i in range(len(jobs)) for row in rows[i]]


def _protobuf_jobs(groups: list[workload.Group], parts: Parts, out: Path) -> list[Job]:
    interface = interface_module.load(parts.gen / "heapwire.json")

    def image(group: workload.Group) -> Path:
        peers = out / group.name / "peers"
        made = firmware.generate_peers(group.schema, group.roots, peers)
        return firmware.build("protobuf", parts, out / group.name, peers if made else None, "layouts" if group.layouts > 1 else "")

    return [Job(group.name, partial(image, group), lambda group=group: [(load_base(interface), workload.pack(group, interface))],
                sum(len(case.data) * len(case.engines) for case in group.cases) * group.layouts) for group in groups]


def _heap_jobs(groups: list[workload.Group], parts: Parts, out: Path, layout: str) -> list[Job]:
    interface = interface_module.load(parts.gen / "heapwire.json")
    every, first = (firmware.build("heap", parts, out / "heap", None, wanted) for wanted in (layout, ""))
    return [Job("heap", lambda: every, lambda: []),
            *(Job(group.name, lambda image=every if group.layouts > 1 else first: image,
                  lambda group=group: [(load_base(interface), workload.pack(group, interface))]) for group in groups)]


def cereal_jobs(groups: list[cereal.Group], engines: tuple[str, ...], klasses: Klasses, parts: Parts, out: Path, flags: int = 0) -> list[Job]:
    """A suite of serializers on one machine. flags: of the workloads (objects.COPY: of the first of them)."""
    interface = interface_module.load(parts.gen / "heapwire.json")
    images = {wanted: firmware.build("serializers", parts, out / "serializers", None, wanted)
              for wanted in {"layouts" if cereal.layouts_of(group, engines[0]) > 1 else "" for group in groups}}

    def image(group: cereal.Group) -> Path:
        return images["layouts" if cereal.layouts_of(group, engines[0]) > 1 else ""]

    return [Job(f"{parts.config}: {group.name}", partial(image, group), lambda group=group, flags=flags if i == 0 else flags & ~objects.COPY: [
        (load_base(interface), objects.pack(cereal.cases(group, engines), klasses, flags))],
        sum(graph.heap_bytes for graph in group.graphs) * len(engines) * group.layouts) for i, group in enumerate(groups)]


def _graphs(klasses: Klasses, only: tuple[str, ...], others: tuple[str, ...] = (), one_layout: bool = False) -> list[cereal.Group]:
    """The groups of graphs of a suite of serializers. only: names of groups (none: all); others: names that are known, too."""
    groups = cereal.groups(klasses)
    known = [*(group.name for group in groups), *others]
    if unknown := [name for name in only if name not in known]:
        raise HeapwireError(cases.no_group(unknown, known))
    return [replace(group, layouts=1) if one_layout else group for group in groups if not only or group.name in only]


def _skyway(say: Callable[[str], None], data_width: int, only: tuple[str, ...], one_layout: bool, folder: Path) -> Measurement:
    """The suite `skyway`, on its machine. only: names of groups, of graphs or that of the programs (none: all)."""
    klasses = Klasses()
    groups, programs = _graphs(klasses, only, (skyway.SHUFFLE,), one_layout), not only or skyway.SHUFFLE in only
    layouts = {graph.name: group.layouts for group in groups for graph in group.graphs}
    machine = default_parts(skyway.CONFIG, data_width)
    out = BENCH / "images" / machine.name
    jobs = cereal_jobs(groups, skyway.ENGINES, klasses, machine, out, objects.SKYWAY)
    if programs:
        jobs.append(Job(skyway.SHUFFLE, lambda: firmware.build("shuffle", machine, out / "shuffle"), lambda: []))
    rows = [skyway.checked(row) for row in rows_of(jobs, machine, say)]
    merged = [complete(row, skyway.CONFIG + interface_module.variation(), data_width // 8) for row in merge_layouts(rows, lambda row: layouts.get(str(row["case"]), 1))]
    absent = expected.absent(skyway.rows_of_skyway(groups, programs), merged)
    return _reported("skyway", merged, absent, skyway_page.sections(merged, [graph for group in groups for graph in group.graphs]), data_width, say, folder)


def _reported(suite: str, rows: list[Row], absent: list[str], sections: Sequence[report.Section], data_width: int, say: Callable[[str], None],
              folder: Path) -> Measurement:
    """Writes the rows and the page of a suite that has machines of its own."""
    width = f"{data_width}{interface_module.variation()}"
    page, results = report.write(suite, rows, folder, bars.of_suite(suite), absent, sections, machine="" if width == "128" else f"@{width}")
    for name in report.unmeasured(bars.of_suite(suite), results):
        say(f"bar not measured: {name}")
    return Measurement(rows, page, problems(rows, absent, results))


def _cereal(say: Callable[[str], None], data_width: int, only: tuple[str, ...], one_layout: bool, folder: Path) -> Measurement:
    """The suite `cereal`, on each of its machines. only: names of groups (none: all)."""
    klasses = Klasses()
    groups = _graphs(klasses, only, one_layout=one_layout)
    of_case = {graph.name: group for group in groups for graph in group.graphs}
    merged: list[Row] = []

    def wanted(row: Row) -> int:
        """In how many layouts: the copy is measured with the first group."""
        return cereal.layouts_of(of_case.get(str(row["case"]), groups[0]), str(row["engine"]))

    for config, engines in cereal.MACHINES.items():
        machine = default_parts(config, data_width)
        out = BENCH / "images" / machine.name
        rows = rows_of(cereal_jobs(groups, engines, klasses, machine, out, objects.COPY if config == cereal.FIRST else 0), machine, say)
        merged += [complete(row, config + interface_module.variation(), data_width // 8) for row in merge_layouts(rows, wanted)]
    absent = expected.absent(cereal.rows_of_cereal(groups), merged)
    graphs = [graph for group in groups for graph in group.graphs]
    return _reported("cereal", merged, absent, cereal_page.sections(merged, graphs), data_width, say, folder)


def _chosen(only: tuple[str, ...]) -> list[workload.Group]:
    groups = cases.groups()
    unknown = [name for name in only if name not in [group.name for group in groups]]
    if unknown:
        raise HeapwireError(cases.no_group(unknown, [group.name for group in groups]))
    return [group for group in groups if not only or group.name in only]


def unit_missing(suite: str, parts: Parts | None = None) -> str | None:
    """Why a machine has not what a suite measures; None if it has."""
    cluster = interface_module.load((parts or default_parts()).gen / "heapwire.json").cluster
    if suite == "memory" and not cluster["units"]["copy"]:
        return f"the suite memory measures the copy unit, which {cluster['config']} has not"
    return None


def run_suite(suite: str, say: Callable[[str], None], parts: Parts | None = None,
              only: tuple[str, ...] = (), every_layout: bool = False, one_layout: bool = False, folder: Path = BENCH) -> Measurement:
    """Measures a suite, as many images at a time as there are cores, and writes its rows and page.

    say: told of progress, a line at a time. only: names of groups of the suites that have them (none: all). every_layout: all of them in all
    layouts, which takes hours; one_layout: all in one, which is quick and unkind to software. folder: where rows and page go."""
    parts = parts or default_parts()
    if parts.like and parts.name.endswith(interface_module.STOCK) and suite != "core":
        raise HeapwireError(f"the suite {suite} measures units, which a CPU of LiteX's own has not. What to do: leave out STOCK, or measure the suite core")
    if parts.like and suite in ("cereal", "skyway"):
        raise HeapwireError(f"the suite {suite} has machines of its own, none is like a board. What to do: leave out LIKE={parts.name.removeprefix(interface_module.LIKE)}")
    if suite == "cereal":
        return _cereal(say, parts.data_width, only, one_layout, folder)
    if suite == "skyway":
        return _skyway(say, parts.data_width, only, one_layout, folder)
    out = BENCH / "images" / parts.name
    if lacks := unit_missing(suite, parts):
        raise HeapwireError(f"{lacks}. What to do: CONFIG=default" + (" without LIKE" if parts.like else ""))
    five_fit = interface_module.load(parts.gen / "heapwire.json").cluster["memoryBytes"] >= FIVE_FIT
    several = five_fit and not one_layout
    layout = "" if suite in ONE_LAYOUT or not several else "layouts"
    groups: list[workload.Group] = []
    if suite == "protobuf":
        if not cases.data_folder():
            say("without jsbs, hyperprotobench and fleetbench: HEAPWIRE_DATA names no folder of real messages (docs/host.md)")
        groups = [replace(group, layouts=LAYOUTS) if every_layout else group for group in _chosen(only)]
        groups = groups if several else [replace(group, layouts=1) for group in groups]
        jobs = _protobuf_jobs(groups, parts, out)
    elif suite == "heap" and not five_fit:
        raise HeapwireError("the suite heap wants 32 MB of main memory")
    elif suite == "heap":
        groups = [group if several else replace(group, layouts=1) for group in heap.heap_groups()]
        jobs = _heap_jobs(groups, parts, out, layout)
    else:
        jobs = [Job(suite, lambda: firmware.build(suite, parts, out / suite, None, layout), lambda: [])]
    if not five_fit and suite not in ONE_LAYOUT:
        say("main memory holds one program, so one link layout is measured, not five")
    rows = rows_of(jobs, parts, say)
    if not rows:
        raise HeapwireError(f"the suite {suite} printed no result")
    layouts = layouts_of(suite, groups) if several else lambda row: 1
    merged = [complete(row, parts.label, parts.data_width // 8) for row in merge_layouts(rows, layouts)]
    absent = expected.absent(expected.rows_of(suite, groups), merged)
    held = [] if parts.like else bars.of_suite(suite)  # they are meant for the simulated board's own memory
    page, results = report.write(suite, merged, folder, held, absent, _sections(suite, merged))
    for name in report.unmeasured(held, results):
        say(f"bar not measured: {name}")
    return Measurement(merged, page, problems(merged, absent, results))


def layouts_of(suite: str, groups: Sequence[workload.Group]) -> Callable[[Row], int]:
    """In how many link layouts a row has to have been measured."""
    of_case = {case.name: group.layouts for group in groups for case in group.cases} if suite == "protobuf" else {}
    return lambda row: 1 if suite in ONE_LAYOUT or row["op"] in OF_THE_UNIT else of_case.get(str(row["case"]), LAYOUTS)


def _sections(suite: str, rows: list[Row]) -> Sequence[report.Section]:
    if suite == "heap":
        return heap.sections(rows)
    sections = (cores.section, shares.section, flight.section, sizes.section, traffic.section, clearing.section) if suite == "protobuf" else ()
    return [found for section in sections if (found := section(rows))[3]]


MISSED = "bar missed: "
"""How a problem begins that is one of a bar alone: the rows are right."""


def problems(rows: list[Row], absent: list[str], results: list[bars.Result]) -> list[str]:
    """Why a measurement does not count: rows that are wrong or absent, or the hardware's in name only, bars that are missed."""
    return [*(f"wrong or incomplete: {row['case']}, {row['op']} ({row['engine']})" for row in rows if not row["ok"]),
            *(f"finished by software: {row['case']}, {row['op']} ({row['engine']})" for row in rows if in_name_only(row)),
            *(f"not measured: {name}" for name in absent), *(f"{MISSED}{text}" for text in bars.missed(results, rows))]

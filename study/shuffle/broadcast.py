"""What an object of JSBS costs when each machine broadcasts its objects to all others: Skyway's Figure 7, on several
machines."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from base.repository import ROOT
from heapwire.revision import revision
from heapwire.simulation import parts
from study.shuffle import jsbs
from study.shuffle.demo import Medium
from study.shuffle.runs import Run

TARGET = ROOT / "build" / "bench" / "broadcast.jsonl"
BITS = 8


@dataclass(frozen=True)
class Cost:
    """Cycles of the machine that took longest, for one object: to serialize it, to send it to all others and receive
    one from each of them, to deserialize one. bytes: those of one object, once."""

    serialize: int
    network: int
    deserialize: int
    bytes: int


def cost(run: Run) -> Cost:
    """Returns the average over all objects and rounds."""
    objects, others = run.scale * jsbs.ROUNDS, run.machines - 1
    return Cost(
        run.serialize // objects,
        run.transfer // objects,
        run.deserialize // (objects * others),
        run.bytes // (objects * others * run.machines),
    )


def rows(done: Sequence[Run], medium: Medium) -> list[dict]:
    """Returns a row of the suites' form for each run."""
    machine = parts()
    return [
        {
            "suite": "broadcast",
            "case": f"media/{run.scale}x{run.machines}",
            "op": "broadcast",
            "engine": run.serializer,
            "model": "managed",
            "cycles": run.cycles,
            "serialize_cycles": each.serialize,
            "network_cycles": each.network,
            "deserialize_cycles": each.deserialize,
            "wire_bytes": each.bytes,
            "machines": run.machines,
            "objects": run.scale * jsbs.ROUNDS,
            "byte_cycles": medium.byte_cycles,
            "port_bytes_per_cycle": machine.data_width // BITS,
            "fallbacks": run.fallbacks,
            "layouts": 1,
            "config": machine.label,
            "ok": run.problem is None,
            "revision": revision(),
        }
        for run in done
        for each in [cost(run)]
    ]


def write(done: Sequence[Run], medium: Medium, target: Path = TARGET) -> None:
    """Writes the rows of several machines, in place of those of an earlier run. Writes nothing if a result is wrong, or
    of two machines, which have a line of their own and are not what the paper's figure shows."""
    if medium.machines < 3 or any(run.problem for run in done):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(".new")
    fresh.write_text("".join(json.dumps(row) + "\n" for row in rows(done, medium)))
    os.replace(fresh, target)

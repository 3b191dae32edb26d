"""What an object of JSBS costs when each machine broadcasts its objects to all others: Skyway's Figure 7, on several
machines."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from base.repository import ROOT
from heapwire.measure.rows import complete
from heapwire.revision import revision
from heapwire.simulation import parts
from study.bench.kept import replace
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
    machine, found = parts(), []
    for run in done:
        each = cost(run)
        names = {"suite": "broadcast", "case": f"media/{run.scale}x{run.machines}", "op": "broadcast"}
        names |= {"engine": run.serializer, "model": "managed", "revision": revision()}
        costs = {"serialize_cycles": each.serialize, "network_cycles": each.network, "wire_bytes": each.bytes}
        costs |= {"deserialize_cycles": each.deserialize, "cycles": run.cycles, "byte_cycles": medium.byte_cycles}
        counts = {"machines": run.machines, "objects": run.scale * jsbs.ROUNDS, "fallbacks": run.fallbacks}
        row = names | costs | counts | {"ok": run.problem is None}
        found.append(complete(row, machine.label, machine.data_width // BITS))
    return found


def write(done: Sequence[Run], medium: Medium, target: Path = TARGET) -> None:
    """Writes the rows of several machines, in place of those of an earlier run. Writes nothing if a result is wrong, or
    of two machines, which have a line of their own and are not what the paper's figure shows."""
    if medium.machines < 3 or any(run.problem for run in done):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    replace(target, "".join(json.dumps(row) + "\n" for row in rows(done, medium)))

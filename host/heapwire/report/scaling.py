"""What several units on several memory ports would take, from the counters of one.

N independent objects, one for each unit, take together as long as the narrowest of four places, each counted in cycles an object:

- the units: what one object takes alone, over N; of that, cycles in which the unit waits for memory grow with the memory's latency;
- the core: the driver's part of a call, which one core does for all;
- the ports: bytes that the units read and wrote, over what the ports move at best (the copy unit's rate);
- DRAM: blocks that the shared cache fetched and wrote back for one unit, at the rate of random blocks with many in flight.

What it leaves out: that the objects of several units share the cache, and so fetch more blocks each than one alone; waits of units for each other; refresh."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from heapwire.bench.rows import Row

BLOCK = 64
"""Bytes of a block of the shared cache."""
GATHER, READS = "gather_1024_in_flight_0", 1024
"""The case of the suite `memory` that reads random blocks, as many in flight as the unit can have, and how many it reads."""


@dataclass(frozen=True)
class Memory:
    """ports: how many; width: bytes a cycle of each; copied: share of that which a copy reaches; block: cycles of a random block of one
    port's DRAM, many in flight, None if it was not measured; latency: over that of the memory that was measured."""

    width: int
    ports: int = 1
    copied: float = 1.0
    block: float | None = None
    latency: float = 1.0


@dataclass(frozen=True)
class Counters:
    """Of one object by one unit: all cycles, those in which the unit was busy and in which it waited, bytes by its port, and by DRAM's."""

    cycles: float
    busy: float
    stalled: float
    port: float
    dram: float


@dataclass(frozen=True)
class Prediction:
    """Cycles an object, and which place is the narrowest."""

    cycles: float
    bound: str


def counters(row: Row) -> Counters | None:
    """The counters of a row of one unit; None if its machine has none."""
    if not row.get("busy_cycles"):
        return None
    stalled = sum(int(row.get(f"{name}_stall_cycles", 0)) for name in ("read", "write"))
    return Counters(int(row["cycles"]), int(row["busy_cycles"]), stalled, int(row["read_bytes"]) + int(row["write_bytes"]),
                    int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0)))


def predict(of: Counters, units: int, memory: Memory) -> Prediction:
    """Cycles an object with so many units."""
    alone = of.cycles + of.stalled * (memory.latency - 1)
    places = {"units": alone / units, "core": max(of.cycles - of.busy, 0.0), "ports": of.port / (memory.ports * memory.width * memory.copied)}
    if memory.block is not None:
        places["DRAM"] = of.dram / BLOCK * memory.block / memory.ports
    bound = max(places, key=lambda name: places[name])
    return Prediction(places[bound], bound)


def memory_of(rows: Sequence[Row], copies: Sequence[Row], gathers: Sequence[Row]) -> Memory:
    """The memory that rows were measured on. copies, gathers: rows of the copy unit, and of the suite `memory`."""
    copied = [(int(row["read_bytes"]) + int(row["write_bytes"])) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"])) for row in copies if row["case"] == "copy"]
    block = [int(row["cycles"]) / READS for row in gathers if row["case"] == GATHER]
    return Memory(int(rows[0]["port_bytes_per_cycle"]), 1, copied[0] if copied else 1.0, block[0] if block else None)

"""Predicts the cycles of several units on several memory ports, from the counters of one unit.

N independent objects, one for each unit, together take as long as the narrowest of four places. Each is counted in
cycles an object:

- the units: the cycles of one object alone, divided by N. The cycles in which the unit waits for memory grow with
  the memory's latency;
- the core: the driver's part of a call, which one core does for all;
- the ports: bytes that the units read and wrote, divided by the best rate of the ports (that of the copy unit);
- DRAM: blocks that the shared cache fetched and wrote back for one unit, at the rate of random blocks with many in
  flight.

The model ignores that the objects of several units share the cache, so that each fetches more blocks than one object
alone. It also ignores the waits of units for each other, and refresh."""

from dataclasses import dataclass
from typing import Sequence

from heapwire.measure.rows import Row

BLOCK = 64
"""Bytes of a block of the shared cache."""
GATHER, READS = "gather_1024_in_flight_0", 1024
"""The case of the suite `memory` that reads random blocks, with as many in flight as the unit supports, and its number
of reads."""


@dataclass(frozen=True)
class Memory:
    """A memory. ports: number of ports. width: bytes a cycle of each port. copied: share of the width that a copy
    reaches. block: cycles of a random block of one port's DRAM with many in flight, or None if it was not measured.
    latency: relative to the measured memory."""

    width: int
    ports: int = 1
    copied: float = 1.0
    block: float | None = None
    latency: float = 1.0


@dataclass(frozen=True)
class Counters:
    """Counters of one object by one unit: all cycles, the cycles in which the unit was busy and in which it waited,
    bytes through its port, and bytes through DRAM's."""

    cycles: float
    busy: float
    stalled: float
    port: float
    dram: float


@dataclass(frozen=True)
class Prediction:
    """Cycles an object, and the narrowest place."""

    cycles: float
    bound: str


def counters(row: Row) -> Counters | None:
    """Returns the counters of a row of one unit, or None if its machine has none."""
    if not row.get("busy_cycles"):
        return None
    stalled = sum(int(row.get(f"{name}_stall_cycles", 0)) for name in ("read", "write"))
    return Counters(
        int(row["cycles"]),
        int(row["busy_cycles"]),
        stalled,
        int(row["read_bytes"]) + int(row["write_bytes"]),
        int(row.get("dram_read_bytes", 0)) + int(row.get("dram_write_bytes", 0)),
    )


def predict(of: Counters, units: int, memory: Memory) -> Prediction:
    """Returns the predicted cycles an object with this number of units."""
    alone = of.cycles + of.stalled * (memory.latency - 1)
    places = {
        "units": alone / units,
        "core": max(of.cycles - of.busy, 0.0),
        "ports": of.port / (memory.ports * memory.width * memory.copied),
    }
    if memory.block is not None:
        places["DRAM"] = of.dram / BLOCK * memory.block / memory.ports
    bound = max(places, key=lambda name: places[name])
    return Prediction(places[bound], bound)


def memory_of(rows: Sequence[Row], copies: Sequence[Row], gathers: Sequence[Row]) -> Memory:
    """Returns the memory on which rows were measured. copies, gathers: rows of the copy unit, and of the suite
    `memory`."""
    copied = [
        (int(row["read_bytes"]) + int(row["write_bytes"])) / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))
        for row in copies
        if row["case"] == "copy"
    ]
    block = [int(row["cycles"]) / READS for row in gathers if row["case"] == GATHER]
    return Memory(int(rows[0]["port_bytes_per_cycle"]), 1, copied[0] if copied else 1.0, block[0] if block else None)

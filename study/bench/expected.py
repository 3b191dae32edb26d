"""The rows that a complete measurement of a suite has.

Without this list, nobody would notice a row that an image fails to print."""

from heapwire.measure.rows import Row
from heapwire.workload.group import FLIGHT, STRUCTS, Group
from study.bench import calls, roundtrip
from study.bench.heap import Key, rows_of_heap
from study.bench.limits import CORE_CYCLES
from study.bench.upb import ONLY_READ
from study.records.upb import Upb

MANY = "hw-x"
"""Prefix of the engine for many messages in flight. The number of units follows."""


def _memory() -> list[Key]:
    """Returns the keys of the rows of study/firmware/programs/bench/memory.c."""
    copies = [f"copy_64K_bank_offset_{bank}" for bank in range(8)] + [f"copy/{64 << 2 * i}" for i in range(5)]
    return [
        *((name, "copy", "hw") for name in [*copies, "copy_64K_unaligned"]),
        ("copy_64K_bank_offset_4", "copy", "memcpy"),
        ("fill_64K", "fill", "hw"),
        *((f"gather_1024_in_flight_{n}", "gather", "hw") for n in (1, 2, 4, 8, 0)),
        ("gather_1024_hits_in_flight_1", "gather", "hw"),
        ("gather_1024_hits_of_a_block", "gather", "hw"),
        ("chase_1024_hits", "read", "core"),
        ("chase_1024_misses", "read", "core"),
        ("compare_and_swap", "compare_and_swap", "hw"),
    ]


def _peers_of_core() -> list[Key]:
    """Returns the keys of upb's rows, for each of nanopb."""
    return [
        (case, operation, engine.text)
        for case, operation, measured in CORE_CYCLES
        if measured == "nanopb"
        for engine in Upb
        if operation == "deserialize" or engine.text not in ONLY_READ
    ]


def rows_of(suite: str, groups: list[Group], units: bool = True) -> list[Key]:
    """Returns the keys of the suite's rows. groups: those that were run. units: whether the machine has any."""
    if suite == "memory":
        return _memory()
    if suite == "heap":
        return rows_of_heap(groups)
    if suite == "core":
        return [*CORE_CYCLES, *_peers_of_core(), *([*calls.keys(), *roundtrip.keys()] if units else [])]
    return [
        (case.name, operation, MANY if engine == FLIGHT else engine)
        for group in groups
        for case in group.cases
        for engine in case.engines
        if engine not in STRUCTS or group.nanopb
        for operation in (("deserialize",) if engine in ONLY_READ else ("deserialize", "serialize"))
    ]


def absent(expected: list[Key], rows: list[Row]) -> list[str]:
    """Returns the expected rows that were not measured, as text."""
    found = {
        (row["case"], row["op"], engine)
        for row in rows
        for engine in (row["engine"], MANY if str(row["engine"]).startswith(MANY) else row["engine"])
    }
    return [
        f"{case}, {operation} ({engine})" for case, operation, engine in (key for key in expected if key not in found)
    ]

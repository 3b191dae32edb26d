"""Which rows a complete measurement of a suite has.

A row that an image never prints would otherwise be a case that nobody misses."""
from __future__ import annotations

from heapwire.bench.bars import CORE_CYCLES
from heapwire.bench.rows import Row
from heapwire.bench.workload import Group

Key = tuple[str, str, str]
"""Case, operation, engine."""


def _memory() -> list[Key]:
    """What firmware/bench/memory.c measures."""
    copies = [f"copy_64K_bank_offset_{bank}" for bank in range(8)] + [f"copy/{64 << 2 * i}" for i in range(5)]
    return [*((name, "copy", "hw") for name in [*copies, "copy_64K_unaligned"]), ("copy_64K_bank_offset_4", "copy", "memcpy"),
            ("fill_64K", "fill", "hw"), *((f"gather_1024_in_flight_{n}", "gather", "hw") for n in (1, 2, 4, 8, 0)),
            ("compare_and_swap", "compare_and_swap", "hw")]


ADOPTION, SURVIVAL, END_TO_END = ("hw-arenas", "hw-buffer", "hw-array"), ("hw", "table", "clone"), ("hw", "hw-array", "table")
YOUNG_SIZES = [1024 << 2 * i for i in range(5)]
FULL_SIZES = [4096 << i for i in range(7)]


def _heap(groups: list[Group]) -> list[Key]:
    """What firmware/bench/heap*.c measures: by itself, and of each message what its engines ask for."""
    names = ("object_16", "object_16_handle", "object_16_any_class", "object_16_and_refills", "object_16_handle_and_refills")
    keys = [*((name, "allocate", "runtime") for name in names),
            *((name, "store", "runtime") for name in ("plain", "with_barrier", "barrier")),
            *((f"young_pause/{size}", "young collection", "runtime") for size in YOUNG_SIZES),
            *((f"full_pause/{size}", "full collection", "runtime") for size in FULL_SIZES)]
    for case in (case for group in groups for case in group.cases):
        if "hw" in case.engines:
            keys.append((case.name, "wait", "hw"))
        else:
            keys += [(case.name, operation, engine) for operation, engines in
                     (("adopt", ADOPTION), ("survive", SURVIVAL), ("end to end", END_TO_END)) for engine in engines]
    return keys


def rows_of(suite: str, groups: list[Group]) -> list[Key]:
    """The rows of the suite; `groups` are those that were run."""
    if suite == "memory":
        return _memory()
    if suite == "heap":
        return _heap(groups)
    if suite == "core":
        return list(CORE_CYCLES)
    return [(case.name, "deserialize", engine) for group in groups for case in group.cases for engine in case.engines
            if engine != "nanopb" or group.nanopb]


def absent(expected: list[Key], rows: list[Row]) -> list[str]:
    """The expected rows that were not measured, in words."""
    found = {(row["case"], row["op"], row["engine"]) for row in rows}
    return [f"{case}, {operation} ({engine})" for case, operation, engine in expected
            if (case, operation, engine) not in found]

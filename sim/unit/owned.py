"""What a command owns: the ranges of memory that each master of a unit may read and write while the command runs. The
harness checks every request of every master against them."""

from __future__ import annotations

from typing import Any, NamedTuple

Range = tuple[int, int]
"""The first address, and the address behind the last one."""

BLOCK_BYTES, EPOCHS_BYTES = 64, 32
ARENAS = ("destination", "fixed", "flexible")
ENGINE, SECTIONS = "input table", "values references layouts scan"
MASTERS: dict[str, dict[str, tuple[str, str]]] = {
    "protobuf_deserialize": {
        "input": ("input", ""),
        "tables": ("table", ""),
        "fixed": (ENGINE, "objects"),
        "flexible": (ENGINE, "objects"),
    },
    "protobuf_serialize": {"tables": ("table", ""), "heap": (ENGINE, ""), "output": ("", "objects")},
    "fields": {
        "input": ("input", ""),
        "destination": (ENGINE, "objects"),
        "fixed": (ENGINE, "objects"),
        "flexible": (ENGINE, "objects"),
        "heap": (ENGINE, ""),
        "output": ("", "objects"),
    },
    "cereal_write_object": {
        "heap": ("headers objects", "headers"),
        "output": ("", "output"),
        "work": ("objects side", "output side"),
        "epochs": ("side", ""),
    },
    "cereal_read_object": {"input": (SECTIONS, ""), "image": ("", "objects"), "work": ("starts", "written")},
    "skyway_write_object": {
        "heap": ("headers objects", "headers"),
        "output": ("", "output"),
        "work": ("side", "side"),
        "epochs": ("side", ""),
    },
    "skyway_read_object": {"chunk": (SECTIONS, "objects"), "work": ("starts", "written")},
}
"""For each operation, and for a sequence of field instructions: each range by its name, the masters that may read it,
and those that may write it."""


def owned(interface: Any, name: str, arguments: list[int], registers: dict[int, int]) -> dict[str, Range]:
    """Returns the ranges of a command by their names. interface: heapwire.json, loaded. registers: the runtime
    registers' values, as far as they were written."""
    given = dict(zip(interface.arguments[name], arguments))
    tables, limit, epochs = (
        registers.get(interface.registers[each], 0) for each in ("TABLE_BASE", "TABLE_LIMIT", "OPEN_EPOCHS")
    )
    found = {each: (at, given[f"{each}_limit"]) for each, at in given.items() if f"{each}_limit" in given}
    found |= {each: (at, at + given["length"]) for each, at in given.items() if each in ("input", "chunk")}
    found |= {"tables": (tables, limit), "epochs": (epochs, epochs + EPOCHS_BYTES)}
    if "bound" in given:
        found["heap"] = given["bound"], given["limit"]
    if name == "skyway_write_object":
        base, log2 = given["work"] & ~63, given["work"] & 63
        found["work"] = base, base + (1 << log2)
    return found


class Grant(NamedTuple):
    """A range, and the masters that may read it and write it."""

    low: int
    high: int
    readers: str
    writers: str = ""


def grants(name: str, ranges: dict[str, Range], wrong_tables: bool) -> list[Grant]:
    """Returns what a command, or a sequence, may do in its ranges. wrong_tables: nothing has checked the tables."""
    found = {each: Grant(*ranges[each], *may) for each, may in MASTERS.get(name, {}).items() if each in ranges}
    behind = [
        Grant(found[each].high, found[each].high + overreach(wrong_tables), "table") for each in ARENAS if each in found
    ]
    return [*found.values(), *behind]


def overreach(wrong_tables: bool) -> int:
    """Returns how many bytes behind an arena the engine's master `table` may read although the command does not own
    them. This is the one known weakness. It shows only when the engine reads messages, because then its cache has no
    bounds for objects: the cache fetches the block behind each block of an arena that the engine needs, also behind the
    last one. And a slot that a wrong table places up to 64 KB behind its object's start is read when its list or
    message goes on."""
    return BLOCK_BYTES + (1 << 16 if wrong_tables else 0)

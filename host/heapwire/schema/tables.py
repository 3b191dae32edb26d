"""Descriptor tables: the hash table over field numbers that the units read.

Lookup of n starts in slot (n ^ (n >> shift)) mod slots and goes on cyclically for
up to `max_probe` further slots, until it finds n or an empty slot.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

from heapwire.interface import Interface
from heapwire.schema.layout import Layout
from heapwire.schema.proto import SchemaError
from heapwire.schema.types import MessageType

#: Tables grow to at most 2^this times the smallest power of two that holds the fields.
GROWTH_LOG2 = 2


@dataclass(frozen=True)
class HashTable:
    """Field numbers by slot (0: empty), and how to look them up."""

    slots_log2: int
    shift: int
    max_probe: int
    slots: tuple[int, ...]

    def probes(self, number: int) -> Iterator[int]:
        """The slots that a lookup of `number` may visit, in order."""
        mask = len(self.slots) - 1
        first = number ^ (number >> self.shift)
        return ((first + i) & mask for i in range(self.max_probe + 1))

    def find(self, number: int) -> int | None:
        """Slot of a field number as hardware finds it; None: unknown."""
        for slot in self.probes(number):
            if self.slots[slot] == number:
                return slot
            if self.slots[slot] == 0:
                return None
        return None


def _place(numbers: list[int], slots_log2: int, shift: int) -> tuple[list[int], int, int]:
    """Fills a table, displacing entries nearer to their home first so that the
    longest probe is short. Returns slots, longest and total probe distance."""
    size = 1 << slots_log2
    slots, distances = [0] * size, [0] * size
    for number in numbers:
        slot, distance = (number ^ (number >> shift)) & (size - 1), 0
        while slots[slot]:
            if distances[slot] < distance:
                slots[slot], number = number, slots[slot]
                distances[slot], distance = distance, distances[slot]
            slot, distance = (slot + 1) & (size - 1), distance + 1
        slots[slot], distances[slot] = number, distance
    return slots, max(distances, default=0), sum(distances)


def build_hash(numbers: list[int], interface: Interface) -> HashTable:
    """Searches shift and size for the fewest probes, then the smallest table.

    Numbers are distinct and fit an entry. The search is bounded: 31 shifts times
    GROWTH_LOG2 + 1 sizes; a perfect table ends it."""
    if any(not 0 < number < interface.entry["number"].limit for number in numbers):
        raise SchemaError("a field number outside 1 .. 2^29 - 1")
    smallest = max(len(numbers) - 1, 0).bit_length()
    best: tuple[tuple[int, int, int], HashTable] | None = None
    for slots_log2 in range(smallest, smallest + GROWTH_LOG2 + 1):
        if slots_log2 >= interface.header["slots_log2"].limit:
            break
        for shift in range(1, interface.header["shift"].limit):
            slots, longest, total = _place(numbers, slots_log2, shift)
            cost = (longest, slots_log2, total)
            if best is None or cost < best[0]:
                best = cost, HashTable(slots_log2, shift, longest, tuple(slots))
            if cost[0] == 0:
                return best[1]
    assert best is not None
    if best[1].max_probe >= interface.header["max_probe"].limit:
        raise SchemaError(f"{len(numbers)} field numbers collide too often for a descriptor table")
    return best[1]


@dataclass(frozen=True)
class Table:
    """A type's hash and the size of its descriptor table in bytes."""

    hash: HashTable
    size: int


def plan_table(message: MessageType, interface: Interface) -> Table:
    """The hash of a type's fields, before anything has an address."""
    if len(message.fields) >= interface.header["field_count"].limit:
        raise SchemaError(f"{message.name} has {len(message.fields)} fields; "
                          f"at most {interface.header['field_count'].limit - 1} fit a descriptor table")
    table = build_hash([field.number for field in message.fields], interface)
    return Table(table, interface.descriptor["header_size"] + interface.descriptor["entry_size"] * len(table.slots))


def write_table(data: bytearray, base: int, message: MessageType, layout: Layout, table: Table,
                table_offsets: list[int], interface: Interface) -> None:
    """Writes a descriptor table at byte `base` of `data`, klass word left 0.

    table_offsets: byte offset in `data` of every type's table, by type index."""
    no_offset = interface.descriptor["no_offset"]
    header = {
        "object_size": layout.size,
        "hasbits_offset": layout.hasbits if layout.hasbits_words else no_offset,
        "memoized_size_offset": layout.memoized_size,
        "memoized_is_initialized_offset": layout.memoized_is_initialized,
        "unknown_fields_offset": layout.unknown_fields, "hasbits_words": layout.hasbits_words,
        "slots_log2": table.hash.slots_log2, "shift": table.hash.shift, "max_probe": table.hash.max_probe,
        "field_count": len(message.fields), "magic": interface.descriptor["magic"]}
    for name, value in header.items():
        interface.header[name].put(data, base, value)
    fields = {field.number: field for field in message.fields}
    for slot, number in enumerate(table.hash.slots):
        if not number:
            continue
        field = fields[number]
        at = base + interface.descriptor["header_size"] + interface.descriptor["entry_size"] * slot
        entry = {
            "number": number, "offset": layout.fields[number], "type": field.type.code,
            "repeated": field.repeated, "unsupported": field.unsupported, "has_hasbit": not field.repeated,
            "sub_table": table_offsets[field.sub_type] - base if field.sub_type is not None else 0,
            "hasbit": field.hasbit}
        for name, value in entry.items():
            interface.entry[name].put(data, at, int(value))

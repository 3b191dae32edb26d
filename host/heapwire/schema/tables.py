"""Descriptor tables: the hash table over field numbers that the deserializer reads, the ordered entries that the
serializer walks and, for software, the values of closed enums.

The lookup of n starts in slot (n ^ n >> fold0 ^ n >> fold1) mod slots. It goes on cyclically for up to `max_probe`
further slots, until it finds n or an empty slot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

from heapwire.interface import BitField, Interface
from heapwire.schema.layout import Layout
from heapwire.schema.proto import SchemaError
from heapwire.schema.types import Field, MessageType
from heapwire.wire import LEN as LENGTH

#: A table grows to at most 2^GROWTH_LOG2 times the smallest power of two that holds the fields.
GROWTH_LOG2 = 2

#: Unit, in bytes, of the distance of the enum lists in the header.
ENUM_LISTS_UNIT = 16


@dataclass(frozen=True)
class HashTable:
    """Field numbers by slot (0: empty), and the parameters of the lookup."""

    slots: tuple[int, ...]
    max_probe: int
    folds: tuple[int, int]

    def probes(self, number: int) -> Iterator[int]:
        """Returns the slots that a lookup of `number` may visit, in order."""
        mask = len(self.slots) - 1
        first = _fold(number, self.folds)
        return ((first + i) & mask for i in range(self.max_probe + 1))

    def find(self, number: int) -> int | None:
        """Returns the slot of a field number as hardware finds it, or None if the number is unknown."""
        for slot in self.probes(number):
            if self.slots[slot] == number:
                return slot
            if self.slots[slot] == 0:
                return None
        return None


def _fold(number: int, folds: tuple[int, int]) -> int:
    """Returns the hash of a field number, before it is cut to the bits of the table."""
    return number ^ number >> folds[0] ^ number >> folds[1]


def _place(numbers: list[int], slots_log2: int, folds: tuple[int, int]) -> tuple[list[int], int]:
    """Fills a table. Displaces entries that are nearer to their home, so that the longest probe is short. Returns the
    slots and the longest probe distance."""
    size = 1 << slots_log2
    slots, distances = [0] * size, [0] * size
    for number in numbers:
        slot, distance = _fold(number, folds) & (size - 1), 0
        while slots[slot]:
            if distances[slot] < distance:
                slots[slot], number = number, slots[slot]
                distances[slot], distance = distance, distances[slot]
            slot, distance = (slot + 1) & (size - 1), distance + 1
        slots[slot], distances[slot] = number, distance
    return slots, max(distances, default=0)


def build_hash(numbers: list[int], interface: Interface) -> HashTable:
    """Builds the smallest of the GROWTH_LOG2 + 1 sizes with the fewest probes. Takes a larger size only if a lookup
    cannot express that many probes.

    Numbers are distinct and fit an entry. The search ends at the first size that needs no further probe."""
    if any(not 0 < number < interface.entry["number"].limit for number in numbers):
        raise SchemaError("a field number outside 1 .. 2^29 - 1")
    smallest = max(len(numbers) - 1, 0).bit_length()
    folds = interface.descriptor["fold0"], interface.descriptor["fold1"]
    best: HashTable | None = None
    most, limit = interface.header["last_slot"].limit, interface.header["max_probe"].limit
    for slots_log2 in range(smallest, most.bit_length()):
        if best is not None and (best.max_probe == 0 or best.max_probe < limit and slots_log2 > smallest + GROWTH_LOG2):
            break
        slots, longest = _place(numbers, slots_log2, folds)
        if best is None or longest < best.max_probe:
            best = HashTable(tuple(slots), longest, folds)
    if best is None or best.max_probe >= limit:
        raise SchemaError(f"{len(numbers)} field numbers collide too often for a descriptor table")
    return best


@dataclass(frozen=True)
class Table:
    """A type's hash and the places in its descriptor table, in bytes: offsets of the ordered entries and of the enum
    lists from its base (0: none), and its size."""

    hash: HashTable
    ordered: int
    enum_lists: int
    size: int


def plan_table(message: MessageType, interface: Interface) -> Table:
    """Plans the table of a type's fields, before anything has an address."""
    if len(message.fields) >= interface.header["field_count"].limit:
        raise SchemaError(
            f"{message.name} has {len(message.fields)} fields; "
            f"at most {interface.header['field_count'].limit - 1} fit a descriptor table"
        )
    bits = interface.header["unknown_hasbit"].limit
    if message.unknown_hasbit >= bits:
        raise SchemaError(
            f"{message.name} has {message.unknown_hasbit} fields and oneofs with a bit of their own; at most "
            f"{bits - 1} fit a descriptor table"
        )
    table = build_hash([field.number for field in message.fields], interface)
    header, entry = interface.descriptor["header_size"], interface.descriptor["entry_size"]
    ordered = header + entry * len(table.slots)
    end = ordered + entry * len(message.fields)
    enums = len(_enum_lists(message)[0])
    if enums and end // ENUM_LISTS_UNIT >= interface.header["enum_lists"].limit:
        raise SchemaError(f"{message.name}: its descriptor table is too large for enum lists")
    return Table(table, ordered, end if enums else 0, end + enums)


def _enum_lists(message: MessageType) -> tuple[bytes, dict[int, int]]:
    """Returns, for each field of a closed enum, its number, the number of values, and the values; then a 0: nothing if
    there is no such field. And by field number, at which byte the number of values is."""
    words: list[int] = []
    places = {}
    for field in message.fields:
        if field.enum_range is not None:
            places[field.number] = 4 * len(words) + 4
            words += [field.number, len(field.enum_values), *field.enum_values]
    return b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in [*words, 0]) if words else b"", places


def _entry(
    field: Field, layout: Layout, base: int, table_offsets: list[int], interface: Interface, enum_values: int
) -> dict[str, int]:
    """Returns the parts that a hashed and an ordered entry have in common.

    enum_values: distance of the number of the field's enum values from the table's header."""
    entry = {
        "offset": layout.fields[field.number],
        "type": field.type.code,
        "repeated": field.repeated,
        "unsupported": field.unsupported,
        "has_hasbit": True,
        "check_utf8": field.check_utf8,
        "closed_enum": field.enum_range is not None,
        "in_oneof": field.oneof is not None,
        "packed": field.packed,
        "presence": interface.descriptor[f"presence_{field.presence.value}"],
        "hasbit": field.hasbit,
    }
    if field.oneof is not None:
        entry["case_offset"] = layout.cases[field.oneof]
    if field.sub_type is not None:
        entry["sub_table"] = table_offsets[field.sub_type] - base
    if field.enum_range is not None:
        entry["enum_low"], entry["enum_high"] = field.enum_range
        if field.oneof is None and enum_values < interface.entry["enum_values"].limit:
            entry["enum_values"] = enum_values
    return entry


def _is_usual(layout: Layout, interface: Interface) -> bool:
    """Returns whether the words behind the header of the type's objects are those that units initialize together."""
    first = interface.descriptor["usual_hasbits"]
    words = (layout.hasbits, layout.memoized_size, layout.memoized_is_initialized, layout.unknown_fields)
    return layout.hasbits_words == 1 and words == (first, first + 4, first + 8, first + 12)


def write_table(
    data: bytearray,
    base: int,
    message: MessageType,
    layout: Layout,
    table: Table,
    table_offsets: list[int],
    interface: Interface,
) -> None:
    """Writes a descriptor table at byte `base` of `data`. The klass word stays 0.

    table_offsets: byte offset in `data` of every type's table, by type index."""
    no_offset = interface.descriptor["no_offset"]
    header = {
        "object_size": layout.size,
        "hasbits_offset": layout.hasbits if layout.hasbits_words else no_offset,
        "memoized_size_offset": layout.memoized_size,
        "memoized_is_initialized_offset": layout.memoized_is_initialized,
        "unknown_fields_offset": layout.unknown_fields,
        "hasbits_words": layout.hasbits_words,
        "last_slot": len(table.hash.slots) - 1,
        "max_probe": table.hash.max_probe,
        "map_entry": message.map_entry,
        "has_required": message.has_required,
        "field_count": len(message.fields),
        "required_count": message.required_count,
        "cleared": layout.cleared // interface.descriptor["cleared_unit"],
        "unknown_hasbit": message.unknown_hasbit,
        "usual": _is_usual(layout, interface),
        "enum_lists": table.enum_lists // ENUM_LISTS_UNIT,
        "magic": interface.descriptor["magic"],
    }
    _put(data, base, header, interface.header)
    fields = {field.number: field for field in message.fields}
    lists, places = _enum_lists(message)
    entries = {
        number: _entry(field, layout, base, table_offsets, interface, table.enum_lists + places.get(number, 0))
        for number, field in fields.items()
    }
    entry_size = interface.descriptor["entry_size"]
    for slot, number in enumerate(table.hash.slots):
        if number:
            entry = {"number": number, **entries[number]}
            _put(data, base + interface.descriptor["header_size"] + entry_size * slot, entry, interface.entry)
    for rank, number in enumerate(sorted(fields, reverse=True)):
        entry = {"key": number << 3 | wire_type(fields[number]), **entries[number]}
        _put(data, base + table.ordered + entry_size * rank, entry, interface.entry)
    data[base + table.enum_lists : base + table.enum_lists + len(lists)] = lists


def wire_type(field: Field) -> int:
    """Returns the wire type with which a field is serialized."""
    return LENGTH if field.packed else field.type.wire_type


def _put(data: bytearray, at: int, values: dict[str, int], fields: dict[str, BitField]) -> None:
    for name, value in values.items():
        fields[name].put(data, at, int(value))

"""Lays out the parts of a managed message object.

An object is: header, hasbits words, memoizedSize, memoizedIsInitialized, unknownFields, the oneofs' case words, then
the fields. Fields are placed by the size of their slots, largest first, each aligned to its size. A 4-byte slot fills
the hole that may precede the first 8-byte slot. If new objects are not cleared as a whole, the cleared slots come
first. The members of a oneof share two slots: one for references, and one for all other members, as large as the
largest. So the collector always knows what a slot holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from heapwire.interface import Interface
from heapwire.records import align
from heapwire.schema.proto import SchemaError
from heapwire.schema.types import Field, MessageType, Presence

SLOT = 4
"""Bytes of a reference, a memo and a hasbits word."""


class Clear(Enum):
    """The part of a new object that units clear beside its own words (the ablation of Wu & Schmulbach, section
    5.2.4)."""

    ALL = "all"
    """Every slot."""
    REFERENCES = "references"
    """References, and slots that are read whether the field is present or not."""
    UNASKED = "unasked"
    """Slots that are read before the hasbit is tested. No collector may walk such objects."""

    def slot(self, field: Field) -> bool:
        """Returns whether a field's slot is cleared."""
        if self is Clear.ALL or field.presence in (Presence.IMPLICIT, Presence.ALWAYS):
            return True
        return field.is_reference and (self is Clear.REFERENCES or field.presence is Presence.REFERENCE)


@dataclass(frozen=True)
class Layout:
    """Byte offsets within an object of one message type: `fields` by field number, `cases` by oneof.

    size: bytes, a multiple of the object alignment. cleared: bytes of a new object that are cleared, a multiple of the
    table's unit; 0 means all."""

    size: int
    hasbits: int
    hasbits_words: int
    memoized_size: int
    memoized_is_initialized: int
    unknown_fields: int
    cases: tuple[int, ...]
    fields: dict[int, int]
    references: tuple[int, ...]
    cleared: int


def lay_out(message: MessageType, interface: Interface, clear: Clear = Clear.ALL) -> Layout:
    """Returns the layout of a type's objects.

    Raises SchemaError if the object is larger than a descriptor table can express."""
    hasbits = interface.object["header_size"]
    memoized_size = hasbits + SLOT * message.hasbits_words
    memoized_is_initialized = memoized_size + SLOT
    unknown_fields = memoized_is_initialized + SLOT
    cases = tuple(unknown_fields + SLOT * (1 + i) for i in range(len(message.oneofs)))
    at = unknown_fields + SLOT * (1 + len(cases))

    # A slot serves one field, or the references or the scalars of a oneof. The slot of a repeated field is a reference
    # to its array list.
    slots: dict[tuple[str, int], int] = {}
    first: set[tuple[str, int]] = set()
    for field in message.fields:
        size = SLOT if field.repeated else field.type.size
        slots[_slot_of(field)] = max(size, slots.get(_slot_of(field), 0))
        if clear.slot(field):
            first.add(_slot_of(field))
    offsets: dict[tuple[str, int], int] = {}
    at = _place([slot for slot in slots if slot in first], slots, at, offsets)
    cleared = _cleared(at, interface)
    at = _place([slot for slot in slots if slot not in first], slots, at, offsets)

    size = align(at, interface.object["alignment"])
    limit = interface.header["object_size"].limit
    if size >= limit:
        raise SchemaError(f"{message.name}: its objects would take {size} bytes; they must be smaller than {limit}")
    fields = {field.number: offsets[_slot_of(field)] for field in message.fields}
    references = {fields[field.number] for field in message.fields if field.is_reference}
    return Layout(
        size,
        hasbits,
        message.hasbits_words,
        memoized_size,
        memoized_is_initialized,
        unknown_fields,
        cases,
        fields,
        tuple(sorted([unknown_fields, *references])),
        0 if cleared >= size else cleared,
    )


def _place(
    names: list[tuple[str, int]], slots: dict[tuple[str, int], int], at: int, offsets: dict[tuple[str, int], int]
) -> int:
    """Places slots from byte `at` on, largest first. Returns the end of the last slot."""
    order = sorted(names, key=lambda slot: -slots[slot])
    if order and at % slots[order[0]]:
        filler = next((slot for slot in order if slots[slot] == SLOT), None)
        if filler is not None:
            order.remove(filler)
            order.insert(0, filler)
    for slot in order:
        at = align(at, slots[slot])
        offsets[slot] = at
        at += slots[slot]
    return at


def _cleared(end: int, interface: Interface) -> int:
    """Returns the number of bytes to clear so that all bytes before `end` are cleared. Returns 0, which means all, if
    the table cannot express the number."""
    unit = interface.descriptor["cleared_unit"]
    cleared = align(end, unit)
    return cleared if cleared // unit < interface.header["cleared"].limit else 0


def _slot_of(field: Field) -> tuple[str, int]:
    """Returns a name for the slot that stores a field."""
    if field.oneof is None:
        return "field", field.number
    return ("references" if field.is_reference else "scalars"), field.oneof

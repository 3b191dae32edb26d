"""Where the parts of a managed message object lie.

An object is: header, hasbits words, memoizedSize, memoizedIsInitialized,
unknownFields, the oneofs' case words, then the fields, largest slots first, each
aligned to its size. A 4-byte slot fills the hole that may precede the first 8-byte
one. The members of a oneof share two slots, one for those that are references and
one, as large as the largest, for the others: what a slot holds is never in doubt
for the collector.
"""
from __future__ import annotations

from dataclasses import dataclass

from heapwire.interface import Interface
from heapwire.schema.proto import SchemaError
from heapwire.schema.types import Field, MessageType

SLOT = 4
"""Bytes of a reference, a memo and a hasbits word."""


@dataclass(frozen=True)
class Layout:
    """Byte offsets within an object of one message type; `fields` by field number, `cases` by oneof.

    size: bytes, a multiple of the object alignment."""

    size: int
    hasbits: int
    hasbits_words: int
    memoized_size: int
    memoized_is_initialized: int
    unknown_fields: int
    cases: tuple[int, ...]
    fields: dict[int, int]
    references: tuple[int, ...]


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def lay_out(message: MessageType, interface: Interface) -> Layout:
    """The layout of a type's objects.

    Raises SchemaError if the object is larger than a descriptor table can say."""
    hasbits = interface.object["header_size"]
    memoized_size = hasbits + SLOT * message.hasbits_words
    memoized_is_initialized = memoized_size + SLOT
    unknown_fields = memoized_is_initialized + SLOT
    cases = tuple(unknown_fields + SLOT * (1 + i) for i in range(len(message.oneofs)))
    at = unknown_fields + SLOT * (1 + len(cases))

    # A slot serves one field, or the references or the scalars of a oneof. A
    # repeated field's slot is a reference to its array list.
    slots: dict[tuple[str, int], int] = {}
    for field in message.fields:
        size = SLOT if field.repeated else field.type.size
        slots[_slot_of(field)] = max(size, slots.get(_slot_of(field), 0))
    order = sorted(slots, key=lambda slot: -slots[slot])
    offsets: dict[tuple[str, int], int] = {}
    if order and at % slots[order[0]]:
        filler = next((slot for slot in order if slots[slot] == SLOT), None)
        if filler is not None:
            order.remove(filler)
            order.insert(0, filler)
    for slot in order:
        at = _align(at, slots[slot])
        offsets[slot] = at
        at += slots[slot]

    size = _align(at, interface.object["alignment"])
    limit = interface.header["object_size"].limit
    if size >= limit:
        raise SchemaError(f"{message.name}: its objects would take {size} bytes; they must be smaller than {limit}")
    fields = {field.number: offsets[_slot_of(field)] for field in message.fields}
    references = {fields[field.number] for field in message.fields if field.is_reference}
    return Layout(size, hasbits, message.hasbits_words, memoized_size, memoized_is_initialized, unknown_fields, cases,
                  fields, tuple(sorted([unknown_fields, *references])))


def _slot_of(field: Field) -> tuple[str, int]:
    """Names the slot that a field is stored in."""
    if field.oneof is None:
        return "field", field.number
    return ("references" if field.is_reference else "scalars"), field.oneof

"""Where the parts of a managed message object lie.

An object is: header, hasbits words, memoizedSize, memoizedIsInitialized,
unknownFields, then the fields, largest slots first, each aligned to its size. A
4-byte slot fills the hole that may precede the first 8-byte one.
"""
from __future__ import annotations

from dataclasses import dataclass

from heapwire.interface import Interface
from heapwire.schema.proto import SchemaError
from heapwire.schema.types import MessageType

SLOT = 4
"""Bytes of a reference, a memo and a hasbits word."""


@dataclass(frozen=True)
class Layout:
    """Byte offsets within an object of one message type; `fields` by field number.

    size: bytes, a multiple of the object alignment."""

    size: int
    hasbits: int
    hasbits_words: int
    memoized_size: int
    memoized_is_initialized: int
    unknown_fields: int
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
    at = unknown_fields + SLOT

    # A repeated field's slot is a reference to its array list.
    sizes = {field.number: SLOT if field.repeated else field.type.size for field in message.fields}
    order = sorted(sizes, key=lambda number: -sizes[number])
    offsets: dict[int, int] = {}
    if order and at % sizes[order[0]]:
        filler = next((number for number in order if sizes[number] == SLOT), None)
        if filler is not None:
            order.remove(filler)
            order.insert(0, filler)
    for number in order:
        at = _align(at, sizes[number])
        offsets[number] = at
        at += sizes[number]

    size = _align(at, interface.object["alignment"])
    limit = interface.header["object_size"].limit
    if size >= limit:
        raise SchemaError(f"{message.name}: its objects would take {size} bytes; they must be smaller than {limit}")
    references = [offsets[f.number] for f in message.fields if f.repeated or f.type.is_reference]
    return Layout(size, hasbits, message.hasbits_words, memoized_size, memoized_is_initialized, unknown_fields,
                  offsets, tuple(sorted([unknown_fields, *references])))

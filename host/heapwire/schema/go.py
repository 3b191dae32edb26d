"""Descriptor tables of Go's structs, whose layout is made here: what Go makes of

    struct { Unknown []byte; Presence [n]uint32; Cases [m]uint32; fields in the order of their numbers }

on a machine of 32 bits, if a `uint32` precedes a field of 8 bytes that would not be aligned to these. Strings and bytes
are `string`, repeated fields and maps slices, messages pointers."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor

from heapwire.interface import Interface
from heapwire.records import align
from heapwire.schema.layout import Layout
from heapwire.schema.types import Field, MessageType, message_types
from heapwire.schema.upb import KEPT, UpbTables, is_text, view_tables

WORD, STRING, SLICE = 4, 8, 12


def _slot(field: Field) -> tuple[int, int]:
    """Returns the bytes of a field, and its alignment."""
    if field.repeated:
        return SLICE, WORD
    return (STRING, WORD) if is_text(field) else (field.type.size, field.type.size)


def _layout(message: MessageType) -> Layout:
    cases = SLICE + WORD * message.hasbits_words
    at, offsets = cases + WORD * len(message.oneofs), {}
    for field in message.fields:
        size, alignment = _slot(field)
        offsets[field.number] = align(at, alignment)
        at = offsets[field.number] + size
    return Layout(
        size=align(at, 8),
        hasbits=SLICE,
        hasbits_words=message.hasbits_words,
        memoized_size=WORD * message.hasbits_words,
        memoized_is_initialized=0,
        unknown_fields=KEPT,
        cases=tuple(cases + WORD * i for i in range(len(message.oneofs))),
        fields=offsets,
        references=(),
        cleared=0,
    )


def go_tables(roots: list[Descriptor], interface: Interface) -> UpbTables:
    """Makes the tables of all types that the roots reach.

    Raises SchemaError if a limit of the tables is exceeded."""
    types = [(message, _layout(message)) for message in message_types(roots, interface)]
    return view_tables(types, interface.descriptor["model_go"], lambda field: field.unsupported, interface)

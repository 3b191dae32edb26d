"""Descriptor tables of upb's messages, from the layouts that upb has made of the same types."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Sequence

from google.protobuf.descriptor import Descriptor

from heapwire.interface import Interface
from heapwire.records import align
from heapwire.schema.layout import Layout
from heapwire.schema.proto import SchemaError
from heapwire.schema.tables import plan_table, write_table
from heapwire.schema.types import Field, MessageType, Presence, message_types

FIRST_HASBIT, BITS = 64, 32
"""upb numbers hasbits from the begin of a message. They are kept in words."""
KEPT = 4
"""An offset that says that unknown fields are kept. (upb has them at offset 0, which would say that they are not.)"""


@dataclass(frozen=True)
class UpbLayout:
    """What upb says of a type: bytes of a message; for each field number its offset and `presence`, upb's word: a
    hasbit
    if it is positive, and the complement of the offset of a oneof's case if it is negative."""

    size: int
    fields: dict[int, tuple[int, int]]


@dataclass(frozen=True)
class UpbTables:
    """Tables, where each type's is, and which types software handles. Types are in the order of `messages`."""

    data: bytes
    offsets: tuple[int, ...]
    messages: tuple[MessageType, ...]
    software_only: tuple[bool, ...]


def is_text(field: Field) -> bool:
    """Returns whether the field's values are strings or bytes."""
    return field.type.name in ("STRING", "BYTES")


def _misaligned(field: Field, layout: Layout) -> bool:
    """Returns whether values of eight bytes lie across such words: upb does so in a oneof that has strings, too."""
    return not field.repeated and field.type.log2_size == 3 and layout.fields[field.number] % 8 != 0


def _adapted(message: MessageType, upb: UpbLayout) -> tuple[MessageType, Layout]:
    """Returns the type with hasbits as units use them, and the layout of its messages."""
    # Software makes a map of the entries: an absent part is 0 or empty, whatever upb's hasbits would say.
    hasbits = {n: bit - FIRST_HASBIT for n, (_, bit) in upb.fields.items() if bit > 0 and not message.map_entry}
    size = max(hasbits.values(), default=-1) // 8 + 1
    count = -(-8 * size // BITS) * BITS
    shared: dict[int, int] = {}
    fields = []
    for field in sorted(message.fields, key=lambda field: field.presence is not Presence.REQUIRED):
        bit = hasbits.get(field.number)
        if bit is None and field.oneof is not None:
            bit = shared.get(field.oneof)
        if bit is None:
            bit, count = count, count + 1
            if field.oneof is not None:
                shared[field.oneof] = bit
        presence = field.presence
        if presence is Presence.REFERENCE and not field.repeated:
            presence = Presence.HASBIT
        fields.append(replace(field, hasbit=bit, presence=presence))
    fields.sort(key=lambda field: field.number)
    cases = {field.oneof: ~upb.fields[field.number][1] for field in fields if field.oneof is not None}
    layout = Layout(
        size=align(upb.size, 8),
        hasbits=FIRST_HASBIT // 8,
        hasbits_words=-(-count // BITS),
        memoized_size=size,
        memoized_is_initialized=0,
        unknown_fields=KEPT,
        cases=tuple(cases.get(i, 0) for i in range(len(message.oneofs))),
        fields={number: offset for number, (offset, _) in upb.fields.items()},
        references=(),
        cleared=0,
    )
    return replace(message, fields=tuple(fields), hasbit_count=count), layout


def upb_tables(roots: list[Descriptor], layouts: Sequence[UpbLayout], interface: Interface) -> UpbTables:
    """Makes the tables of all types that the roots reach. layouts: of these types, in the order of
    `heapwire.schema.types.closure`.

    Raises SchemaError if a limit of the tables is exceeded."""
    adapted = [_adapted(*pair) for pair in zip(message_types(roots, interface), layouts, strict=True)]

    def left(field: Field) -> bool:
        return (
            field.unsupported or field.sub_type is not None and field.repeated and adapted[field.sub_type][0].map_entry
        )

    tables = view_tables(adapted, interface.descriptor["model_upb"], left, interface)
    misaligned = (any(_misaligned(field, layout) for field in message.fields) for message, layout in adapted)
    return replace(tables, software_only=tuple(map(max, tables.software_only, misaligned)))


def view_tables(
    types: Sequence[tuple[MessageType, Layout]], model: int, left: Callable[[Field], bool], interface: Interface
) -> UpbTables:
    """Makes the tables of types, all that they reach among them, with their layouts. left: which fields are left to
    software when they are written."""
    plans = [plan_table(message, interface) for message, _ in types]
    offsets, end = [], 0
    for plan in plans:
        offsets.append(end)
        end = align(end + plan.size, interface.descriptor["alignment"])
    data = bytearray(end)
    for (message, layout), plan, offset in zip(types, plans, offsets):
        if layout.size >= interface.header["object_size"].limit:
            raise SchemaError(f"{message.name}: its messages are too large for a descriptor table")
        write_table(data, offset, message, layout, plan, offsets, interface)
        interface.header["model"].put(data, offset, model)
        for rank, field in enumerate(sorted(message.fields, key=lambda field: -field.number)):
            entry = offset + plan.ordered + rank * interface.descriptor["entry_size"]
            if field.repeated or is_text(field):  # the scanner leaves a present one to the program
                interface.entry["unsupported"].put(data, entry, 1)
                interface.entry["check_utf8"].put(data, entry, 0)
            if left(field):
                interface.entry["unsupported"].put(data, entry, 1)
                interface.native_entry["fixed_length"].put(data, entry, 1)
    software_only = tuple(
        layout.hasbits_words > interface.descriptor["max_hasbits_words"]
        or message.required_count > interface.descriptor["max_required"]
        for message, layout in types
    )
    return UpbTables(bytes(data), tuple(offsets), tuple(message for message, _ in types), software_only)

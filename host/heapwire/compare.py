"""Compares a graph read from memory with a message of the official protobuf library.

The comparison is field by field: presence, values (floats bitwise), number and order of repeated elements, maps by key
(of several entries with one key the last one counts), and unknown fields by number, wire type and value.

Methods of a message are looked up in its class, because a field may be called `HasField` and hide the method."""

from __future__ import annotations

import struct

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from heapwire.graph import Node
from heapwire.schema.types import Field


def first_difference(node: Node, message: Message, path: str = "root") -> str | None:
    """Returns the path and description of the first difference, or None if there is none."""
    kind = type(message).DESCRIPTOR
    if node.record.message.name != kind.full_name:
        return f"{path}: is a {node.record.message.name}, not a {kind.full_name}"
    for item in node.record.message.fields:
        descriptor = kind.fields_by_number[item.number]
        difference = _field(node, item, message, descriptor, f"{path}.{item.name}")
        if difference:
            return difference
    kept, expected = unknown_fields(node.unknown), _unknown(UnknownFieldSet(message))
    return None if kept == expected else f"{path}: keeps the unknown fields {_short(kept)}, not {_short(expected)}"


def unknown_fields(data: bytes) -> list[tuple[int, int, object]]:
    """Parses the bytes of unknown fields. Returns number, wire type and value of each; the value of a group is such a
    list."""
    holder = Empty()
    holder.MergeFromString(data)
    return _unknown(UnknownFieldSet(holder))


def _unknown(fields: UnknownFieldSet) -> list[tuple[int, int, object]]:
    return [
        (f.field_number, f.wire_type, _unknown(f.data) if isinstance(f.data, UnknownFieldSet) else f.data)
        for f in fields
    ]


def _field(node: Node, item: Field, message: Message, descriptor: FieldDescriptor, path: str) -> str | None:
    value = node.fields[item.number]
    expected = getattr(message, descriptor.name)
    if item.repeated:
        elements = value or []
        if _is_map(descriptor):
            return _map(elements, expected, descriptor, path)
        if len(elements) != len(expected):
            return f"{path}: has {len(elements)} elements, not {len(expected)}"
        for i, (element, other) in enumerate(zip(elements, expected)):
            difference = _value(element, other, item, f"{path}[{i}]")
            if difference:
                return difference
        return None
    present = item.number in node.present
    if descriptor.has_presence:
        if present != type(message).HasField(message, descriptor.name):
            return f"{path}: is {'present' if present else 'absent'}, which it should not be"
        return _value(value, expected, item, path) if present else None
    if not present:
        # The hasbit may be absent only if the field holds its default.
        return None if not expected and _is_plain_zero(expected) else f"{path}: is absent, not {expected!r}"
    return _value(value, expected, item, path)


def _is_map(descriptor: FieldDescriptor) -> bool:
    entry = descriptor.message_type
    return entry is not None and entry.GetOptions().map_entry


def _is_plain_zero(value: object) -> bool:
    return not isinstance(value, float) or struct.pack("<d", value) == bytes(8)


def _map(entries: list[Node], expected, descriptor: FieldDescriptor, path: str) -> str | None:
    key = descriptor.message_type.fields_by_number[1]
    last: dict[object, Node] = {}
    for entry in entries:
        raw = entry.fields[1]
        if key.type == FieldDescriptor.TYPE_STRING:
            raw = _text(raw or b"")
        last[raw] = entry
    if set(last) != set(expected):
        return f"{path}: has the keys {sorted(map(repr, last))}, not {sorted(map(repr, expected))}"
    for name, entry in last.items():
        if isinstance(name, bytes):  # the library lists such keys, but cannot look them up
            continue
        item = entry.record.message.field(2)
        where, other = f"{path}[{name!r}]", expected[name]
        if 2 in entry.present:
            difference = _value(entry.fields[2], other, item, where)
        elif isinstance(other, Message):
            difference = f"{where}: is absent, not a message" if type(other).SerializePartialToString(other) else None
        else:
            difference = f"{where}: is absent, not {other!r}" if other else None
        if difference:
            return difference
    return None


def _text(raw: bytes) -> str | bytes:
    """Returns a key as the library has it: bytes that are not UTF-8 stay bytes."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _value(value: object, expected: object, item: Field, path: str) -> str | None:
    """Compares one element. `expected` is the library's value."""
    if isinstance(expected, Message):
        return first_difference(value, expected, path)
    if item.type.name in ("FLOAT", "DOUBLE"):
        return (
            None
            if _same_bits(value, expected, item.type.size)
            else (f"{path}: has the bits {value:#x}, not those of {expected!r}")
        )
    if isinstance(expected, str):
        expected = expected.encode("utf-8", "surrogateescape")
    if value != expected:
        return f"{path}: is {_short(value)}, not {_short(expected)}"
    return None


def _same_bits(bits: int, expected: float, size: int) -> bool:
    """Compares bitwise. The quiet bit of a float NaN is ignored, because the library converts it through a double,
    which sets that bit."""
    if size == 8:
        return bits == int.from_bytes(struct.pack("<d", expected), "little")
    if expected != expected:
        quiet = 1 << 22
        wide = int.from_bytes(struct.pack("<d", expected), "little")
        narrow = wide >> 32 & 0x80000000 | 0x7F800000 | wide >> 29 & 0x7FFFFF
        return bits | quiet == narrow | quiet
    return bits == int.from_bytes(struct.pack("<f", expected), "little")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

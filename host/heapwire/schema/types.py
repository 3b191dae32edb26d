"""The types that root messages reach, in the object model's terms."""
from __future__ import annotations

import zlib
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from heapwire.interface import FieldType, Interface
from heapwire.schema.proto import SchemaError

#: Most types that a blob holds.
MAX_TYPES = 4096


@dataclass(frozen=True)
class Field:
    """A field of a message type.

    hasbit: distinct index within the type (singular fields first).
    sub_type: index of its message type in the closure, or None."""

    name: str
    number: int
    type: FieldType
    repeated: bool
    hasbit: int
    unsupported: bool
    sub_type: int | None


@dataclass(frozen=True)
class MessageType:
    """A message type of the closure; fields in order of number."""

    index: int
    name: str
    fields: tuple[Field, ...]
    descriptor: Descriptor

    @property
    def singular_count(self) -> int:
        """Fields that have a hasbit in the object."""
        return sum(not field.repeated for field in self.fields)

    @property
    def hasbits_words(self) -> int:
        """32-bit words of hasbits in the object."""
        return (self.singular_count + 31) // 32

    def field(self, number: int) -> Field | None:
        """The field of that number, if it is known."""
        return next((field for field in self.fields if field.number == number), None)


def _by_number(descriptor: Descriptor) -> list[FieldDescriptor]:
    return sorted(descriptor.fields, key=lambda field: field.number)


def _is_message(field: FieldDescriptor) -> bool:
    """Whether its values are messages; groups are, which software builds."""
    return field.message_type is not None


def closure(roots: list[Descriptor]) -> list[Descriptor]:
    """The roots, as given, and every type they reach, breadth first by field number."""
    order = {root.full_name: root for root in roots}
    queue = list(order.values())
    for descriptor in queue:
        for field in _by_number(descriptor):
            if _is_message(field) and field.message_type.full_name not in order:
                order[field.message_type.full_name] = field.message_type
                queue.append(field.message_type)
    if len(queue) > MAX_TYPES:
        raise SchemaError(f"{roots[0].full_name} reaches {len(queue)} message types; at most {MAX_TYPES} fit")
    return queue


def message_types(roots: list[Descriptor], interface: Interface) -> list[MessageType]:
    """The closure of the roots as message types; index 0 is the first root."""
    descriptors = closure(roots)
    index = {descriptor.full_name: i for i, descriptor in enumerate(descriptors)}
    held = interface.descriptor["max_hasbits_words"] * 32
    types = []
    for i, descriptor in enumerate(descriptors):
        ordered = _by_number(descriptor)
        hasbit = {f.number: n for n, f in enumerate(
            [f for f in ordered if not f.is_repeated] + [f for f in ordered if f.is_repeated])}
        types.append(MessageType(i, descriptor.full_name, tuple(
            Field(
                name=f.name, number=f.number, type=interface.types[f.type], repeated=f.is_repeated,
                hasbit=hasbit[f.number],
                unsupported=f.type == FieldDescriptor.TYPE_GROUP or hasbit[f.number] >= held,
                sub_type=index[f.message_type.full_name] if _is_message(f) else None)
            for f in ordered), descriptor))
    return types


def schema_id(descriptors: list[Descriptor]) -> int:
    """Fingerprint of a closure (docs/schema_blob.md): CRC-32 of its canonical text."""
    lines = []
    for descriptor in descriptors:
        lines.append(descriptor.full_name)
        for field in _by_number(descriptor):
            label = 3 if field.is_repeated else 2 if field.is_required else 1
            sub_type = field.message_type.full_name if field.message_type else "-"
            lines.append(f"{field.number} {field.type} {label} {sub_type}")
    return zlib.crc32("".join(line + "\n" for line in lines).encode()) or 1

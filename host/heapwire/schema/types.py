"""The types that root messages reach, in the terms of the object model."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from heapwire.interface import FieldType, Interface
from heapwire.records.schema import SCHEMA_MAX_TYPES
from heapwire.schema.proto import SchemaError

Utf8 = descriptor_pb2.FeatureSet.Utf8Validation
INT16 = range(-(1 << 15), 1 << 15)


def _utf8_default(file: descriptor_pb2.FileDescriptorProto) -> int:
    """Returns the default of a file without the feature. Only proto2 accepts any bytes."""
    return Utf8.Value("NONE") if file.syntax in ("", "proto2") else Utf8.Value("VERIFY")


def _proto(message: Descriptor) -> descriptor_pb2.DescriptorProto:
    proto = descriptor_pb2.DescriptorProto()
    message.CopyToProto(proto)
    return proto


@lru_cache(maxsize=4096)
def checks_utf8(field: FieldDescriptor) -> bool:
    """Returns whether the field is a string whose bytes must be UTF-8. The nearest setting counts: the field's own
    feature, then those of the enclosing messages and of the file, then the default of the edition.

    protoc gives the fields of a map entry the features of the map field. `GetOptions()` leaves features out."""
    if field.type != FieldDescriptor.TYPE_STRING:
        return False
    file = descriptor_pb2.FileDescriptorProto()
    field.file.CopyToProto(file)
    message, scope = _proto(field.containing_type), field.containing_type
    asked = [next(item for item in message.field if item.number == field.number).options]
    while scope is not None:
        asked.append(_proto(scope).options)
        scope = scope.containing_type
    for options in [*asked, file.options]:
        if options.features.HasField("utf8_validation"):
            return options.features.utf8_validation == Utf8.Value("VERIFY")
    return _utf8_default(file) == Utf8.Value("VERIFY")


def enum_range(enum: EnumDescriptor) -> tuple[int, int]:
    """Returns the longest range (first, last) of 16-bit values that are all declared, or (1, 0) if there is none."""
    values = sorted({value.number for value in enum.values if value.number in INT16})
    best, start = (1, 0), 0
    for i, value in enumerate(values):
        if i and value != values[i - 1] + 1:
            start = i
        if value - values[start] > best[1] - best[0]:
            best = values[start], value
    return best


class Presence(Enum):
    """When a field is serialized. Values name constants of the interface (`presence_<value>`)."""

    HASBIT = "hasbit"
    IMPLICIT = "implicit"
    REFERENCE = "reference"
    CASE = "case"
    ALWAYS = "always"
    REQUIRED = "required"


@dataclass(frozen=True)
class Field:
    """A field of a message type.

    hasbit: index within the type. It is unique, except that the members of a oneof share one. sub_type: index of its
    message type in the closure, or None. oneof: index of its oneof in `MessageType.oneofs`, or None (proto3 `optional`
    makes no oneof). enum_range, enum_values: for a closed enum, a range of declared values, and all declared values."""

    name: str
    number: int
    type: FieldType
    repeated: bool
    hasbit: int
    unsupported: bool
    sub_type: int | None
    packed: bool
    presence: Presence
    check_utf8: bool
    oneof: int | None
    enum_range: tuple[int, int] | None
    enum_values: tuple[int, ...]

    @property
    def is_reference(self) -> bool:
        """Whether the slot holds a reference."""
        return self.repeated or self.type.is_reference


@dataclass(frozen=True)
class MessageType:
    """A message type of the closure. Fields are in the order of their numbers, `oneofs` by name.

    hasbit_count: hasbits in use, including the last one, which is that of the unknown fields. required_count: number of
    required fields, which have the first hasbits. has_required: whether this type or a type that it reaches has
    required fields."""

    index: int
    name: str
    fields: tuple[Field, ...]
    oneofs: tuple[str, ...]
    hasbit_count: int
    required_count: int
    has_required: bool
    map_entry: bool
    descriptor: Descriptor

    @property
    def hasbits_words(self) -> int:
        """32-bit words of hasbits in the object."""
        return (self.hasbit_count + 31) // 32

    @property
    def unknown_hasbit(self) -> int:
        """The hasbit of the list of unknown fields."""
        return self.hasbit_count - 1

    def field(self, number: int) -> Field | None:
        """Returns the field of that number, or None if it is unknown."""
        return next((field for field in self.fields if field.number == number), None)


def _by_number(descriptor: Descriptor) -> list[FieldDescriptor]:
    return sorted(descriptor.fields, key=lambda field: field.number)


def _is_message(field: FieldDescriptor) -> bool:
    """Returns whether the field's values are messages. Groups are messages."""
    return field.message_type is not None


def closure(roots: list[Descriptor]) -> list[Descriptor]:
    """Returns the roots, as given, and every type that they reach, breadth first by field number."""
    order = {root.full_name: root for root in roots}
    queue = list(order.values())
    for descriptor in queue:
        for field in _by_number(descriptor):
            if _is_message(field) and field.message_type.full_name not in order:
                order[field.message_type.full_name] = field.message_type
                queue.append(field.message_type)
    if len(queue) > SCHEMA_MAX_TYPES:
        raise SchemaError(f"{roots[0].full_name} reaches {len(queue)} message types; at most {SCHEMA_MAX_TYPES} fit")
    return queue


def _is_required(field: FieldDescriptor) -> bool:
    """Returns whether a message without the field is incomplete. A map entry without its value has an empty message as
    its value, which lacks its own required fields."""
    if field.containing_type.GetOptions().map_entry:
        return (
            field.number == 2 and _is_message(field) and any(inner.is_required for inner in field.message_type.fields)
        )
    return field.is_required


def _presence(field: FieldDescriptor) -> Presence:
    if field.containing_type.GetOptions().map_entry:
        return Presence.REQUIRED if _is_required(field) else Presence.ALWAYS
    if _oneof(field) is not None:
        return Presence.CASE
    if field.is_repeated or _is_message(field):
        return Presence.REQUIRED if field.is_required else Presence.REFERENCE
    if field.is_required:
        return Presence.REQUIRED
    return Presence.HASBIT if field.has_presence else Presence.IMPLICIT


def _oneof(field: FieldDescriptor) -> str | None:
    """Returns the name of the field's oneof. The synthetic oneof of a proto3 `optional` field does not count."""
    oneof = field.containing_oneof
    if oneof is None or len(oneof.fields) == 1 and oneof.name == f"_{field.name}" and _is_optional(field):
        return None
    return oneof.name


def _is_optional(field: FieldDescriptor) -> bool:
    fields = _proto(field.containing_type).field
    return next(item for item in fields if item.number == field.number).proto3_optional


def _hasbits(ordered: list[FieldDescriptor]) -> dict[int, int]:
    """Returns the hasbit of each field number. Required fields come first, then other singular fields, oneofs and
    repeated fields, each group by number."""

    def rank(field: FieldDescriptor) -> int:
        return 0 if _is_required(field) else 3 if field.is_repeated else 2 if _oneof(field) is not None else 1

    bits: dict[int, int] = {}
    shared: dict[str, int] = {}
    count = 0
    for field in sorted(ordered, key=rank):
        name = _oneof(field)
        if name is not None and name in shared:
            bits[field.number] = shared[name]
            continue
        if name is not None:
            shared[name] = count
        bits[field.number] = count
        count += 1
    return bits


def _reaches_required(descriptors: list[Descriptor]) -> set[str]:
    """Returns the names of the types that have required fields or reach a type that has."""
    users: dict[str, set[str]] = {}
    for descriptor in descriptors:
        for field in descriptor.fields:
            if _is_message(field):
                users.setdefault(field.message_type.full_name, set()).add(descriptor.full_name)
    found = {d.full_name for d in descriptors if any(field.is_required for field in d.fields)}
    queue = list(found)
    while queue:
        fresh = users.get(queue.pop(), set()) - found
        found |= fresh
        queue.extend(fresh)
    return found


def message_types(roots: list[Descriptor], interface: Interface) -> list[MessageType]:
    """Returns the closure of the roots as message types. Index 0 is the first root."""
    descriptors = closure(roots)
    index = {descriptor.full_name: i for i, descriptor in enumerate(descriptors)}
    with_required = _reaches_required(descriptors)
    held = interface.descriptor["max_hasbits_words"] * 32
    types = []
    for i, descriptor in enumerate(descriptors):
        ordered = _by_number(descriptor)
        hasbit = _hasbits(ordered)
        oneofs = sorted({name for name in map(_oneof, ordered) if name is not None})
        required = sum(map(_is_required, ordered))
        fields = []
        for f in ordered:
            closed = f.enum_type is not None and f.enum_type.is_closed
            name = _oneof(f)
            fields.append(
                Field(
                    name=f.name,
                    number=f.number,
                    type=interface.types[f.type],
                    repeated=f.is_repeated,
                    hasbit=hasbit[f.number],
                    unsupported=hasbit[f.number] >= held or required > interface.descriptor["max_required"],
                    sub_type=index[f.message_type.full_name] if _is_message(f) else None,
                    packed=f.is_packed,
                    presence=_presence(f),
                    check_utf8=checks_utf8(f),
                    oneof=oneofs.index(name) if name is not None else None,
                    enum_range=enum_range(f.enum_type) if closed else None,
                    enum_values=tuple(sorted({v.number for v in f.enum_type.values})) if closed else (),
                )
            )
        types.append(
            MessageType(
                i,
                descriptor.full_name,
                tuple(fields),
                tuple(oneofs),
                hasbit_count=max(hasbit.values(), default=-1) + 2,
                required_count=required,
                has_required=descriptor.full_name in with_required,
                map_entry=descriptor.GetOptions().map_entry,
                descriptor=descriptor,
            )
        )
    return types


def schema_id(descriptors: list[Descriptor]) -> int:
    """Returns the fingerprint of a closure (docs/reference/schema_blob.md): the CRC-32 of its canonical text."""
    lines = []
    for descriptor in descriptors:
        lines.append(descriptor.full_name)
        for field in _by_number(descriptor):
            label = 3 if field.is_repeated else 2 if field.is_required else 1
            sub_type = field.message_type.full_name if field.message_type else "-"
            lines.append(f"{field.number} {field.type} {label} {sub_type}")
    return zlib.crc32("".join(line + "\n" for line in lines).encode()) or 1

"""The digest of a message's value (docs/reference/firmware_build.md), computed from the official library's message. The
firmware compares its objects with it."""

from __future__ import annotations

import struct

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FeatureSet
from google.protobuf.message import Message

from heapwire.schema import Schema

MASK = 0xFFFFFFFF


def as_on_the_wire(schema: Schema) -> Schema:
    """Returns a schema with which the library keeps what is on the wire. Maps become repeated entry messages, with
    duplicates and in order. Fields with implicit presence get explicit presence, so that a zero that was sent is
    present."""
    files = descriptor_pb2.FileDescriptorSet.FromString(schema.files.SerializeToString())

    def explicit(options) -> None:
        if options.features.field_presence == FeatureSet.IMPLICIT:
            options.features.field_presence = FeatureSet.EXPLICIT

    def change(messages, proto3: bool) -> None:
        for message in messages:
            message.options.ClearField("map_entry")
            for field in message.field:
                explicit(field.options)
                if proto3 and field.label != field.LABEL_REPEATED and not field.HasField("oneof_index"):
                    field.proto3_optional = True
                    field.oneof_index = len(message.oneof_decl)
                    message.oneof_decl.add(name=f"_{field.name}")
            change(message.nested_type, proto3)

    for file in files.file:
        explicit(file.options)
        change(file.message_type, file.syntax == "proto3")
    return Schema(files, schema.origin)


def mix(state: int, word: int) -> int:
    """Returns the next state of the digest. State and word have 32 bits."""
    product = (state ^ word) * 0x9E3779B1 & MASK
    return (product << 13 | product >> 19) & MASK


def _scalar(field: FieldDescriptor, value) -> int:
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        bits = int.from_bytes(struct.pack("<d", value), "little")
    elif field.type == FieldDescriptor.TYPE_FLOAT:
        bits = int.from_bytes(struct.pack("<f", value), "little")
    else:
        wide = field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
        bits = int(value) & ((1 << 64) - 1 if wide else MASK)
    return mix(mix(1, bits & MASK), bits >> 32)


def _value(field: FieldDescriptor, value) -> int:
    if isinstance(value, Message):
        return digest(value)
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, bytes):
        return _scalar(field, value)
    state = 2
    padded = value + bytes(-len(value) % 4)
    for (word,) in struct.iter_unpack("<I", padded):
        state = mix(state, word)
    return mix(state, len(value))


def digest(message: Message) -> int:
    """Returns the digest of a message parsed with a schema `as_on_the_wire`."""
    total = 4
    for field, value in type(message).ListFields(message):
        if field.is_repeated:
            state = 5
            for element in value:
                state = mix(state, _value(field, element))
            state = mix(state, len(value))
        else:
            state = _value(field, value)
        total = (total + mix(mix(3, field.number), state)) & MASK
    return total

"""The digest of docs/reference/firmware_build.md, computed from the official library's messages."""

import struct

from google.protobuf.descriptor import FieldDescriptor

MASK = 0xFFFFFFFF
REFERENCE = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
WIDE = (
    FieldDescriptor.TYPE_INT64,
    FieldDescriptor.TYPE_UINT64,
    FieldDescriptor.TYPE_FIXED64,
    FieldDescriptor.TYPE_SFIXED64,
    FieldDescriptor.TYPE_SINT64,
)


def mix(value: int, word: int) -> int:
    value = (value ^ word) * 0x9E3779B1 & MASK
    return (value << 13 | value >> 19) & MASK


def _bytes(data: bytes) -> int:
    value = 2
    for at in range(0, len(data), 4):
        value = mix(value, int.from_bytes(data[at : at + 4], "little"))
    return mix(value, len(data))


def _value(field: FieldDescriptor, value) -> int:
    if field.message_type is not None:
        return digest(value)
    if field.type in REFERENCE:
        return _bytes(value.encode() if isinstance(value, str) else value)
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        value = int.from_bytes(struct.pack("<d", value), "little")
    elif field.type == FieldDescriptor.TYPE_FLOAT:
        value = int.from_bytes(struct.pack("<f", value), "little")
    value = int(value)
    return mix(mix(1, value & MASK), value >> 32 & MASK if field.type in WIDE + (FieldDescriptor.TYPE_DOUBLE,) else 0)


def digest(message) -> int:
    """Returns the digest of the fields that `ListFields` lists."""
    total = 4
    for field, value in message.ListFields():
        if field.is_repeated:
            result = 5
            for element in value:
                result = mix(result, _value(field, element))
            result = mix(result, len(value))
        else:
            result = _value(field, value)
        total += mix(mix(3, field.number), result)
    return total & MASK

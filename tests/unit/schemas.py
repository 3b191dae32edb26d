"""Random schemas, random messages of them in any encoding that the wire format allows, and damage."""
from __future__ import annotations

import random

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

from heapwire.schema.proto import Schema

SCALARS = {F.TYPE_DOUBLE: 1, F.TYPE_FLOAT: 5, F.TYPE_INT64: 0, F.TYPE_UINT64: 0, F.TYPE_INT32: 0, F.TYPE_FIXED64: 1, F.TYPE_FIXED32: 5,
           F.TYPE_BOOL: 0, F.TYPE_UINT32: 0, F.TYPE_ENUM: 0, F.TYPE_SFIXED32: 5, F.TYPE_SFIXED64: 1, F.TYPE_SINT32: 0, F.TYPE_SINT64: 0}
"""Wire type of every scalar type."""
ENUM_VALUES = [0, 1, 2, -1, 1_000_000]
KEPT_FROM_USE = range(19000, 20000)


def random_schema(dice: random.Random, texts: bool = True) -> Schema:
    """One to four message types t.M0, t.M1... that refer to each other. texts: string fields, not bytes alone."""
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax="proto2")
    enum = file.enum_type.add(name="E")
    for i, value in enumerate(ENUM_VALUES):
        enum.value.add(name=f"V{i}", number=value)
    count = dice.randint(1, 4)
    for i in range(count):
        message = file.message_type.add(name=f"M{i}")
        span, used = dice.choice([12, 100, 3000, (1 << 29) - 1]), set(KEPT_FROM_USE)
        for _ in range(dice.choice([0, 1, 3, 8, 20, 60])):
            number = dice.randint(1, dice.choice([16, span]))
            if number in used:
                continue
            used.add(number)
            kind = dice.choice([*SCALARS, F.TYPE_STRING if texts else F.TYPE_BYTES, F.TYPE_BYTES, F.TYPE_MESSAGE, F.TYPE_MESSAGE])
            field = message.field.add(name=f"f{number}", number=number, type=kind,
                                      label=dice.choice([F.LABEL_OPTIONAL, F.LABEL_OPTIONAL, F.LABEL_REPEATED]))
            if kind == F.TYPE_MESSAGE:
                field.type_name = f".t.M{dice.randrange(count)}"
            if kind == F.TYPE_ENUM:
                field.type_name = ".t.E"
    return Schema(descriptor_pb2.FileDescriptorSet(file=[file]), "random")


def varint(value: int, padding: int = 0) -> bytes:
    """A varint of 64 bits with up to `padding` bytes more than it needs, ten at most."""
    value &= (1 << 64) - 1
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(value & 0x7F)
    groups += [0] * min(padding, 10 - len(groups))
    return bytes([group | 0x80 for group in groups[:-1]] + [groups[-1]])


def key(dice: random.Random, number: int, wire_type: int, longest: int) -> bytes:
    """A key, sometimes padded, to `longest` bytes at most."""
    value = number << 3 | wire_type
    room = longest - len(varint(value))
    return varint(value, dice.choice([0] * 9 + [dice.randint(0, room)]))


def scalar(dice: random.Random, kind: int) -> bytes:
    """A value of a scalar type."""
    wire_type = SCALARS[kind]
    if wire_type:
        return dice.randbytes(8 if wire_type == 1 else 4)
    value = dice.choice(ENUM_VALUES) if kind == F.TYPE_ENUM else dice.getrandbits(dice.choice([1, 7, 14, 32, 64]))
    return varint(value, dice.choice([0] * 8 + [1, 9]))


def unknown(dice: random.Random, number: int, longest: int, depth: int = 0) -> bytes:
    """A field of any wire type, groups included."""
    wire_type = dice.choice([0, 1, 2, 5, 3] if depth < 3 else [0, 1, 2, 5])
    if wire_type == 3:
        return key(dice, number, 3, longest) + b"".join(unknown(dice, dice.randint(1, 2000), longest, depth + 1) for _ in range(dice.randint(0, 3))) + key(dice, number, 4, longest)
    body = dice.randbytes(dice.choice([0, 1, 5, 16, 40, 100])) if wire_type == 2 else b""
    value = varint(len(body)) + body if wire_type == 2 else scalar(dice, {0: F.TYPE_UINT64, 1: F.TYPE_FIXED64, 5: F.TYPE_FIXED32}[wire_type])
    return key(dice, number, wire_type, longest) + value


def random_message(dice: random.Random, schema: Schema, name: str, depth: int, longest_key: int = 5) -> bytes:
    """Wire bytes: packed and unpacked at will, fields in any order, unknown ones among them.

    The official library refuses keys of more than five bytes; the wire format does not."""
    parts, descriptor = [], schema.descriptor(name)
    for field in descriptor.fields:
        repeated = field.is_repeated
        occurrences = dice.choice([0, 1, 1, 2, 3, 5, 9]) if repeated else dice.choice([0, 1, 1, 1] + ([2] if field.type in SCALARS else []))
        for _ in range(occurrences):
            if field.type == F.TYPE_MESSAGE:
                if not depth:
                    continue
                body = random_message(dice, schema, field.message_type.full_name, depth - 1, longest_key)
            elif field.type in (F.TYPE_STRING, F.TYPE_BYTES):
                body = bytes(dice.choices(b"abcdefg", k=dice.choice([0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 100])))
            elif repeated and dice.random() < 0.5:
                body = b"".join(scalar(dice, field.type) for _ in range(dice.choice([0, 1, 2, 5, 20, 70])))
            else:
                parts.append(key(dice, field.number, SCALARS[field.type], longest_key) + scalar(dice, field.type))
                continue
            parts.append(key(dice, field.number, 2, longest_key) + varint(len(body), dice.choice([0] * 5 + [2])) + body)
    for _ in range(dice.choice([0, 0, 1, 2])):
        number = dice.choice([dice.randint(1, 20), dice.randint(1, 5000)])
        if number not in descriptor.fields_by_number:
            parts.insert(dice.randint(0, len(parts)), unknown(dice, number, longest_key))
    if dice.random() < 0.5:
        dice.shuffle(parts)
    return b"".join(parts)


def damage(data: bytes, dice: random.Random) -> bytes:
    """The bytes with one to four changes: bits, bytes, cuts, insertions, an early end."""
    result = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        at, kind = dice.randrange(len(result)) if result else 0, dice.randrange(5)
        if kind == 0 and result:
            result[at] ^= 1 << dice.randrange(8)
        elif kind == 1 and result:
            result[at] = dice.choice([0, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        elif kind == 2:
            del result[at:at + dice.randint(1, 5)]
        elif kind == 3:
            result[at:at] = dice.randbytes(dice.randint(1, 4))
        else:
            del result[at:]
    return bytes(result)

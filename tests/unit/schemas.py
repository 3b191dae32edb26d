"""Random schemas, random messages of them in any encoding that the wire format allows, and damage."""
from __future__ import annotations

import random

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

from heapwire.schema.features import checks_utf8
from heapwire.schema.proto import Schema

SCALARS = {F.TYPE_DOUBLE: 1, F.TYPE_FLOAT: 5, F.TYPE_INT64: 0, F.TYPE_UINT64: 0, F.TYPE_INT32: 0, F.TYPE_FIXED64: 1, F.TYPE_FIXED32: 5,
           F.TYPE_BOOL: 0, F.TYPE_UINT32: 0, F.TYPE_ENUM: 0, F.TYPE_SFIXED32: 5, F.TYPE_SFIXED64: 1, F.TYPE_SINT32: 0, F.TYPE_SINT64: 0}
"""Wire type of every scalar type."""
ENUMS = {"E": [0, 1, 2, -1, 1_000_000], "S": [0, 1, 2, 3, 40, 41, -7, 70_000, -2_000_000_000]}
"""Enums by name: numbers, dense and sparse."""
KEPT_FROM_USE = range(19000, 20000)
MAP_KEYS = [kind for kind in SCALARS if kind not in (F.TYPE_DOUBLE, F.TYPE_FLOAT, F.TYPE_ENUM)] + [F.TYPE_STRING]
MESSAGES = (F.TYPE_MESSAGE, F.TYPE_GROUP)


def random_schema(dice: random.Random, texts: bool = True) -> Schema:
    """One to four message types t.M0, t.M1... that refer to each other, of proto2 (closed enums, groups,
    required fields) or proto3 (checked strings); with maps and oneofs. texts: string fields, not bytes alone."""
    syntax = dice.choice(["proto2", "proto3"])
    file = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax=syntax)
    for name, numbers in ENUMS.items():
        enum = file.enum_type.add(name=name)
        for i, number in enumerate(numbers):
            enum.value.add(name=f"{name}{i}", number=number)
    count = dice.randint(1, 4)
    string = F.TYPE_STRING if texts else F.TYPE_BYTES
    kinds = [*SCALARS, string, string, F.TYPE_BYTES, F.TYPE_MESSAGE, F.TYPE_MESSAGE] + [F.TYPE_GROUP] * (syntax == "proto2")

    def refer(field, kind):
        field.type = kind
        if kind in MESSAGES:
            field.type_name = f".t.M{dice.randrange(count)}"
        if kind == F.TYPE_ENUM:
            field.type_name = f".t.{dice.choice(list(ENUMS))}"

    for i in range(count):
        message = file.message_type.add(name=f"M{i}")
        for k in range(dice.choice([0, 0, 1, 2])):
            message.oneof_decl.add(name=f"choice{k}")
        needs = dice.random() < 0.3 and syntax == "proto2"
        span, used = dice.choice([12, 100, 3000, (1 << 29) - 1]), set(KEPT_FROM_USE)
        for _ in range(dice.choice([0, 1, 3, 8, 20, 60])):
            number = dice.randint(1, dice.choice([16, span]))
            if number in used:
                continue
            used.add(number)
            field = message.field.add(name=f"f{number}", number=number, label=F.LABEL_OPTIONAL)
            if dice.random() < 0.08:
                entry = message.nested_type.add(name=f"F{number}Entry")
                entry.options.map_entry = True
                refer(entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL), dice.choice([k for k in MAP_KEYS if texts or k != string]))
                refer(entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL), dice.choice([k for k in kinds if k != F.TYPE_GROUP]))
                field.type, field.type_name, field.label = F.TYPE_MESSAGE, f".t.M{i}.F{number}Entry", F.LABEL_REPEATED
                continue
            refer(field, dice.choice(kinds))
            if message.oneof_decl and dice.random() < 0.3:
                field.oneof_index = dice.randrange(len(message.oneof_decl))
            elif needs and dice.random() < 0.3 and field.type not in MESSAGES:
                field.label = F.LABEL_REQUIRED
            else:
                field.label = dice.choice([F.LABEL_OPTIONAL, F.LABEL_OPTIONAL, F.LABEL_REPEATED])
        for k in reversed(range(len(message.oneof_decl))):
            if not any(field.HasField("oneof_index") and field.oneof_index == k for field in message.field):
                message.field.add(name=f"o{k}", number=next(n for n in range(1, 200) if n not in used), label=F.LABEL_OPTIONAL,
                                  type=F.TYPE_INT32, oneof_index=k)
                used.add(message.field[-1].number)
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


def scalar(dice: random.Random, field) -> bytes:
    """A value of a scalar field. Numbers of enums are rarely ones that are not declared."""
    wire_type = SCALARS[field.type]
    if wire_type:
        return dice.randbytes(8 if wire_type == 1 else 4)
    value = dice.getrandbits(dice.choice([1, 7, 14, 32, 64]))
    if field.type == F.TYPE_ENUM:
        value = dice.choice(ENUMS[field.enum_type.name] + [5, -3, 80_000] * (dice.random() < 0.02))
    return varint(value, dice.choice([0] * 8 + [1, 9]))


def text(dice: random.Random, checked: bool) -> bytes:
    """The bytes of a string or bytes field; of a checked one they are rarely not UTF-8."""
    length = dice.choice([0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 100])
    if not checked:
        return bytes(dice.choices(b"abcdefg", k=length))
    data = "".join(dice.choices("ab\x00\x7fé\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff😀€", k=length)).encode()
    if dice.random() < 0.01 and data:
        at = dice.randrange(len(data))
        data = data[:at] + dice.choice([b"\x80", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"]) + data[at:]
    return data


def unknown(dice: random.Random, number: int, longest: int, depth: int = 0) -> bytes:
    """A field of any wire type, groups included."""
    wire_type = dice.choice([0, 1, 2, 5, 3] if depth < 3 else [0, 1, 2, 5])
    if wire_type == 3:
        return key(dice, number, 3, longest) + b"".join(unknown(dice, dice.randint(1, 2000), longest, depth + 1) for _ in range(dice.randint(0, 3))) + key(dice, number, 4, longest)
    body = dice.randbytes(dice.choice([0, 1, 5, 16, 40, 100])) if wire_type == 2 else b""
    value = varint(len(body)) + body if wire_type == 2 else dice.randbytes({1: 8, 5: 4}[wire_type]) if wire_type else varint(dice.getrandbits(40))
    return key(dice, number, wire_type, longest) + value


def random_message(dice: random.Random, schema: Schema, name: str, depth: int, longest_key: int = 5) -> bytes:
    """Wire bytes: packed and unpacked at will, fields in any order, unknown ones among them.

    The official library refuses keys of more than five bytes; the wire format does not."""
    parts, descriptor = [], schema.descriptor(name)
    for field in descriptor.fields:
        repeated = field.is_repeated
        occurrences = dice.choice([0, 1, 1, 2, 3, 5, 9]) if repeated else dice.choice([0, 1, 1, 1, 1, 2])
        if field.is_required and dice.random() < 0.995:
            occurrences = max(occurrences, 1)
        for _ in range(occurrences):
            if field.type in MESSAGES:
                if not depth:
                    continue
                body = random_message(dice, schema, field.message_type.full_name, depth - 1, longest_key)
                if field.type == F.TYPE_GROUP:
                    parts.append(key(dice, field.number, 3, longest_key) + body + key(dice, field.number, 4, longest_key))
                    continue
            elif field.type in (F.TYPE_STRING, F.TYPE_BYTES):
                body = text(dice, checks_utf8(field))
            elif repeated and dice.random() < 0.5:
                body = b"".join(scalar(dice, field) for _ in range(dice.choice([0, 1, 2, 5, 20, 70])))
            else:
                parts.append(key(dice, field.number, SCALARS[field.type], longest_key) + scalar(dice, field))
                continue
            parts.append(key(dice, field.number, 2, longest_key) + varint(len(body), dice.choice([0] * 5 + [2])) + body)
    # Of a map entry with an unknown field the library makes an unknown field; others do not.
    for _ in range(dice.choice([0, 0, 1, 2, 5]) if not descriptor.GetOptions().map_entry else 0):
        number = dice.choice([dice.randint(1, 20), dice.randint(1, 5000)])
        at = dice.choice([len(parts), dice.randint(0, len(parts))])
        field = dice.choice(descriptor.fields) if descriptor.fields and dice.random() < 0.2 else None
        if field is not None and SCALARS.get(field.type) != 5:
            parts.insert(at, key(dice, field.number, 5, longest_key) + dice.randbytes(4))
        elif number not in descriptor.fields_by_number:
            parts.insert(at, unknown(dice, number, longest_key))
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

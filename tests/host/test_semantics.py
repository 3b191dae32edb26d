"""The model against the official library where the specification is subtle: oneofs, closed enums, maps, groups,
required fields, UTF-8, merged messages, unknown fields."""

import random

import pytest
from google.protobuf.message import DecodeError

from heapwire.compare import first_difference
from heapwire.schema import compile_proto, compile_schema
from heapwire.wire import varint
from tests.host.conftest import PROTOS, Machine


@pytest.fixture(scope="module", params=["semantics2.proto", "semantics3.proto"])
def schema(request):
    return compile_proto(PROTOS / request.param)


def length(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def piece(descriptor, dice, depth):
    """Returns a field of the message, with the right type or another.

    Map entries have no wrong fields: the library would take the whole entry for unknown, and others do not."""
    if dice.random() < 0.1 and not descriptor.GetOptions().map_entry:
        number = dice.choice([50, 51, dice.choice(descriptor.fields).number])
        field = descriptor.fields_by_number.get(number)
        inside = b"" if field is not None and field.message_type else b"\x08\x01"
        return dice.choice(
            [
                varint(number << 3) + varint(dice.getrandbits(40)),
                length(number, inside),
                varint(number << 3 | 5) + dice.randbytes(4),
                varint(number << 3 | 3) + b"\x08\x07" + varint(number << 3 | 4),
            ]
        )
    field = dice.choice(descriptor.fields)
    if field.type == field.TYPE_GROUP:
        return (
            varint(field.number << 3 | 3) + pieces(field.message_type, dice, depth - 1) + varint(field.number << 3 | 4)
        )
    if field.message_type:
        return length(field.number, pieces(field.message_type, dice, depth - 1))
    if field.type in (field.TYPE_STRING, field.TYPE_BYTES):
        return length(
            field.number,
            dice.choice([b"", b"abc", "é€😀".encode(), b"k"] + [b"\xff", b"\xed\xa0\x80"] * (dice.random() < 0.1)),
        )
    if field.type == field.TYPE_DOUBLE:
        return varint(field.number << 3 | 1) + dice.randbytes(7) + b"\0"
    values = [varint(dice.choice([0, 1, 2, -1, 3, 7, 100000, 1 << 40])) for _ in range(dice.choice([1, 2, 5]))]
    return (
        length(field.number, b"".join(values))
        if field.is_repeated and dice.random() < 0.5
        else varint(field.number << 3) + values[0]
    )


def pieces(descriptor, dice, depth=3):
    return b"".join(piece(descriptor, dice, depth) for _ in range(dice.choice([0, 1, 2, 4, 8]) if depth > 0 else 0))


@pytest.mark.parametrize("seed", range(150))
def test_random_pieces(seed, schema, interface):
    dice = random.Random(seed)
    name = schema.type_names()[0]
    machine = Machine(compile_schema(schema.descriptor(name), interface), interface)
    for _ in range(10):
        data = pieces(schema.descriptor(name), dice)
        message = schema.message_class(name)()
        try:
            message.MergeFromString(data)
            expected = "OK" if message.IsInitialized() else "MISSING_REQUIRED"
        except DecodeError:
            expected = "INVALID_UTF8"
        outcome = machine.deserialize(data)
        assert outcome.status == expected, data.hex()
        if expected == "OK":
            assert first_difference(machine.read(outcome.root), message) is None, data.hex()

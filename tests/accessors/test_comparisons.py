"""equals and hash_code of messages that are nearly the same, against those that the driver computes field by field (it
fails if they differ)."""

import random
import struct

import pytest
from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin.names import is_map
from tests.accessors.script import step
from tests.accessors.test_accessors import CASES, COUNT, messages
from tests.common.random_messages import random_value

NANS = [struct.unpack("<f", struct.pack("<I", bits))[0] for bits in (0x7FC00000, 0xFF800001, 0x7F800001)]
POINTS = [*NANS, 0.0, -0.0, float("inf"), 1.5]


def change(message, dice):
    """Changes a field of a message, or of one that it reaches."""
    fields = list(message.DESCRIPTOR.fields)
    if not fields:
        return
    item = dice.choice(fields)
    value = getattr(message, item.name)
    if dice.random() < 0.2:
        message.ClearField(item.name)
    elif is_map(item):
        keys = sorted(value)
        if keys and dice.random() < 0.5:
            del value[dice.choice(keys)]
        key_field, value_field = (item.message_type.fields_by_number[number] for number in (1, 2))
        key = dice.choice(keys) if keys and dice.random() < 0.5 else random_value(key_field, dice)
        if value_field.message_type:
            change(value[key], dice)
        else:
            value[key] = number(value_field, dice)
    elif item.message_type:
        if item.is_repeated and (not value or dice.random() < 0.2):
            value.add()
        elif item.is_repeated:
            change(dice.choice(value), dice)
        else:
            value.SetInParent()
            change(value, dice)
    elif not item.is_repeated:
        setattr(message, item.name, number(item, dice))
    elif value and dice.random() < 0.8:
        value[dice.randrange(len(value))] = number(item, dice)
    else:
        value.append(number(item, dice))


def changed(message, dice):
    """Returns a copy with one or two changes."""
    other = type(message).FromString(message.SerializePartialToString())
    for _ in range(dice.randrange(1, 3)):
        change(other, dice)
    return other if other.IsInitialized() else changed(message, dice)


def number(item, dice):
    if item.cpp_type in (Type.CPPTYPE_FLOAT, Type.CPPTYPE_DOUBLE):
        return dice.choice(POINTS)
    return random_value(item, dice)


def fields_of(data):
    """Returns the top-level fields of a message's wire, each with its key."""
    at, parts = 0, []

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def skip(key):
        nonlocal at
        if key % 8 == 0:
            varint()
        elif key % 8 == 2:
            length = varint()
            at += length
        elif key % 8 == 3:
            while (inner := varint()) % 8 != 4:
                skip(inner)
        else:
            at += 8 if key % 8 == 1 else 4

    while at < len(data):
        start = at
        skip(varint())
        parts.append(data[start:at])
    return parts


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize("proto, name", CASES)
def test_messages_with_few_differences(driver, proto, name, arguments):
    """A message, copies with changes, and its wire in another order with parts that come twice, built, read, and with
    views. Some pairs are equal, some are not."""
    built, dice, answers = driver(proto), random.Random(40), set()
    for message in messages(built, name, max(COUNT // 8, 4), 41):
        near = [changed(message, dice) for _ in range(3)]
        parts = fields_of(message.SerializePartialToString(deterministic=True))
        mixed = [*parts, *dice.choices(parts, k=2)] if parts else []
        dice.shuffle(mixed)
        data = b"".join(mixed)
        steps = [built.new(message, dice), built.wire(message), *map(built.wire, near), built.viewed(near[0], True)]
        steps.append(step("P", built.index(name), len(data)) + data)
        pairs = [(i, j) for i in range(len(steps)) for j in range(len(steps))]
        lines = built.run(*steps, *(step("E", *pair) for pair in pairs), arguments=arguments)
        answers |= {line.split()[0] for line in lines[len(steps) :]}
        assert {line.split()[3] for line in lines[len(steps) :]} == {"0"}
    assert answers == {"0", "1"} or not message.DESCRIPTOR.fields

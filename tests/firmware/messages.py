"""Random messages of any type without maps."""

import random
import struct

from google.protobuf.descriptor import FieldDescriptor

RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-1 << 31, (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-1 << 63, (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
}


def value(field: FieldDescriptor, dice: random.Random):
    """Returns a value of a scalar field. Edge values are more likely than others."""
    if field.cpp_type in RANGES:
        low, high = RANGES[field.cpp_type]
        return dice.choice([low, high, 0, 1, 127, 128, max(low, -1), dice.randint(low, high)])
    if field.type == FieldDescriptor.TYPE_FLOAT:
        return struct.unpack("<f", struct.pack("<I", dice.choice([0, 1 << 31, 0x7F800000, 1, 0x3F9D70A4])))[0]
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        return dice.choice([0.0, -0.0, float("inf"), 5e-324, dice.uniform(-1e300, 1e300)])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return dice.random() < 0.5
    if field.type == FieldDescriptor.TYPE_STRING:
        return "".join(dice.choice("aé€ z") for _ in range(dice.choice([0, 1, 7, 8, 9, 40])))
    return dice.randbytes(dice.choice([0, 1, 7, 8, 9, 15, 16, 17, 100]))


def fill(message, dice: random.Random, depth: int = 0) -> None:
    """Sets a random choice of fields."""
    for field in message.DESCRIPTOR.fields:
        if dice.random() < (0.7 if depth else 0.3):
            continue
        if field.message_type is None:
            if field.is_repeated:
                getattr(message, field.name).extend(value(field, dice) for _ in range(dice.choice([0, 1, 4, 5, 20])))
            else:
                setattr(message, field.name, value(field, dice))
        elif depth < 3:
            target = getattr(message, field.name)
            for child in [target.add() for _ in range(dice.randrange(3))] if field.is_repeated else [target]:
                child.SetInParent()
                fill(child, dice, depth + 1)

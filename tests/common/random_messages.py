"""Random messages of any schema. Edge values are more likely than others."""

import struct

from google.protobuf.descriptor import FieldDescriptor

INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-1 << 31, (1 << 31) - 1),
    FieldDescriptor.CPPTYPE_INT64: (-1 << 63, (1 << 63) - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, (1 << 32) - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, (1 << 64) - 1),
}


def random_value(field, dice):
    """Returns a value for a scalar field. Edge values are more likely than others."""
    if field.cpp_type in INTEGERS:
        low, high = INTEGERS[field.cpp_type]
        return dice.choice([low, high, 0, max(low, -1), 1, 127, 128, dice.randint(low, high)])
    if field.type == FieldDescriptor.TYPE_FLOAT:
        bits = dice.choice([0, 1 << 31, 0x7F800000, 0x7FC00001, 1, 0x3F9D70A4])
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    if field.type == FieldDescriptor.TYPE_DOUBLE:
        return dice.choice([0.0, -0.0, float("inf"), float("nan"), 5e-324, dice.uniform(-1e300, 1e300)])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return dice.random() < 0.5
    if field.type == FieldDescriptor.TYPE_STRING:
        return "".join(dice.choice("aé€😀 z") for _ in range(dice.choice([0, 1, 7, 8, 9, 40])))
    if field.type == FieldDescriptor.TYPE_BYTES:
        return dice.randbytes(dice.choice([0, 1, 15, 16, 17, 100]))
    return dice.choice(list(field.enum_type.values_by_number))


def fill(message, dice, depth=0):
    """Sets a random choice of fields, and always the required ones."""
    for field in message.DESCRIPTOR.fields:
        if dice.random() < (0.6 if depth else 0.25) and not field.is_required:
            continue
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if is_map:
            for _ in range(dice.randrange(4)):
                key = random_value(field.message_type.fields_by_name["key"], dice)
                if field.message_type.fields_by_name["value"].message_type:
                    value = getattr(message, field.name)[key]
                    value.SetInParent()
                    fill(value, dice, depth + 2)
                else:
                    getattr(message, field.name)[key] = random_value(field.message_type.fields_by_name["value"], dice)
        elif field.message_type:
            if depth < 3 or field.is_required:
                target = getattr(message, field.name)
                for child in [target.add() for _ in range(dice.randrange(3))] if field.is_repeated else [target]:
                    child.SetInParent()
                    fill(child, dice, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).extend(random_value(field, dice) for _ in range(dice.choice([0, 1, 4, 5, 20])))
        else:
            setattr(message, field.name, random_value(field, dice))

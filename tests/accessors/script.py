"""Scripts for drivers (host/driver.c), and their expected output."""

import struct

from google.protobuf.descriptor import FieldDescriptor as Type
from google.protobuf.message import Message

from heapwire.plugin.names import is_map, real_oneofs
from tests.accessors.types_source import ADD, CLEAR, INSERT, MUTABLE, MUTABLE_AT, PUT, REMOVE, SET, SET_AT, is_bytes
from tests.common.random_messages import random_value


def word(*values):
    return b"".join(struct.pack("<I", value & 0xFFFFFFFF) for value in values)


def step(letter, *values):
    """Returns a step of host/driver.c."""
    return word(ord(letter), *values)


def encoded(item, value):
    """Returns a value as the commands of types.c carry it."""
    if isinstance(value, str):
        value = value.encode()
    if is_bytes(item):
        return word(len(value)) + value
    if item.cpp_type == Type.CPPTYPE_FLOAT:
        return struct.pack("<f", value)
    if item.cpp_type == Type.CPPTYPE_DOUBLE:
        return struct.pack("<d", value)
    if item.cpp_type in (Type.CPPTYPE_INT64, Type.CPPTYPE_UINT64):
        return struct.pack("<Q", value & (1 << 64) - 1)
    return word(value)


class Builder:
    """Commands that turn an empty message into a given one, in a random way: values are overwritten, fields are cleared
    and set again, members of oneofs are set one after the other.

    beside: submessages are made where the message lies, never in the heap and then set."""

    def __init__(self, dice, beside=False):
        self.dice, self.ways = dice, [MUTABLE] if beside else [SET, MUTABLE]

    def message(self, message):
        return b"".join(self.field(message, item) for item in message.DESCRIPTOR.fields) + word(0)

    def field(self, message, item):
        """Returns the commands for a field. There are none if the field is absent and no detour sets it."""
        value = getattr(message, item.name)
        if is_map(item):
            return b"".join(self._map_entry(item, key, value[key], value) for key in wire_keys(message, item))
        if item.is_repeated:
            return self._repeated(item, value)
        present = message.HasField(item.name) if item.has_presence else encoded(item, value).strip(b"\0") != b""
        chosen = item.containing_oneof and message.WhichOneof(item.containing_oneof.name)
        # Clearing a member would not restore another one.
        detour = self.dice.random() < 0.2 and (not chosen or chosen == item.name)
        commands = b""
        if detour:
            commands += self._wrong(item)
            if not present or self.dice.random() < 0.5:
                commands += word(item.number, CLEAR)
        if not present:
            return commands
        if chosen:
            commands += b"".join(
                self._wrong(other) for other in item.containing_oneof.fields if self.dice.random() < 0.5
            )
        if item.message_type:
            if commands:
                commands += word(item.number, CLEAR)
            return commands + word(item.number, self.dice.choice(self.ways)) + self.message(value)
        return commands + word(item.number, SET) + encoded(item, value)

    def _wrong(self, item):
        if item.message_type:
            return word(item.number, MUTABLE, 0)
        return word(item.number, SET) + encoded(item, random_value(item, self.dice))

    def _repeated(self, item, value):
        commands = b""
        if self.dice.random() < 0.2:
            commands += word(item.number, ADD) + (
                word(0) if item.message_type else encoded(item, random_value(item, self.dice))
            )
            commands += word(item.number, CLEAR)
        if not item.message_type and value and self.dice.random() < 0.3:
            # From the last to the first, with another one put into the middle and removed.
            other, at = encoded(item, random_value(item, self.dice)), self.dice.randrange(len(value))
            commands += b"".join(word(item.number, INSERT, 0) + encoded(item, element) for element in reversed(value))
            return commands + word(item.number, INSERT, at) + other + word(item.number, REMOVE, at)
        for index, element in enumerate(value):
            if item.message_type:
                late = self.dice.random() < 0.3
                if not late and self.dice.random() < 0.3:
                    commands += word(item.number, INSERT, index) + self.message(element)
                    if self.dice.random() < 0.5:
                        commands += word(item.number, INSERT, 0, 0) + word(item.number, REMOVE, 0)
                    continue
                commands += word(item.number, ADD) + (word(0) if late else self.message(element))
                commands += word(item.number, MUTABLE_AT, index) + self.message(element) if late else b""
            elif self.dice.random() < 0.2:
                commands += word(item.number, ADD) + encoded(item, random_value(item, self.dice))
                commands += word(item.number, SET_AT, index) + encoded(item, element)
            else:
                commands += word(item.number, ADD) + encoded(item, element)
        return commands

    def _map_entry(self, item, key, value, every):
        """Returns the commands for an entry, in one of several ways: added to the list, or put by its key, after
        another value, or after an entry with another key was put and removed."""
        if self.dice.random() < 0.4:
            return word(item.number, ADD) + self.entry(item, key, value)
        key_field, value_field = (item.message_type.fields_by_number[number] for number in (1, 2))
        put = word(item.number, PUT) + encoded(key_field, key)
        if value_field.message_type:
            return put + self.message(value)
        commands, other = b"", random_value(key_field, self.dice)
        if self.dice.random() < 0.3:
            commands += put + encoded(value_field, random_value(value_field, self.dice))
        if self.dice.random() < 0.3 and other not in every:
            commands += word(item.number, PUT) + encoded(key_field, other) + encoded(value_field, value)
            commands += word(item.number, REMOVE) + encoded(key_field, other)
        return commands + put + encoded(value_field, value)

    def entry(self, item, key, value):
        by_number = item.message_type.fields_by_number
        way = self.ways[-1] if by_number[2].message_type else SET
        commands = word(1, SET) + encoded(by_number[1], key) + word(2, way)
        return commands + (self.message(value) if by_number[2].message_type else encoded(by_number[2], value)) + word(0)


def wire_keys(message, item):
    """Returns the keys of a map in the order in which the official library serializes them deterministically."""
    mapping = getattr(message, item.name)

    def alone(keys):
        part = type(message)()
        for key in keys:
            if item.message_type.fields_by_number[2].message_type:
                getattr(part, item.name)[key].CopyFrom(mapping[key])
            else:
                getattr(part, item.name)[key] = mapping[key]
        return part.SerializePartialToString(deterministic=True)

    data, at, order = alone(mapping), 0, []
    entries = {key: alone([key]) for key in mapping}
    while at < len(data):
        order.append(next(key for key, entry in entries.items() if data.startswith(entry, at)))
        at += len(entries[order[-1]])
    return order


def _number(item, value):
    if is_bytes(item):
        return (value.encode() if isinstance(value, str) else value).hex()
    if item.cpp_type in (Type.CPPTYPE_FLOAT, Type.CPPTYPE_DOUBLE):
        return int.from_bytes(encoded(item, value), "little")
    return int(value)


def printed(message):
    """Returns the driver's output for a message, as json.loads reads it."""
    out = {"": 0, "?init": int(message.IsInitialized()), "?unknown": ""}
    for item in message.DESCRIPTOR.fields:
        value, number = getattr(message, item.name), str(item.number)
        if is_map(item):
            keys = wire_keys(message, item)
            out[number] = [_entry(item, key, value[key]) for key in keys]
            out[f"{number} map"] = [
                len(keys),
                [
                    [1, *(_plain(item.message_type.fields_by_number[n], v) for n, v in ((1, key), (2, value[key])))]
                    for key in keys
                ],
            ]
        elif item.is_repeated:
            out[number] = [printed(element) if item.message_type else _number(item, element) for element in value]
        elif item.message_type:
            out[number] = printed(value) if message.HasField(item.name) else None
        else:
            out[number] = [int(message.HasField(item.name)) if item.has_presence else -1, _number(item, value)]
    for oneof in real_oneofs(message.DESCRIPTOR):
        name = message.WhichOneof(oneof.name)
        out[oneof.name] = message.DESCRIPTOR.fields_by_name[name].number if name else 0
    return out


def _plain(field, value):
    return printed(value) if field.message_type else _number(field, value)


def _entry(item, key, value):
    out = {"": 0, "?init": int(value.IsInitialized()) if isinstance(value, Message) else 1, "?unknown": ""}
    for number, content in ((1, key), (2, value)):
        field = item.message_type.fields_by_number[number]
        out[str(number)] = (
            printed(content) if field.message_type else [1 if field.has_presence else -1, _number(field, content)]
        )
    return out

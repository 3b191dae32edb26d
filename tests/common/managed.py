"""Messages for objects of the managed heap: random cases of several kinds, and their expected results."""

from __future__ import annotations

import dataclasses
import random

from google.protobuf import descriptor_pb2
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from heapwire.schema import Clear, Schema
from heapwire.schema.types import closure
from tests.common import cases
from tests.common.reference import Reference
from tests.common.unusual import UnusualWriter
from tests.common.wire import WIRE, Writer, damage

LONGEST = 6000
LEFT = ("UNSUPPORTED", "MISSING_REQUIRED")
"""Statuses with which a unit leaves a message to software: it does not support a feature, or a later occurrence may
bring a required field."""
KINDS = ("tame", "wild", "damaged", "unusual")


@dataclasses.dataclass(frozen=True)
class Case(cases.Case):
    """A case. schema: the files of its schema. tame: the data are as an official serializer writes them. clear: the
    part of new objects that units clear. views: units leave strings of at least so many bytes in the input (0: none),
    which is an array of the heap if `owned`."""

    schema: bytes
    tame: bool
    max_depth: int = 0
    clear: str = Clear.ALL.value
    views: int = 0
    owned: bool = False

    @staticmethod
    def random(
        dice: random.Random, schema: Schema, name: str, data: bytes, tame: bool, clear: Clear = Clear.ALL
    ) -> Case:
        """Returns a case with random memory, addresses and depth limit."""
        skew = dice.randrange(64), dice.choice([0, 8, 4, 1, 16]), dice.choice([0, 8, 24, 3])
        memory, files = cases.random_memory(dice), schema.files.SerializeToString()
        depth = 0 if tame else dice.choice([0, 0, 0, 2])
        views = dice.choice([0, 0, 1, 24, 64])
        return Case(name, data, memory, skew, files, tame, depth, clear.value, views, dice.random() < 0.5)

    def with_data(self, data: bytes) -> Case:
        return dataclasses.replace(self, data=data, tame=False)

    @property
    def files(self) -> Schema:
        """The case's schema."""
        return Schema(descriptor_pb2.FileDescriptorSet.FromString(self.schema), "kept")


def random_data(dice: random.Random, schema: Schema, name: str, kind: str, depth: int = 3) -> bytes:
    """Returns a message of one of KINDS. Wild messages have all required fields. Damaged ones may lack some."""
    writer = UnusualWriter if kind == "unusual" else Writer
    data = writer(
        dice, wild=kind != "tame", complete=kind != "damaged" or dice.random() < 0.5, broken=kind == "damaged"
    ).message(schema.descriptor(name), depth)
    while len(data) > LONGEST:
        data = Writer(dice, wild=kind != "tame").message(schema.descriptor(name), depth=1)[
            : None if kind == "tame" else LONGEST
        ]
    return damage(data, dice) if kind == "damaged" else data


class Expected:
    """The expected result of a message. status, offset: how a unit ends if arenas are large enough. used: bytes of the
    fuller arena. message: the official library's message, or None if the library refuses the bytes."""

    def __init__(self, schema: Schema, name: str, data: bytes, max_depth: int = 0) -> None:
        reference = Reference(schema, name, data, max_depth)
        self.status, self.offset, self.used = *reference.ends, reference.used
        self.cls = schema.message_class(name)
        try:
            self.message = self.cls.FromString(data)
        except DecodeError:
            self.message = None
        # The library writes a map's entries by key, and other fields in the order in which they came.
        self.exact = not any(reached.GetOptions().map_entry for reached in closure([schema.descriptor(name)]))

    @property
    def left(self) -> bool:
        """Whether a unit leaves the message to software."""
        return self.status in LEFT

    @property
    def complete(self) -> bool:
        """Whether the library reads the message and it lacks no required field."""
        return self.message is not None and self.message.IsInitialized()

    @property
    def comparable(self) -> bool:
        """Whether the library reads the message as other implementations do. They differ for a map entry with unknown
        fields: upb turns the whole entry into one unknown field, C++ and Java drop the unknown fields, and a unit keeps
        them in the entry."""
        return self.message is not None and not _mistaken_entry(self.message)

    def check_accepted(self, status: str) -> None:
        """Checks that a command that ended with this status, under no limit but the unit's, agrees with the library.
        One difference is accepted: upb takes a field number of 0 for an unknown field, which the specification does
        not."""
        if status != "FIELD_NUMBER_ZERO":
            assert (status == "OK") == self.complete, (
                f"{status}; the library {'reads' if self.complete else 'refuses'} it"
            )

    def check_written(self, output: bytes, tame: bool) -> None:
        """Checks that the output has the same meaning as the library's message. If a serializer wrote the input, the
        bytes must be the same."""
        expected = self.message.SerializeToString(deterministic=True)
        try:
            again = self.cls.FromString(output).SerializeToString(deterministic=True)
        except DecodeError:
            again = None
        assert again == expected, f"another message: {output.hex()}"
        assert not (tame and self.exact) or output == expected, f"other bytes: {output.hex()}"


def _mistaken_entry(message: Message) -> bool:
    """Returns whether a map entry, here or deeper, became an unknown field because of unknown fields in it. A key or a
    value of another wire type is one, too."""
    maps = {
        field.number: {(part.number, WIRE.get(part.type, 0)) for part in field.message_type.fields}
        for field in message.DESCRIPTOR.fields
        if field.message_type and field.message_type.GetOptions().map_entry
    }
    if any(
        field.field_number in maps and not _keys(field.data) <= maps[field.field_number]
        for field in UnknownFieldSet(message)
    ):
        return True
    for field, value in message.ListFields():
        if field.message_type:
            elements = [value]
            if field.number in maps:  # keys that are not text are bytes, and lookup does not find them
                elements = [value[key] for key in value if not isinstance(key, bytes)]
            elif field.is_repeated:
                elements = value
            if any(_mistaken_entry(element) for element in elements if isinstance(element, Message)):
                return True
    return False


def _keys(data: object) -> set[tuple[int, int]]:
    """Returns the numbers and wire types of a message's fields, or none if the data are no message."""
    try:
        return (
            {(field.field_number, field.wire_type) for field in UnknownFieldSet(Empty.FromString(data))}
            if isinstance(data, bytes)
            else set()
        )
    except DecodeError:
        return set()

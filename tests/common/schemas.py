"""Random schemas with every feature of fields: proto2, proto3 and edition 2023."""

from __future__ import annotations

import random

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FeatureSet
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

from heapwire.schema.proto import Schema


def _types(names: str) -> list[int]:
    return [F.Type.Value(f"TYPE_{name}") for name in names.split()]


SCALARS = _types("DOUBLE FLOAT INT64 UINT64 INT32 FIXED64 FIXED32 BOOL UINT32 ENUM SFIXED32 SFIXED64 SINT32 SINT64")
TEXTS = [F.TYPE_STRING, F.TYPE_BYTES]
KEYS = _types("INT64 UINT64 INT32 FIXED64 FIXED32 BOOL STRING UINT32 SFIXED32 SFIXED64 SINT32 SINT64")
RESERVED = range(19000, 20000)
VALUES = [
    [0, 1, 2],
    [0, 5, 6, 7, 1000],
    [0, -1, 100000, -(1 << 31), (1 << 31) - 1],
    [0],
    [0, 1, 2, 3, 40, 41, -7, 70_000, -2_000_000_000],
]
"""Numbers of the enums E0, E1 ... In an edition those with an odd index are closed."""


class Maker:
    """Makes one file with the message types M0, M1 ... of a package."""

    def __init__(self, dice: random.Random, package: str) -> None:
        self.dice, self.package = dice, package
        self.syntax = dice.choice(["proto2", "proto2", "proto3", "editions"])
        self.file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax=self.syntax)
        if self.syntax == "editions":
            self.file.edition = descriptor_pb2.EDITION_2023
        self.count = dice.randint(1, 4)

    def make(self) -> descriptor_pb2.FileDescriptorProto:
        for i, values in enumerate(VALUES):
            enum = self.file.enum_type.add(name=f"E{i}")
            if self.syntax == "editions" and i % 2:
                enum.options.features.enum_type = FeatureSet.CLOSED
            for j, value in enumerate(values):
                enum.value.add(name=f"E{i}_{j}", number=value)
        for i in range(self.count):
            self._message(i)
        return self.file

    def _message(self, index: int) -> None:
        message = self.file.message_type.add(name=f"M{index}")
        span, used = self.dice.choice([12, 100, 3000, (1 << 29) - 1]), set(RESERVED)
        oneofs = self.dice.choice([0, 0, 1, 2])
        for i in range(oneofs):
            message.oneof_decl.add(name=f"o{i}")
        for _ in range(self.dice.choice([0, 1, 3, 8, 20, 50])):
            number = self.dice.randint(1, self.dice.choice([16, span]))
            if number not in used:
                used.add(number)
                self._field(message, index, number, oneofs)
        members = {f.oneof_index for f in message.field if f.HasField("oneof_index")}
        kept = sorted(i for i in members if i < oneofs)
        for field in message.field:  # a oneof must have a member
            if field.HasField("oneof_index"):
                field.oneof_index = kept.index(field.oneof_index)
        del message.oneof_decl[len(kept) :]
        if self.syntax == "proto3":
            for field in message.field:
                if self._may_be_optional(field) and self.dice.random() < 0.3:
                    field.proto3_optional = True
                    field.oneof_index = len(message.oneof_decl)
                    message.oneof_decl.add(name=f"_{field.name}")

    @staticmethod
    def _may_be_optional(field: F) -> bool:
        return field.label == F.LABEL_OPTIONAL and not field.HasField("oneof_index") and field.type != F.TYPE_MESSAGE

    def _type(self, field: F, kind: int) -> None:
        field.type = kind
        if kind in (F.TYPE_MESSAGE, F.TYPE_GROUP):
            field.type_name = f".{self.package}.M{self.dice.randrange(self.count)}"
        if kind == F.TYPE_ENUM:
            field.type_name = f".{self.package}.E{self.dice.randrange(len(VALUES))}"

    def _field(self, message: descriptor_pb2.DescriptorProto, index: int, number: int, oneofs: int) -> None:
        field = message.field.add(name=f"f{number}", number=number, label=F.LABEL_OPTIONAL)
        if self.dice.random() < 0.12:
            self._map(message, field, number)
            return
        groups = [F.TYPE_GROUP] if self.syntax == "proto2" else []
        self._type(field, self.dice.choice([*SCALARS, *TEXTS, *TEXTS, F.TYPE_MESSAGE, F.TYPE_MESSAGE, *groups]))
        choice = self.dice.random()
        if choice < 0.3:
            field.label = F.LABEL_REPEATED
            if field.type in SCALARS and self.syntax != "editions" and self.dice.random() < 0.6:
                field.options.packed = self.dice.random() < 0.5
        elif choice < 0.5 and oneofs:
            field.oneof_index = self.dice.randrange(oneofs)
        elif choice < 0.65 and self.syntax != "proto3":
            self._require(field, index)
        if self.syntax == "editions":
            self._features(field)

    def _require(self, field: F, index: int) -> None:
        """Makes a field required. Required messages lead only to later types, so that a message can be complete."""
        if field.type in (F.TYPE_MESSAGE, F.TYPE_GROUP):
            if index + 1 >= self.count:
                return
            field.type_name = f".{self.package}.M{self.dice.randint(index + 1, self.count - 1)}"
        if self.syntax == "proto2":
            field.label = F.LABEL_REQUIRED
        else:
            field.options.features.field_presence = FeatureSet.LEGACY_REQUIRED

    def _features(self, field: F) -> None:
        features = field.options.features
        if field.type == F.TYPE_MESSAGE and self.dice.random() < 0.4:
            features.message_encoding = FeatureSet.DELIMITED
        if field.type == F.TYPE_STRING and self.dice.random() < 0.3:
            features.utf8_validation = FeatureSet.NONE
        if field.label == F.LABEL_REPEATED:
            if field.type in SCALARS and self.dice.random() < 0.4:
                features.repeated_field_encoding = FeatureSet.EXPANDED
        elif (
            field.type != F.TYPE_MESSAGE
            and not field.HasField("oneof_index")
            and not features.HasField("field_presence")
        ):
            # protobuf refuses an implicit field of a closed enum.
            open_enum = field.type != F.TYPE_ENUM or int(field.type_name[-1]) % 2 == 0
            if open_enum and self.dice.random() < 0.3:
                features.field_presence = FeatureSet.IMPLICIT

    def _map(self, message: descriptor_pb2.DescriptorProto, field: F, number: int) -> None:
        entry = message.nested_type.add(name=f"F{number}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=F.LABEL_OPTIONAL, type=self.dice.choice(KEYS))
        value = entry.field.add(name="value", number=2, label=F.LABEL_OPTIONAL)
        self._type(value, self.dice.choice([*SCALARS, *TEXTS, F.TYPE_ENUM, F.TYPE_MESSAGE, F.TYPE_MESSAGE]))
        field.label, field.type, field.type_name = (
            F.LABEL_REPEATED,
            F.TYPE_MESSAGE,
            f".{self.package}.{message.name}.{entry.name}",
        )


def random_schema(dice: random.Random) -> Schema:
    """Returns one to four message types r.M0, r.M1 ... that refer to each other."""
    return random_schemas(dice, 1)


def random_schemas(dice: random.Random, files: int) -> Schema:
    """Returns several such files in one schema, with the packages r, r1, r2 ..."""
    made = [Maker(dice, f"r{i or ''}").make() for i in range(files)]
    return Schema(descriptor_pb2.FileDescriptorSet(file=made), "random")

"""Messages whose parts take turns among types. Tables of a few types stay in the engine's cache; those of many do
not, so that each part waits for its own."""

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet

from heapwire.schema import Schema
from heapwire.workload.case import Case
from heapwire.workload.group import Group

NAME = "interleaved"
PACKAGE = f"heapwire.{NAME}"
TYPES = (1, 4, 16, 64)
"""Numbers of types that take turns."""
ROWS, TURNS, FIELDS, FIRST = 4, max(TYPES), 6, 16
"""Rows of a message, parts of a row, fields of a part, and the number of the first part: keys of all have two bytes."""


def _schema() -> Schema:
    """Returns for each number of types a batch of rows. Rows differ in the types of their parts, and these types in
    name alone."""
    file = FileDescriptorProto(name=f"{NAME}.proto", package=PACKAGE, syntax="proto3")
    message, number = FieldDescriptorProto.TYPE_MESSAGE, FieldDescriptorProto.TYPE_UINT32
    one, many = FieldDescriptorProto.LABEL_OPTIONAL, FieldDescriptorProto.LABEL_REPEATED
    for i in range(TURNS):
        part = file.message_type.add(name=f"Part{i}")
        for k in range(1, FIELDS + 1):
            part.field.add(name=f"field{k}", number=k, label=one, type=number)
    for types in TYPES:
        row, batch = file.message_type.add(name=f"Row{types}"), file.message_type.add(name=f"Batch{types}")
        for i in range(TURNS):
            of = f".{PACKAGE}.Part{i % types}"
            row.field.add(name=f"part{i}", number=FIRST + i, label=one, type=message, type_name=of)
        batch.field.add(name="row", number=1, label=many, type=message, type_name=f".{PACKAGE}.Row{types}")
    return Schema(FileDescriptorSet(file=[file]), NAME)


def interleaved_group() -> Group:
    """Returns a case for each number of types; all have the same bytes."""
    schema, cases = _schema(), []
    for types in TYPES:
        batch = schema.message_class(f"{PACKAGE}.Batch{types}")()
        for r in range(ROWS):
            row = batch.row.add()
            for i in range(TURNS):
                for k in range(1, FIELDS + 1):
                    setattr(getattr(row, f"part{i}"), f"field{k}", 100 * (r * TURNS + i) + k)
        cases.append(Case(f"{NAME}/{types}", batch.DESCRIPTOR.full_name, batch.SerializeToString()))
    return Group(NAME, schema, cases)

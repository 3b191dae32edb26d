"""Features of fields that the official library's descriptors do not report."""

from __future__ import annotations

from functools import lru_cache

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

Utf8 = descriptor_pb2.FeatureSet.Utf8Validation
INT16 = range(-(1 << 15), 1 << 15)


def _utf8_default(file: descriptor_pb2.FileDescriptorProto) -> int:
    """Returns the default of a file without the feature. Only proto2 accepts any bytes."""
    return Utf8.Value("NONE") if file.syntax in ("", "proto2") else Utf8.Value("VERIFY")


def _proto(message: Descriptor) -> descriptor_pb2.DescriptorProto:
    proto = descriptor_pb2.DescriptorProto()
    message.CopyToProto(proto)
    return proto


@lru_cache(maxsize=4096)
def checks_utf8(field: FieldDescriptor) -> bool:
    """Returns whether the field is a string whose bytes must be UTF-8. The nearest setting counts: the field's own
    feature, then those of the enclosing messages and of the file, then the default of the edition.

    protoc gives the fields of a map entry the features of the map field. `GetOptions()` leaves features out."""
    if field.type != FieldDescriptor.TYPE_STRING:
        return False
    file = descriptor_pb2.FileDescriptorProto()
    field.file.CopyToProto(file)
    message, scope = _proto(field.containing_type), field.containing_type
    asked = [next(item for item in message.field if item.number == field.number).options]
    while scope is not None:
        asked.append(_proto(scope).options)
        scope = scope.containing_type
    for options in [*asked, file.options]:
        if options.features.HasField("utf8_validation"):
            return options.features.utf8_validation == Utf8.Value("VERIFY")
    return _utf8_default(file) == Utf8.Value("VERIFY")


def enum_range(enum: EnumDescriptor) -> tuple[int, int]:
    """Returns the longest range (first, last) of 16-bit values that are all declared, or (1, 0) if there is none."""
    values = sorted({value.number for value in enum.values if value.number in INT16})
    best, start = (1, 0), 0
    for i, value in enumerate(values):
        if i and value != values[i - 1] + 1:
            start = i
        if value - values[start] > best[1] - best[0]:
            best = values[start], value
    return best

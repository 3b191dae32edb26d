"""How a command on some bytes ends, by the rules of docs/reference/units/protobuf_read.md, if arenas are large
enough."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

from heapwire.schema.features import checks_utf8
from tests.common.schemas import SCALARS
from tests.common.wire import WIRE

LENGTH, START, END = 2, 3, 4


class Ended(Exception):
    """The command ends early: status name, input offset."""


class Node:
    """The part of a message that decides how later fields are read: the fields that came, the members of its oneofs,
    and the messages in it."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.cases: dict[str, int] = {}
        self.children: dict[int, Node] = {}

    def child(self, field) -> Node:
        """Records an occurrence of a field. Returns the message into which it is merged."""
        known = field.number in self.seen and not field.is_repeated
        if field.containing_oneof is not None:
            known = known and self.cases[field.containing_oneof.name] == field.number
            self.cases[field.containing_oneof.name] = field.number
        self.seen.add(field.number)
        if not known:
            self.children[field.number] = Node()
        return self.children[field.number]


class Reference:
    """One input. `run` returns (status, offset); for OK the offset is the input's length. overlong: a key or length had
    more than five bytes, which the official library refuses whatever its value."""

    def __init__(self, data: bytes, max_depth: int) -> None:
        self.data, self.max_depth, self.overlong = data, max_depth, False

    def run(self, descriptor: Descriptor) -> tuple[str, int]:
        """Returns the outcome for a root of that type."""
        try:
            self._message(0, len(self.data), descriptor, 0, Node())
        except Ended as ended:
            return ended.args
        return "OK", len(self.data)

    def _past(self, end: int) -> str:
        return "TRUNCATED" if end == len(self.data) else "BAD_LENGTH"

    def _varint(self, at: int, end: int, blame: int) -> tuple[int, int, bool]:
        """Returns the value, its end, and whether it has no end within ten bytes."""
        value = 0
        for i in range(10):
            if at + i >= end:
                raise Ended(self._past(end), blame)
            byte = self.data[at + i]
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return value, at + i + 1, False
        return value, at + 10, True

    def _value(self, at: int, end: int, wire_type: int, blame: int) -> tuple[int, int, bool]:
        """Reads a value or length. Returns the same as `_varint`."""
        if wire_type in (0, LENGTH):
            return self._varint(at, end, blame)
        size = {1: 8, 5: 4}.get(wire_type, 0)
        if at + size > end:
            raise Ended(self._past(end), blame)
        return 0, at + size, False

    def _field(self, at: int, end: int) -> tuple[int, int, int, int]:
        """Returns number, wire type, value, and the end of the value. For a length that excludes its body."""
        key, after, long = self._varint(at, end, at)
        self.overlong |= after - at > 5
        if long:
            raise Ended("VARINT_OVERFLOW", at)
        start = after
        value, after, long = self._value(after, end, key & 7, at)
        self.overlong |= key & 7 == LENGTH and after - start > 5
        if key >> 32:
            raise Ended("VARINT_OVERFLOW", at)
        if key < 8:
            raise Ended("FIELD_NUMBER_ZERO", at)
        if key & 7 > 5:
            raise Ended("BAD_WIRE_TYPE", at)
        if long:
            raise Ended("VARINT_OVERFLOW", at)
        value &= (1 << 64) - 1
        if key & 7 == LENGTH and value > end - after:
            raise Ended(self._past(end), at)
        return key >> 3, key & 7, value, after

    def _message(self, at: int, end: int, descriptor: Descriptor, depth: int, node: Node, group: int = 0) -> int:
        """Reads the fields of a message, or of the known group of that number. Returns their end."""
        groups: list[int] = []
        while at < end:
            number, wire_type, value, after = self._field(at, end)
            field = None if groups else descriptor.fields_by_number.get(number)
            if wire_type == END and group and not groups:
                if number != group:
                    raise Ended("BAD_GROUP", at)
                self._complete(descriptor, node, after)
                return after
            if wire_type == START:
                if depth + len(groups) >= self.max_depth:
                    raise Ended("DEPTH_EXCEEDED", at)
                if field is not None and field.type == F.TYPE_GROUP:
                    after = self._message(after, end, field.message_type, depth + 1, node.child(field), number)
                else:
                    groups.append(number)
            elif wire_type == END:
                if not groups or groups.pop() != number:
                    raise Ended("BAD_GROUP", at)
            elif wire_type == LENGTH:
                if field is not None:
                    self._body(at, after, after + value, field, depth, node)
                after += value
            elif field is not None and field.type in SCALARS and WIRE.get(field.type, 0) == wire_type:
                if self._declared(field, value, at, descriptor.GetOptions().map_entry):
                    node.child(field)
            at = after
        if groups or group:
            raise Ended("BAD_GROUP", at)
        self._complete(descriptor, node, end)
        return at

    def _complete(self, descriptor: Descriptor, node: Node, end: int) -> None:
        needed = [field for field in descriptor.fields if field.is_required]
        if descriptor.GetOptions().map_entry:
            # An absent value means an empty message, which may lack required fields.
            value = descriptor.fields_by_number[2]
            needed = (
                [value]
                if value.message_type is not None and any(field.is_required for field in value.message_type.fields)
                else []
            )
        if any(field.number not in node.seen for field in needed):
            raise Ended("MISSING_REQUIRED", end)

    @staticmethod
    def _declared(field, value: int, blame: int, must: bool) -> bool:
        """Returns whether a value may be stored. Software takes over if the value must be stored but may not."""
        if field.type != F.TYPE_ENUM or not field.enum_type.is_closed:
            return True
        number = (value & 0xFFFFFFFF ^ 1 << 31) - (1 << 31)
        declared = any(number == value.number for value in field.enum_type.values)
        if must and not declared:
            raise Ended("UNSUPPORTED", blame)
        return declared

    def _body(self, key_at: int, at: int, end: int, field, depth: int, node: Node) -> None:
        if field.type == F.TYPE_MESSAGE:
            if depth >= self.max_depth:
                raise Ended("DEPTH_EXCEEDED", key_at)
            self._message(at, end, field.message_type, depth + 1, node.child(field))
        elif field.type in (F.TYPE_STRING, F.TYPE_BYTES):
            node.child(field)
            if checks_utf8(field):
                try:
                    self.data[at:end].decode()
                except UnicodeDecodeError:
                    raise Ended("INVALID_UTF8", key_at) from None
        elif field.is_repeated and field.type in SCALARS:
            while at < end:
                start = at
                value, at, long = self._value(at, end, WIRE.get(field.type, 0), at)
                if long:
                    raise Ended("VARINT_OVERFLOW", start)
                self._declared(field, value, start, True)

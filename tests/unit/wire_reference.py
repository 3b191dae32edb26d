"""How a command on some bytes ends, by the rules of docs/units/protobuf.md, arenas being large enough."""
from __future__ import annotations

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

from schemas import SCALARS

LENGTH, START, END = 2, 3, 4


class Ended(Exception):
    """The command ends early: status name, input offset."""


class Reference:
    """One input. `run` gives (status, offset); OK's offset is the input's length."""

    def __init__(self, data: bytes, max_depth: int) -> None:
        self.data, self.max_depth = data, max_depth

    def run(self, descriptor: Descriptor) -> tuple[str, int]:
        """The outcome for a root of that type."""
        try:
            self._message(0, len(self.data), descriptor, 0)
        except Ended as ended:
            return ended.args
        return "OK", len(self.data)

    def _past(self, end: int) -> str:
        return "TRUNCATED" if end == len(self.data) else "BAD_LENGTH"

    def _varint(self, at: int, end: int, blame: int) -> tuple[int, int, bool]:
        """Value, where it ends, whether it has no end within ten bytes."""
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
        """A value or length: as `_varint`."""
        if wire_type in (0, LENGTH):
            return self._varint(at, end, blame)
        size = {1: 8, 5: 4}.get(wire_type, 0)
        if at + size > end:
            raise Ended(self._past(end), blame)
        return 0, at + size, False

    def _field(self, at: int, end: int) -> tuple[int, int, int, int]:
        """Number, wire type, value, where the value ends (its body, of a length, not included)."""
        key, after, long = self._varint(at, end, at)
        if long:
            raise Ended("VARINT_OVERFLOW", at)
        value, after, long = self._value(after, end, key & 7, at)
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

    def _message(self, at: int, end: int, descriptor: Descriptor, depth: int) -> None:
        groups: list[int] = []
        seen: set[int] = set()
        while at < end:
            number, wire_type, value, after = self._field(at, end)
            field = None if groups else descriptor.fields_by_number.get(number)
            if wire_type == START:
                if depth + len(groups) >= self.max_depth:
                    raise Ended("DEPTH_EXCEEDED", at)
                groups.append(number)
            elif wire_type == END:
                if not groups or groups.pop() != number:
                    raise Ended("BAD_GROUP", at)
            elif wire_type == LENGTH:
                if field is not None:
                    self._body(at, after, after + value, field, depth, seen)
                after += value
            at = after
        if groups:
            raise Ended("BAD_GROUP", at)

    def _body(self, key_at: int, at: int, end: int, field, depth: int, seen: set[int]) -> None:
        repeated = field.is_repeated
        if field.type == F.TYPE_MESSAGE:
            if not repeated and field.number in seen:
                raise Ended("UNSUPPORTED", key_at)
            if depth >= self.max_depth:
                raise Ended("DEPTH_EXCEEDED", key_at)
            seen.add(field.number)
            self._message(at, end, field.message_type, depth + 1)
        elif repeated and field.type in SCALARS:
            while at < end:
                start = at
                _, at, long = self._value(at, end, SCALARS[field.type], at)
                if long:
                    raise Ended("VARINT_OVERFLOW", start)

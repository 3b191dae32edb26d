"""The protobuf wire format, value by value, with the errors that can end a command."""

from __future__ import annotations

from heapwire.interface import FieldType

VARINT, I64, LEN, START_GROUP, END_GROUP, I32 = range(6)
MAX_DEPTH = 100
"""How many messages and groups may be open within the root: the unit's limit
(docs/reference/units/protobuf_read.md)."""
SHORT = 5
"""The most bytes of a key or length, in units and in upb."""


class Malformed(Exception):
    """The end of a command that fails: status name and input offset."""

    def __init__(self, status: str, offset: int) -> None:
        super().__init__(f"{status} at {offset}")
        self.status, self.offset = status, offset


class Input:
    """A cursor over wire bytes. `end` is the end of the innermost message or packed field. `origin` is the offset that
    errors report: that of the key, or of the element of a packed field."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.end, self.origin = data, 0, len(data), 0

    def past(self) -> Malformed:
        """Returns the error for a read beyond the end of the input, or of a message within it."""
        return Malformed("TRUNCATED" if self.end == len(self.data) else "BAD_LENGTH", self.origin)

    def varint(self) -> int:
        """Reads a varint of at most ten bytes. Returns its low 64 bits."""
        value = 0
        for i in range(10):
            if self.at >= self.end:
                raise self.past()
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return value & (1 << 64) - 1
        raise Malformed("VARINT_OVERFLOW", self.origin)

    def take(self, size: int) -> bytes:
        """Returns the next `size` bytes."""
        if self.end - self.at < size:
            raise self.past()
        self.at += size
        return self.data[self.at - size : self.at]

    def length(self) -> int:
        """Reads a length and checks that it fits into the enclosing message."""
        start = self.at
        value = self.varint()
        if self.at - start > SHORT:
            raise Malformed("VARINT_OVERFLOW", self.origin)
        if value > self.end - self.at:
            raise self.past()
        return value

    def key(self) -> tuple[int, int]:
        """Reads a key. Returns field number and wire type. Of several faults it reports the first of these: the key or
        its value passes the end, the key overflows, the field number is 0, the wire type is 6 or 7."""
        self.origin = self.at
        wire_type = self.data[self.at] & 7
        key = self.varint()
        fault = (
            "VARINT_OVERFLOW"
            if key >> 32 or self.at - self.origin > SHORT
            else "FIELD_NUMBER_ZERO"
            if key < 8
            else "BAD_WIRE_TYPE"
            if wire_type > I32
            else ""
        )
        if fault:
            try:
                self._value(wire_type)
            except Malformed as error:
                if error.status != "VARINT_OVERFLOW":
                    raise
            raise Malformed(fault, self.origin)
        return key >> 3, wire_type

    def _value(self, wire_type: int) -> None:
        if wire_type in (VARINT, LEN):
            self.varint()
        elif wire_type in (I64, I32):
            self.take(8 if wire_type == I64 else 4)


def scalar(kind: FieldType, source: Input) -> bytes:
    """Reads one value from the wire. Returns the bytes of its slot."""
    if kind.wire_type != VARINT:
        return source.take(kind.size)
    value = source.varint()
    if kind.name == "BOOL":
        return bytes([value != 0])
    if kind.name == "SINT32":
        value &= 0xFFFFFFFF
    if kind.name.startswith("SINT"):
        value = value >> 1 ^ -(value & 1)
    return (value & (1 << 8 * kind.size) - 1).to_bytes(kind.size, "little")


def varint(value: int) -> bytes:
    """Returns the shortest varint of the low 64 bits of a number."""
    value &= (1 << 64) - 1
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])

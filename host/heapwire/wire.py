"""The protobuf wire format, value by value, with the errors that a command can end with."""
from __future__ import annotations

from heapwire.interface import FieldType

VARINT, I64, LEN, START_GROUP, END_GROUP, I32 = range(6)


class Malformed(Exception):
    """How a command ends that does not succeed: status name and input offset."""

    def __init__(self, status: str, offset: int) -> None:
        super().__init__(f"{status} at {offset}")
        self.status, self.offset = status, offset


class Input:
    """A cursor over wire bytes; `end` is that of the innermost message."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.end = data, 0, len(data)

    def varint(self) -> int:
        """64 bits of a varint of at most ten bytes."""
        start, value = self.at, 0
        for i in range(10):
            if self.at >= self.end:
                raise Malformed("TRUNCATED", start)
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                return value & (1 << 64) - 1
        raise Malformed("VARINT_OVERFLOW", start)

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        if self.end - self.at < size:
            raise Malformed("TRUNCATED", self.at)
        self.at += size
        return self.data[self.at - size:self.at]

    def length(self) -> int:
        """A length that the enclosing message has room for."""
        start, value = self.at, self.varint()
        if value > self.end - self.at:
            raise Malformed("BAD_LENGTH", start)
        return value


def scalar(kind: FieldType, source: Input) -> bytes:
    """One value from the wire as the bytes of its slot."""
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

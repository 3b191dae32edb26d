"""The words of a stream (docs/reference/skyway.md, "Stream")."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.skyway.formats import Format

MAGIC, SEGMENT, DONE = (int.from_bytes(name, "little") for name in (b"SKYW", b"SEGM", b"DONE"))
VERSION = 1
HEADER = struct.Struct("<I4B4I8s")
HEAD = struct.Struct("<4I")
FIRST = 16
"""Relative address of the first object."""
LIMIT = 1 << 31


@dataclass(frozen=True)
class Header:
    """The sender of a buffer, and the format of the receiver's heap."""

    registry: int
    sender: int = 0
    phase: int = 1
    stream: int = 1
    format: Format = Format()

    def pack(self) -> bytes:
        own = self.format
        return HEADER.pack(
            MAGIC,
            VERSION,
            own.fields,
            own.elements,
            own.alignment,
            self.registry,
            self.sender,
            self.phase,
            self.stream,
            own.words,
        )


def tops_bytes(count: int) -> int:
    """Returns the bytes of a segment's tops, with padding."""
    return (count + 1) // 2 * 8

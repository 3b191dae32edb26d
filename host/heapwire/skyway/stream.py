"""The words of a stream (docs/reference/skyway.md, "Stream")."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.skyway.classes import Layout

MAGIC, SEGMENT, DONE = (int.from_bytes(name, "little") for name in (b"SKYW", b"SEGM", b"DONE"))
VERSION = 1
HEADER = struct.Struct("<I4B6I")
HEAD = struct.Struct("<4I")
FIRST = 16
"""Relative address of the first object."""
LIMIT = 1 << 31


@dataclass(frozen=True)
class Header:
    """The sender of a buffer, and the layout of the receiver's objects."""

    registry: int
    sender: int = 0
    phase: int = 1
    stream: int = 1
    layout: Layout = Layout()

    def pack(self) -> bytes:
        layout = self.layout
        return HEADER.pack(
            MAGIC,
            VERSION,
            layout.fields,
            layout.elements,
            layout.alignment,
            self.registry,
            self.sender,
            self.phase,
            self.stream,
            0,
            0,
        )


def tops_bytes(count: int) -> int:
    """Returns the bytes of a segment's tops, with padding."""
    return (count + 1) // 2 * 8

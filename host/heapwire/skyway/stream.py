"""The words of a stream (docs/reference/skyway.md, "Stream")."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.records.skyway import SKYWAY_MAGIC, SKYWAY_VERSION, Segment
from heapwire.skyway.formats import Format

HEADER = struct.Struct("<I4B4I8s")
HEAD = Segment.STRUCT


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
            SKYWAY_MAGIC,
            SKYWAY_VERSION,
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

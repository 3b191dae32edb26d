"""The words of a stream (docs/reference/skyway.md, "Stream"), and the reasons to reject one."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from base.errors import HeapwireError
from heapwire.records.skyway import SKYWAY_MAGIC, SKYWAY_VERSION, Segment
from heapwire.skyway.formats import Format

HEADER = struct.Struct("<I4B4I8s")
HEAD = Segment.STRUCT


class SkywayError(HeapwireError):
    """A stream that violates docs/reference/skyway.md.

    status: name of the status. at: the offset in the stream for BAD_STREAM, CUT and END, else the relative address of
    the faulty object."""

    def __init__(self, status: str, at: int, problem: str) -> None:
        super().__init__(f"{status} at {at}: {problem}")
        self.status, self.at, self.problem = status, at, problem


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

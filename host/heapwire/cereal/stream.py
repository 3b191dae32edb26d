"""A stream's header."""
from __future__ import annotations

import struct
from dataclasses import dataclass

MAGIC, VERSION, STRIP = 0x4C524543, 1, 1
HEADER = struct.Struct("<IBBHIIIIII")
IMAGE_LIMIT = 1 << 29


@dataclass
class Header:
    """Its fields by the names of the specification; `reserved` is the u16."""

    magic: int
    version: int
    flags: int
    reserved: int
    class_set: int
    objects: int
    graph: int
    values: int
    references: int
    layouts: int

    @classmethod
    def unpack(cls, data: bytes) -> Header:
        return cls(*HEADER.unpack_from(data))

    def pack(self) -> bytes:
        return HEADER.pack(self.magic, self.version, self.flags, self.reserved, self.class_set, self.objects, self.graph,
                           self.values, self.references, self.layouts)

    @property
    def stripped(self) -> bool:
        return bool(self.flags & STRIP)

    @property
    def length(self) -> int:
        """Bytes of the stream."""
        return HEADER.size + self.values + self.references + self.layouts

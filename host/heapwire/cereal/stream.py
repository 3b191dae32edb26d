"""The header of a stream."""

from __future__ import annotations

from dataclasses import dataclass, fields

from heapwire.cereal.numbers import FORMAT


def width(field: str) -> int:
    """Returns the bytes of a field of the header."""
    return {"version": 1, "flags": 1, "reserved": 2}.get(field, 4)


@dataclass
class Header:
    """The header's fields, named as in the specification. `reserved` is the u16."""

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
        """Reads the header from the first bytes of a stream, at least FORMAT.header_size."""
        found = {}
        for each in fields(cls):
            at = getattr(FORMAT, f"header_{each.name}")
            found[each.name] = int.from_bytes(data[at : at + width(each.name)], "little")
        return cls(**found)

    def pack(self) -> bytes:
        data = bytearray(FORMAT.header_size)
        for each in fields(self):
            at = getattr(FORMAT, f"header_{each.name}")
            data[at : at + width(each.name)] = getattr(self, each.name).to_bytes(width(each.name), "little")
        return bytes(data)

    @property
    def stripped(self) -> bool:
        return bool(self.flags & FORMAT.flag_strip)

    @property
    def length(self) -> int:
        """Bytes of the stream."""
        return FORMAT.header_size + self.values + self.references + self.layouts

"""The layout of objects in a receiver's heap, and the fingerprint that tells two versions of a class apart."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from heapwire.cereal.classes import Class, Kind
from heapwire.cereal.numbers import FORMAT

MARK_BITS = 7
"""Bits of a mark below the identity hash. They hold the number 1."""


@dataclass(frozen=True)
class Layout:
    """Offsets of the first field and of the first element, and the alignment of objects, in bytes."""

    fields: int = 16
    elements: int = 24
    alignment: int = 8

    def __post_init__(self) -> None:
        if self.fields not in (8, 16) or self.elements not in (16, 24) or self.alignment not in (8, 16):
            raise ValueError(f"{self}: no heap of this project is laid out so")

    def body(self, cls: Class) -> int:
        return self.elements if cls.is_array else self.fields

    def size(self, cls: Class, length: int = 0) -> int:
        """Returns the bytes of an object."""
        bytes_of_body = length << cls.shift if cls.is_array else FORMAT.slot * len(cls.references)
        return -(-(self.body(cls) + bytes_of_body) // self.alignment) * self.alignment


def fingerprint(cls: Class) -> int:
    """Returns the CRC-32 of the class's layout behind the header. Classes of a JVM have more (names of fields), which
    these classes lack."""
    text = bytes([cls.kind.code, cls.shift]) + (FORMAT.slot * len(cls.references)).to_bytes(4, "little")
    return zlib.crc32(text + bytes(cls.references))


def suits(cls: Class) -> bool:
    return cls.kind in (Kind.INSTANCE, Kind.VALUES, Kind.REFERENCES)

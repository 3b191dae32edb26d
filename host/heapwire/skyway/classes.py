"""The fingerprint that tells two versions of a class apart."""

from __future__ import annotations

import zlib

from heapwire.cereal.classes import Class, Kind
from heapwire.cereal.numbers import FORMAT


def fingerprint(cls: Class) -> int:
    """Returns the CRC-32 of the class's layout behind the header. Classes of a JVM have more (names of fields), which
    these classes lack."""
    text = bytes([cls.kind.code, cls.shift]) + (FORMAT.slot * len(cls.references)).to_bytes(4, "little")
    return zlib.crc32(text + bytes(cls.references))


def suits(cls: Class) -> bool:
    return cls.kind in (Kind.INSTANCE, Kind.VALUES, Kind.REFERENCES)

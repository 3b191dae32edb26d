"""Registered classes and their fingerprint."""
from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import IntEnum

SLOT = 4
INSTANCE_HEADER, ARRAY_HEADER = 16, 24
"""Bytes in front of the first field, of the first element."""


class Kind(IntEnum):
    INSTANCE = 0
    VALUES = 1
    REFERENCES = 2


@dataclass(frozen=True)
class Class:
    """A class as both sides know it.

    references: of an instance, a flag a slot from slot 4 on: whether it holds a reference."""

    name: str
    kind: Kind
    shift: int = 0
    references: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if self.kind == Kind.INSTANCE and (len(self.references) % 2 or self.shift):
            raise ValueError(f"{self.name}: an instance is a multiple of 8 bytes and has no elements")
        if self.kind != Kind.INSTANCE and (self.references or self.shift > 3 or (self.kind == Kind.REFERENCES and self.shift != 2)):
            raise ValueError(f"{self.name}: an array of {1 << self.shift} bytes an element")

    @property
    def is_array(self) -> bool:
        return self.kind != Kind.INSTANCE

    def size(self, length: int = 0) -> int:
        """Bytes of an object in the image."""
        if not self.is_array:
            return INSTANCE_HEADER + SLOT * len(self.references)
        return (ARRAY_HEADER + (length << self.shift) + 7) & ~7

    def slots(self, length: int = 0) -> int:
        """Slots behind the header."""
        return (self.size(length) - (ARRAY_HEADER if self.is_array else INSTANCE_HEADER)) // SLOT

    def is_reference(self, slot: int, length: int = 0) -> bool:
        """Of a slot, counted from behind the header."""
        if self.kind == Kind.INSTANCE:
            return self.references[slot]
        return self.kind == Kind.REFERENCES and slot < length

    def fingerprint(self, crc: int) -> int:
        """The class set of those before, of which `crc` is the fingerprint, and this one."""
        text = self.name.encode() + b"\0"
        text += (0 if self.is_array else self.size()).to_bytes(4, "little") + bytes([self.kind, self.shift])
        return zlib.crc32(text + bytes(self.references), crc)


class ClassSet:
    """Classes in the order of their ids."""

    def __init__(self, classes: list[Class] | tuple[Class, ...] = ()) -> None:
        self.classes: list[Class] = []
        self.ids: dict[Class, int] = {}
        self.fingerprint = 0
        for each in classes:
            self.register(each)

    def register(self, one: Class) -> int:
        """The class's id; the one it has if it is registered already."""
        if one not in self.ids:
            self.ids[one] = len(self.classes)
            self.classes.append(one)
            self.fingerprint = one.fingerprint(self.fingerprint)
        return self.ids[one]

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, identifier: int) -> Class:
        return self.classes[identifier]

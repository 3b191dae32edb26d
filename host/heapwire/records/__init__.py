"""Records that cross host and machine, written once. A module of this package describes one border: its constants,
enumerations and records. Python uses the module as it is; `python -m heapwire.records` writes the same as a C header.

Needs the standard library alone, because users of heapwire_litex have no other part of the host."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from itertools import islice
from typing import Any, ClassVar, NamedTuple

u8 = u32 = int
text = bytes
"""Types of fields, little endian. `u32[4]` has several values; `text[16]` holds a string that ends with a byte 0."""

FORMATS = {"u8": "B", "u32": "I", "text": "s"}


class Field(NamedTuple):
    """A field of a record. count: number of values, 0 if it is no array."""

    name: str
    type: str
    count: int


class Record:
    """A base of records. C has the fields as `struct c`, which needs no padding. `cases="c_name"` adds a flexible array
    of those structs to the struct. Fields named reserved... are 0 unless given."""

    C: ClassVar[str]
    CASES: ClassVar[str]
    FIELDS: ClassVar[list[Field]]
    STRUCT: ClassVar[struct.Struct]
    SIZE: ClassVar[int]

    def __init_subclass__(cls, c: str = "", cases: str = "") -> None:
        if not c:  # adds members that do not cross the border
            return
        cls.C, cls.CASES = c, cases
        parsed = [(name, *re.findall(r"\w+", kind), 0) for name, kind in cls.__dict__["__annotations__"].items()]
        cls.FIELDS = [Field(name, kind, int(count)) for name, kind, count, *_ in parsed]
        cls.STRUCT = struct.Struct("<" + "".join(f"{count or ''}{FORMATS[kind]}" for _, kind, count in cls.FIELDS))
        cls.SIZE = cls.STRUCT.size
        for name, _, count in cls.FIELDS:
            if name.startswith("reserved"):
                setattr(cls, name, (0,) * count if count else 0)
        dataclass(frozen=True)(cls)

    def pack(self) -> bytes:
        """Returns the record's bytes. Raises ValueError for a text without room for its last byte, 0."""
        values = [getattr(self, field.name) for field in self.FIELDS]
        for field, value in zip(self.FIELDS, values):
            if field.type == "text" and len(value) >= field.count:
                raise ValueError(f"{field.name}: {value!r} has no room for its end in {field.count} bytes")
        return self.STRUCT.pack(*(each for value in values for each in (value if type(value) is tuple else (value,))))

    @classmethod
    def unpack(cls, data: bytes, at: int = 0):
        """Returns the record that begins at offset `at`. Raises struct.error if the data end before the record."""
        values = iter(cls.STRUCT.unpack_from(data, at))
        found = (
            tuple(islice(values, count)) if count and kind != "text" else next(values) for _, kind, count in cls.FIELDS
        )
        return cls(*found)


def align(value: int, alignment: int) -> int:
    """Rounds up to a multiple."""
    return -(-value // alignment) * alignment


class _Named:
    """Makes an enumeration `enum c` in C, whose members begin with `prefix`, by default its name. C_NAMES initializes
    an array of names, which have `joint` between words."""

    def __init_subclass__(cls, c: str = "", prefix: str | None = None, joint: str = "_", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls._c_, cls._prefix_, cls._joint_ = c, f"{c.upper()}_" if prefix is None else prefix, joint

    @property
    def text(self) -> str:
        """The member's name in rows and commands."""
        return self.name.lower().replace("_", self._joint_)


class Numbers(_Named, IntEnum):
    """A base of enumerations: numbers, of which a field has one. Behind its number a member may have a meaning, a text:
    C_MEANINGS(X) is then X(NAME, meaning) for each in C."""

    meaning: str

    def __new__(cls, value: int, meaning: str = ""):
        member = int.__new__(cls, value)
        member._value_, member.meaning = value, meaning
        return member


class Flags(_Named, IntFlag):
    """A base of enumerations: bits, of which a field has any."""

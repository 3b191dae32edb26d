"""Records that cross host and machine, written once. A module of this package describes one border: its constants,
enumerations and records. Python uses the module as it is; `python -m heapwire.records` writes the same as a C header.

Needs the standard library alone, because users of heapwire_litex have no other part of the host."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, ClassVar

u8 = u16 = u32 = int
text = bytes
"""Types of fields, little endian. `u32[4]` has several values; `text[16]` holds a string that ends with a byte 0."""

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "text": "s"}


class Field:
    """A field of a record: its name, the name of its type, the number of values, 0 if it is no array."""

    def __init__(self, name: str, annotation: str) -> None:
        self.name = name
        self.type, count = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", annotation).groups()
        self.count = int(count or 0)
        self.format = f"{self.count or ''}{FORMATS[self.type]}"


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
        cls.FIELDS = [Field(*each) for each in cls.__dict__["__annotations__"].items()]
        cls.STRUCT = struct.Struct("<" + "".join(field.format for field in cls.FIELDS))
        cls.SIZE = cls.STRUCT.size
        for field in cls.FIELDS:
            if field.name.startswith("reserved"):
                setattr(cls, field.name, (0,) * field.count if field.count else 0)
        dataclass(frozen=True)(cls)

    def __init__(self, *values: Any, **named: Any) -> None:
        raise TypeError("a record has fields")

    def pack(self) -> bytes:
        """Returns the record's bytes."""
        values = []
        for field in self.FIELDS:
            value = getattr(self, field.name)
            values += value if field.count and field.type != "text" else [value]
        return self.STRUCT.pack(*values)

    @classmethod
    def unpack(cls, data: bytes, at: int = 0):
        """Returns the record that begins at offset `at`. Raises struct.error if the data end before the record."""
        values = list(cls.STRUCT.unpack_from(data, at))
        found = []
        for field in cls.FIELDS:
            count = field.count if field.count and field.type != "text" else 0
            found.append(tuple(values[:count]) if count else values[0])
            del values[: count or 1]
        return cls(*found)


class _Named:
    """Makes an enumeration `enum c` in C, whose members begin with `prefix`, by default its name. C_NAMES initializes
    an array of names."""

    def __init_subclass__(cls, c: str = "", prefix: str | None = None, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        cls._c_, cls._prefix_ = c, f"{c.upper()}_" if prefix is None else prefix


class Numbers(_Named, IntEnum):
    """A base of enumerations: numbers, of which a field has one."""


class Flags(_Named, IntFlag):
    """A base of enumerations: bits, of which a field has any."""

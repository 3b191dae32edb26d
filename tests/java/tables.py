"""Reads the output of host/tables.c into Python values."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.common.run import checked

SIZES = {"Z": 1, "B": 1, "C": 2, "S": 2, "I": 4, "F": 4, "J": 8, "D": 8, "L": 4, "[": 4}
INSTANCE, PRIMITIVE_ARRAY, OBJECT_ARRAY = 0, 1, 2
METADATA = 1
SERIALIZABLE, EXTERNALIZABLE, ENUM, ABSTRACT = 1, 2, 4, 8
TRANSIENT = 1


@dataclass
class Field:
    name: str
    descriptor: str
    offset: int
    modifiers: int

    @property
    def size(self) -> int:
        return SIZES[self.descriptor[0]]

    @property
    def is_reference(self) -> bool:
        return self.descriptor[0] in "L["


@dataclass
class Class:
    name: str
    superclass: Class | None
    size: int
    kind: int
    shift: int
    klass_flags: int
    flags: int
    uid: int
    fields: list[Field] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    references: list[int] = field(default_factory=list)

    @property
    def metadata(self) -> bool:
        return bool(self.klass_flags & METADATA)

    def all_fields(self) -> list[Field]:
        return (self.superclass.all_fields() if self.superclass else []) + self.fields

    def offsets(self) -> dict[str, int]:
        return {each.name: each.offset for each in self.fields}


def read(program) -> dict[str, Class]:
    listing = checked(program)
    found: dict[str, Class] = {}
    for line in listing.splitlines():
        word, _, rest = line.partition(" ")
        values = rest.split("\t")
        if word == "class":
            last = Class(values[0], found.get(values[1]), *map(int, values[2:]))
            assert (values[1] == "-") == (last.superclass is None)
            found[last.name] = last
        elif word == "field":
            last.fields.append(Field(values[0], values[1], int(values[2]), int(values[3])))
        elif word == "constant":
            last.constants.append(values[0])
        else:
            last.references = [int(each) for each in rest.split()]
    return found

"""Global class numbering: the type registry of a driver, and the fingerprint that tells versions of a class apart."""

from __future__ import annotations

import secrets
import zlib
from dataclasses import dataclass
from typing import Sequence

from base.errors import HeapwireError
from heapwire.cereal.graph import Class
from heapwire.cereal.numbers import FORMAT
from heapwire.records.skyway import SKYWAY_CLASSES
from heapwire.skyway.formats import Field, Format, Placement, slots_as_fields


def fingerprint(cls: Class) -> int:
    """Returns the CRC-32 of the class's layout behind the header. Classes of a JVM have more (names of fields), which
    these classes lack."""
    text = bytes([cls.kind.code, cls.shift]) + (FORMAT.slot * len(cls.references)).to_bytes(4, "little")
    return zlib.crc32(text + bytes(cls.references))


class NumberingError(HeapwireError):
    """A class that has no number, or whose layout differs elsewhere. The status is one of docs/reference/skyway.md."""

    def __init__(self, status: str, problem: str) -> None:
        super().__init__(f"{status}: {problem}")
        self.status = status


@dataclass(frozen=True)
class Entry:
    """The name of a class and the fingerprint of its layout."""

    name: str
    fingerprint: int


class Registry:
    """Names of classes by id, from 1 on, and those classes that this process knows.

    number: distinguishes this registry from every other, and from the driver's registry before a restart."""

    def __init__(self, number: int = 0) -> None:
        self.number = number or secrets.randbelow((1 << 32) - 1) + 1
        self.entries: list[Entry] = []
        self.ids: dict[str, int] = {}
        self.classes: dict[str, Class] = {}
        self._fields: dict[str, Sequence[Field]] = {}
        self._placements: dict[tuple[Class, Format], Placement] = {}

    def lookup(self, name: str, print_of_class: int) -> int:
        """Returns the id of a class. A new name gets a new id.

        Raises NumberingError CLASS_CONFLICT or REGISTRY_FULL."""
        known = self.ids.get(name)
        if known is None:
            if len(self.entries) == SKYWAY_CLASSES:
                raise NumberingError("REGISTRY_FULL", f"{name} is one class too many")
            self.entries.append(Entry(name, print_of_class))
            known = self.ids[name] = len(self.entries)
        if self.entries[known - 1].fingerprint != print_of_class:
            raise NumberingError("CLASS_CONFLICT", f"{name} is laid out otherwise elsewhere")
        return known

    def load(self, cls: Class, fields: Sequence[Field] | None = None) -> int:
        """Registers a class of this process. Returns its id. Raises NumberingError.

        fields: those of a class from a class file, in the order in which they are placed."""
        found = self.lookup(cls.name, fingerprint(cls))
        self.know(cls, fields)
        return found

    def know(self, cls: Class, fields: Sequence[Field] | None = None) -> None:
        """Makes a class available by its name, for streams that have objects of it."""
        self.classes[cls.name] = cls
        self._fields[cls.name] = slots_as_fields(cls) if fields is None else fields

    def placement(self, cls: Class, form: Format) -> Placement | None:
        """Returns the places of an instance's fields in a heap, unless they are the same as here."""
        if cls.is_array or not form.moves:
            return None
        if (cls, form) not in self._placements:
            fields = self._fields.get(cls.name) or slots_as_fields(cls)
            self._placements[cls, form] = form.place(fields)
        return self._placements[cls, form]

    def id_of(self, cls: Class) -> int:
        found = self.ids.get(cls.name, 0)
        if not found or self.entries[found - 1].fingerprint != fingerprint(cls):
            raise NumberingError("UNREGISTERED_CLASS", f"{cls.name} has no number")
        return found

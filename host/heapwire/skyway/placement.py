"""The places of an instance's fields (docs/reference/skyway.md, "Heap formats")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

from heapwire.cereal.classes import Class
from heapwire.cereal.numbers import FORMAT

BYTES = {"J": 8, "D": 8, "I": 4, "F": 4, "S": 2, "C": 2, "B": 1, "Z": 1}
"""Bytes of a value, by the descriptor of its field. All other descriptors are those of references."""


@dataclass(frozen=True)
class Field:
    """A field of an instance. offset: from the end of the header, in this project's heaps. bytes: of a value, or of a
    reference in these heaps."""

    offset: int
    bytes: int
    reference: bool = False


def slots_as_fields(cls: Class) -> tuple[Field, ...]:
    """Returns the fields of a class of which only the slots are known: one in each slot."""
    return tuple(Field(FORMAT.slot * i, FORMAT.slot, reference) for i, reference in enumerate(cls.references))


def in_order(levels: Iterable[Sequence[Field]]) -> tuple[Field, ...]:
    """Returns the fields of a class from a class file in the order in which they are placed. levels: the fields that
    each class declares, in the order of declaration, superclasses first."""
    return tuple(field for level in levels for field in sorted(level, key=lambda each: (each.reference, -each.bytes)))


def fields_of_classes(described: list[dict], header: int) -> dict[str, tuple[Field, ...]]:
    """Returns the fields of each class of a classes.json (docs/reference/classes.md), in the order in which they are
    placed. header: the offset of the first field of classes with metadata."""
    counts = {each["name"]: len(each["fields"]) for each in described}
    levels: dict[str, list[list[Field]]] = {}
    for each in described:  # superclasses come before their subclasses
        inherited = counts[each["super"]] if each["super"] else 0
        declared = [
            Field(offset - header, BYTES.get(descriptor, FORMAT.slot), descriptor not in BYTES)
            for _, descriptor, offset in each["fields"][inherited:]
        ]
        levels[each["name"]] = [*levels.get(each["super"], []), declared]
    return {name: in_order(chain) for name, chain in levels.items()}


class Placement:
    """places: each field with its offset in the other heap. end: the offset behind the last byte of a field."""

    def __init__(self, fields: Sequence[Field], start: int, reference_bytes: int) -> None:
        self.end = start
        self.gaps: list[tuple[int, int]] = []  # begin and end
        self.reference_bytes = reference_bytes
        self.places = [(field, self._place(reference_bytes if field.reference else field.bytes)) for field in fields]

    def _place(self, size: int) -> int:
        """Takes the smallest gap that holds so many bytes, of equal ones the highest, or else the end."""
        fitting = [(begin, end) for begin, end in self.gaps if -(-begin // size) * size + size <= end]
        if fitting:
            begin, end = min(fitting, key=lambda gap: (gap[1] - gap[0], -gap[0]))
            self.gaps.remove((begin, end))
        else:
            begin = self.end
            end = self.end = -(-begin // size) * size + size
        at = -(-begin // size) * size
        self.gaps += [gap for gap in ((begin, at), (at + size, end)) if gap[0] < gap[1]]
        return at

    def moved(self, body: bytes) -> bytes:
        """Returns the object, with zeros for its header. body: the fields at their offsets in this project's heaps."""
        out = bytearray(self.end)
        for field, at in self.places:
            size = self.reference_bytes if field.reference else field.bytes
            out[at : at + size] = body[field.offset : field.offset + field.bytes].ljust(size, b"\0")
        return bytes(out)

    def back(self, image: bytes, size: int) -> tuple[bytes, dict[int, int]]:
        """Returns the fields of an object at their offsets in this project's heaps, and the references by their
        offsets. size: bytes of the fields in these heaps."""
        body, references = bytearray(size), {}
        for field, at in self.places:
            if field.reference:
                references[field.offset] = int.from_bytes(image[at : at + self.reference_bytes], "little")
            else:
                body[field.offset : field.offset + field.bytes] = image[at : at + field.bytes]
        return bytes(body), references

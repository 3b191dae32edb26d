"""The format of a heap's objects, and the places of an instance's fields (docs/reference/skyway.md, "Heap formats")."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Iterable, Sequence

from base.errors import HeapwireError
from heapwire.cereal.graph import Class, Kind
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


HASH_BITS = 25
"""Bits of an identity hash of this project's heaps."""
LENGTH_BYTES = 4
HIGHEST = 248
"""The highest offset of a first field or element."""
OWN_WORDS = (4, 4, 4, 8, 7, 25, 1)


class FormatError(HeapwireError):
    """A format that no heap can have, or a format file with an error."""


def round_up(number: int, alignment: int) -> int:
    return -(-number // alignment) * alignment


@dataclass(frozen=True)
class Format:
    """Offsets and sizes in bytes. The defaults are those of this project's heaps, for classes with metadata.

    fields: offset of an instance's first field. elements: offset of an array's first element. alignment: of objects.
    reference_bytes, mark_bytes, class_bytes: sizes; the mark is at 0, the class word behind it. length: offset of an
    array's length. hash_bit: lowest bit of the identity hash in the mark. hash_bits: width of the hash. unlocked: the
    bits below the hash, in the mark of an unlocked object of age 0."""

    fields: int = 16
    elements: int = 24
    alignment: int = 8
    reference_bytes: int = 4
    mark_bytes: int = 4
    class_bytes: int = 4
    length: int = 8
    hash_bit: int = 7
    hash_bits: int = HASH_BITS
    unlocked: int = 1

    def __post_init__(self) -> None:
        """Raises FormatError if no heap can have this format."""
        for name in ("reference_bytes", "mark_bytes", "class_bytes"):
            self._demand(getattr(self, name) in (4, 8), name, "must be 4 or 8")
        self._demand(self.alignment in (8, 16), "alignment", "must be 8 or 16")
        self._demand(
            self.mark_bytes % self.class_bytes == 0,
            "class_bytes",
            f"a class word behind a mark of {self.mark_bytes} bytes would not be aligned",
        )
        self._demand(
            HASH_BITS <= self.hash_bits <= 255, "hash_bits", f"must be {HASH_BITS} or more: a hash has {HASH_BITS} bits"
        )
        self._demand(
            0 <= self.hash_bit <= 8 * self.mark_bytes - self.hash_bits,
            "hash_bit",
            f"a hash of {self.hash_bits} bits does not fit there into a mark of {self.mark_bytes} bytes",
        )
        self._demand(
            0 <= self.unlocked < min(1 << self.hash_bit, 256),
            "unlocked",
            f"must fit into 8 bits and below the hash, which begins at bit {self.hash_bit}",
        )
        self._demand_place("fields", 4, HIGHEST)
        self._demand_place("length", 4, HIGHEST - LENGTH_BYTES)
        self._demand_place("elements", 8, HIGHEST)
        self._demand(
            self.length + LENGTH_BYTES <= self.elements,
            "elements",
            f"overlaps the length, which is at {self.length} and has {LENGTH_BYTES} bytes",
        )

    def _demand(self, condition: bool, name: str, problem: str) -> None:
        if not condition:
            raise FormatError(f"{name} = {getattr(self, name)}: {problem}")

    def _demand_place(self, name: str, multiple: int, highest: int) -> None:
        offset = getattr(self, name)
        self._demand(
            offset >= self.header_bytes, name, f"overlaps the words of the header, which end at {self.header_bytes}"
        )
        self._demand(
            offset % multiple == 0 and offset <= highest, name, f"must be a multiple of {multiple}, up to {highest}"
        )

    @property
    def header_bytes(self) -> int:
        """Bytes of mark and class word."""
        return self.mark_bytes + self.class_bytes

    @cached_property
    def words(self) -> bytes:
        """The eight bytes of a stream's header that describe the words of objects. All are 0 for this project's."""
        words = astuple(self)[3:]
        return bytes(8) if words == OWN_WORDS else bytes([*words, 0])

    @property
    def moves(self) -> bool:
        """Whether instances have their fields at other places, among each other, than in this project's heaps."""
        return self.reference_bytes != FORMAT.slot or self.fields % 8 != 0

    def body(self, cls: Class) -> int:
        return self.elements if cls.is_array else self.fields

    def element_bytes(self, cls: Class) -> int:
        return self.reference_bytes if cls.kind == Kind.REFERENCES else 1 << cls.shift

    def place(self, fields: Sequence[Field]) -> Placement:
        return Placement(fields, self.fields, self.reference_bytes)

    def size(self, cls: Class, length: int = 0, placement: Placement | None = None) -> int:
        """Returns the bytes of an object. placement: of an instance's fields, if `moves`."""
        if cls.is_array:
            end = self.elements + length * self.element_bytes(cls)
        else:
            end = placement.end if placement else self.fields + FORMAT.slot * len(cls.references)
        return round_up(end, self.alignment)

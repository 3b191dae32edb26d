"""The format of a heap's objects (docs/reference/skyway.md, "Heap formats")."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Sequence

from heapwire.cereal.classes import Class, Kind
from heapwire.cereal.numbers import FORMAT
from heapwire.skyway.errors import FormatError
from heapwire.skyway.placement import Field, Placement

HASH_BITS = 25
"""Bits of an identity hash of this project's heaps."""
LENGTH_BYTES = 4
HIGHEST = 248
"""The highest offset of a first field or element."""
OWN_WORDS = (4, 4, 4, 8, 7, 25, 1)


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

"""Registered classes with their fingerprint, and graphs of their objects in Python."""

from __future__ import annotations

import zlib
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Iterator

from heapwire.cereal.numbers import FORMAT


class Kind(Enum):
    INSTANCE = "instance"
    VALUES = "values"
    REFERENCES = "references"

    @property
    def code(self) -> int:
        """The code of the kind in the class set and in the units' registers."""
        return getattr(FORMAT, f"kind_{self.value}")


@dataclass(frozen=True)
class Class:
    """A class as both sides know it.

    references: for an instance, one flag for each slot from slot 4 on, which says whether the slot holds a
    reference."""

    name: str
    kind: Kind
    shift: int = 0
    references: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if self.kind == Kind.INSTANCE and (len(self.references) % 2 or self.shift):
            raise ValueError(f"{self.name}: an instance is a multiple of 8 bytes and has no elements")
        if self.kind != Kind.INSTANCE and (
            self.references or self.shift > 3 or (self.kind == Kind.REFERENCES and self.shift != 2)
        ):
            raise ValueError(f"{self.name}: an array of {1 << self.shift} bytes an element")

    @property
    def is_array(self) -> bool:
        return self.kind != Kind.INSTANCE

    def size(self, length: int = 0) -> int:
        """Returns the bytes of an object in the image."""
        if not self.is_array:
            return self.header + FORMAT.slot * len(self.references)
        return -(-(self.header + (length << self.shift)) // FORMAT.granule) * FORMAT.granule

    @property
    def header(self) -> int:
        """Bytes in front of the first field or the first element."""
        return FORMAT.slot * (FORMAT.array_header if self.is_array else FORMAT.instance_header)

    def slots(self, length: int = 0) -> int:
        """Returns the number of slots behind the header."""
        return (self.size(length) - self.header) // FORMAT.slot

    def is_reference(self, slot: int, length: int = 0) -> bool:
        """Returns whether a slot holds a reference. Slots are counted from the end of the header."""
        if self.kind == Kind.INSTANCE:
            return self.references[slot]
        return self.kind == Kind.REFERENCES and slot < length

    def fingerprint(self, crc: int) -> int:
        """Returns the fingerprint of a class set that ends with this class. `crc` is the fingerprint of the classes
        before it."""
        text = self.name.encode() + b"\0"
        text += (0 if self.is_array else self.size()).to_bytes(4, "little") + bytes([self.kind.code, self.shift])
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
        """Registers a class. Returns its id, or the existing id if it is already registered."""
        if one not in self.ids:
            self.ids[one] = len(self.classes)
            self.classes.append(one)
            self.fingerprint = one.fingerprint(self.fingerprint)
        return self.ids[one]

    def __len__(self) -> int:
        return len(self.classes)

    def __getitem__(self, identifier: int) -> Class:
        return self.classes[identifier]


@dataclass(eq=False, repr=False)
class Object:
    """One object. Objects are compared by identity.

    hash: identity hash; 0 if nobody has asked for it. length: number of elements of an array. slots: the slots behind
    the header. A reference slot is an Object or None; a value slot is a number of 32 bits. The padding of an array is
    included."""

    cls: Class
    hash: int = 0
    length: int = 0
    slots: list[Object | int | None] = field(default_factory=list)

    def references(self) -> Iterator[Object | None]:
        """Yields the contents of the reference slots, in order."""
        cls, length = self.cls, self.length
        return (slot for i, slot in enumerate(self.slots) if cls.is_reference(i, length))

    def __repr__(self) -> str:
        return f"<{self.cls.name}{[self.length] if self.cls.is_array else ''}>"


def objects(root: Object) -> list[Object]:
    """Returns all objects that the root reaches, breadth first, which is the order of a stream."""
    found, known, queue = [root], {id(root)}, deque([root])
    while queue:
        for target in queue.popleft().references():
            if target is not None and id(target) not in known:
                known.add(id(target))
                found.append(target)
                queue.append(target)
    return found


def difference(first: Object, second: Object, hashes: bool = True) -> str | None:
    """Returns how two graphs differ, or None if they are isomorphic. Isomorphic graphs differ only in the places of
    their objects.

    hashes: whether identity hashes must be equal, too."""
    partner, back = {id(first): second}, {id(second): first}
    queue = deque([(first, second, "root")])
    while queue:
        one, other, path = queue.popleft()
        if one.cls != other.cls or one.length != other.length or len(one.slots) != len(other.slots):
            return f"{path}: {one} and {other}"
        if hashes and one.hash != other.hash:
            return f"{path}: hash {one.hash:#x} and {other.hash:#x}"
        for i, (left, right) in enumerate(zip(one.slots, other.slots)):
            if not isinstance(left, Object) or not isinstance(right, Object):
                if left != right:
                    return f"{path}[{i}]: {left} and {right}"
            elif id(left) not in partner and id(right) not in back:
                partner[id(left)], back[id(right)] = right, left
                queue.append((left, right, f"{path}[{i}]" if len(path) < 200 else "..."))
            elif partner.get(id(left)) is not right or back.get(id(right)) is not left:
                return f"{path}[{i}]: shared otherwise"
    return None

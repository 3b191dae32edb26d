"""Graphs of heapwire.cereal in a unit's memory: registered classes with their klasses, heaps to serialize, images."""

from __future__ import annotations

import random
import struct
from typing import Iterator

from heapwire.cereal import Class, ClassSet, Kind, Object, objects
from heapwire.cereal.numbers import FORMAT
from heapwire.interface import Interface
from sim.unit.process import Unit

KLASS_BYTES, BLOCK_BYTES = 32, 64


def shape(cls: Class) -> int:
    """Returns the value of the register CEREAL_CLASS_SHAPE for a class."""
    return cls.kind.code << FORMAT.shape_kind_bit | (cls.shift if cls.is_array else cls.size())


def bitmap(cls: Class) -> int:
    """Returns the value of the register CEREAL_CLASS_REFERENCES for a class."""
    return sum(bit << i for i, bit in enumerate(cls.references[: FORMAT.shape_slots]))


class Registered:
    """The classes of a program, in the order of their ids, and the addresses of their klasses."""

    def __init__(self, classes: list[Class], addresses: list[int]) -> None:
        self.classes = classes
        self.set = ClassSet(classes)
        self.klass = dict(zip(classes, addresses))

    @classmethod
    def scattered(cls, dice: random.Random, classes: list[Class], base: int) -> Registered:
        """Places the klasses next to each other in random order, from a random address above `base` on, as in a table.

        So at most two of them share a set of the serialization unit's klass table, which then holds them all."""
        first, count = dice.randrange(400), len(classes)
        return cls(classes, [base + KLASS_BYTES * place for place in dice.sample(range(first, first + count), count)])

    def tell(self, unit: Unit, interface: Interface, strip: bool = False) -> None:
        """Performs Initialize, and RegisterClass for each class."""
        unit.register(interface.registers["CEREAL_MODE"], FORMAT.mode_forget | (FORMAT.mode_strip if strip else 0))
        unit.register(interface.registers["CEREAL_CLASS_SET"], self.set.fingerprint)
        for i, one in enumerate(self.classes):
            self.tell_class(unit, interface, i, self.klass[one], shape(one), bitmap(one))

    @staticmethod
    def tell_class(unit: Unit, interface: Interface, identifier: int, klass: int, shaped: int, references: int) -> None:
        for name, value in (("ID", identifier), ("KLASS", klass), ("SHAPE", shaped), ("REFERENCES", references)):
            unit.register(interface.registers[f"CEREAL_CLASS_{name}"], value)


def sized(item: Object) -> int:
    """Returns the size of an object in bytes."""
    return item.cls.size(item.length)


def relatives(graph: list[Object]) -> dict[int, int]:
    """Returns the relative addresses, by identity, of objects in the order of their stream."""
    found, top = {}, 0
    for item in graph:
        found[id(item)] = top
        top += sized(item)
    return found


def words(
    item: Object, mark: int, klass: int, metadata: tuple[int, int], padding: int, address: dict[int, int]
) -> Iterator[int]:
    """Yields the words of an object in memory. address: addresses, by identity, of the objects that it refers to."""
    yield from (mark, klass)
    if item.cls.is_array:
        yield item.length
    yield from metadata
    if item.cls.is_array:
        yield padding
    for slot in item.slots:
        yield 0 if slot is None else address[id(slot)] if isinstance(slot, Object) else slot


def image(graph: list[Object], registered: Registered, base: int, prototype: int | None = None) -> bytes:
    """Returns the image that a reader builds from a stream of these objects, in this order.

    prototype: the mark word to use, for a stream without marks."""
    address = {key: (base + relative) & 0xFFFF_FFFF for key, relative in relatives(graph).items()}
    data = bytearray()
    for item in graph:
        mark = item.hash << FORMAT.hash_bit | FORMAT.mark if prototype is None else prototype
        found = list(words(item, mark, registered.klass[item.cls], (0, 0), 0, address))
        data += struct.pack(f"<{len(found)}I", *found)
    return bytes(data)


class Heap:
    """Objects in a range of memory from `base` on.

    gap, shuffle: random gaps between objects (in units of 8 bytes, below this), random order. offset: instead, each
    object begins at this offset of a block of its own. metadata: metadata of some objects, by identity; the others have
    (0, 0). trash: whatever no object defines is random: gaps, the ages of objects, and bytes that an array's elements
    do not fill."""

    def __init__(
        self,
        dice: random.Random,
        registered: Registered,
        graph: list[Object],
        base: int,
        *,
        gap: int = 0,
        shuffle: bool = False,
        offset: int | None = None,
        metadata: dict[int, tuple[int, int]] | None = None,
        trash: bool = True,
    ) -> None:
        self.dice, self.registered, self.graph = dice if trash else None, registered, graph
        order = list(graph)
        if shuffle:
            dice.shuffle(order)
        at, self.address = base, {}
        for item in order:
            if offset is not None:
                at += (offset - at) % BLOCK_BYTES
            self.address[id(item)] = at
            at += sized(item) + (8 * dice.randrange(gap) if gap else 0)
        self.bound, self.limit = base, at
        self.data = bytearray(dice.randbytes(at - base) if trash and at - base < 1 << 20 else at - base)
        for item in graph:
            self.put(item, (metadata or {}).get(id(item), (0, 0)))

    def of(self, item: Object) -> int:
        """Returns the object's address."""
        return self.address[id(item)]

    def put(self, item: Object, metadata: tuple[int, int] = (0, 0)) -> None:
        """Writes the object's current state to the heap's data."""
        age = self.dice.choice((0, self.dice.getrandbits(4) << 3)) if self.dice else 0
        padding = self.dice.getrandbits(32) if self.dice else 0
        found = list(
            words(
                item,
                item.hash << FORMAT.hash_bit | age | FORMAT.mark,
                self.registered.klass[item.cls],
                metadata,
                padding,
                self.address,
            )
        )
        data = bytearray(struct.pack(f"<{len(found)}I", *found))
        if item.cls.is_array and self.dice:
            end = item.cls.header + (item.length << item.cls.shift)
            data[end:] = self.dice.randbytes(len(data) - end)
        at = self.of(item) - self.bound
        self.data[at : at + len(data)] = data

    def load(self, unit: Unit) -> None:
        unit.load(self.bound, bytes(self.data))

    def claimed(self, root: Object, epoch: int, owner: int) -> bytes:
        """Returns the heap's content after the unit `owner` has serialized the graph."""
        data, graph = bytearray(self.data), objects(root)
        relative = relatives(graph)
        for item in graph:
            at = (
                self.of(item)
                - self.bound
                + item.cls.header
                - (FORMAT.slot * 3 if item.cls.is_array else FORMAT.slot * 2)
            )
            struct.pack_into("<II", data, at, epoch << 16 | owner, relative[id(item)])
        return bytes(data)


def array(cls: Class, length: int, elements: list[Object | int | None]) -> Object:
    """Returns an array of these elements (for arrays of values: slots), padded to whole slots."""
    return Object(cls, 0, length, elements + [0] * (cls.slots(length) - len(elements)))


def instances(*references: tuple[int, ...]) -> list[Class]:
    """Returns a class for each argument, which says for each slot behind the header whether it holds a reference."""
    return [Class(f"c{i}", Kind.INSTANCE, 0, tuple(map(bool, slots))) for i, slots in enumerate(references)]

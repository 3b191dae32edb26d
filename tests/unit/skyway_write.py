"""Cereal's serialization unit on its own in Skyway's sending mode (process.py): `SkywayBench` registers classes with
type ids and sends roots of a heap, stream by stream.
"""

from __future__ import annotations

import random
import struct
from typing import Self

from heapwire.cereal import Object
from heapwire.cereal.numbers import FORMAT
from heapwire.interface import Interface
from heapwire.records.skyway import SKYWAY_FIRST
from heapwire.skyway.registry import Registry
from heapwire.skyway.stream import HEAD, HEADER
from heapwire.skyway.writer import write
from sim.unit.process import Outcome, Unit
from tests.unit.cereal_heap import Heap, Registered, bitmap, shape, sized
from tests.unit.cereal_write import EPOCHS_BASE, OUTPUT_BASE, WORK_BASE
from tests.unit.cereal_writing import some_classes


class Sent:
    """What a stream has sent so far, and what a root adds; objects' bytes are those of the writer in Python.

    behind: number of bytes that the stream had sent before."""

    def __init__(self, registry: Registry, behind: int = 0) -> None:
        self.registry, self.roots = registry, []
        self.relative: dict[int, int] = {}
        self.items: list[Object] = []
        self.behind, self.free = behind, SKYWAY_FIRST + behind

    def image(self) -> bytes:
        """Returns the bytes of all objects sent so far."""
        data = write(self.roots, self.registry)
        if not self.items:
            return b""
        _, _, count, _ = HEAD.unpack_from(data, HEADER.size)
        start = HEADER.size + HEAD.size
        found = bytearray(data[start : start + count])
        at = 0
        for item in self.items if self.behind else ():
            for i, slot in enumerate(item.slots):
                if isinstance(slot, Object):
                    struct.pack_into("<I", found, at + item.cls.header + 4 * i, self.relative[id(slot)])
            at += sized(item)
        return bytes(found)

    def add(self, root: Object) -> list[Object]:
        """Adds a root; returns the objects that are sent for it, in order."""
        self.roots.append(root)
        # Breadth first from the root; objects that were sent before are skipped.
        new: list[Object] = []
        waiting = [root]
        if id(root) in self.relative:
            return new
        self._number(root)
        new.append(root)
        for item in waiting:
            for target in item.references():
                if target is not None and id(target) not in self.relative:
                    self._number(target)
                    new.append(target)
                    waiting.append(target)
        return new

    def _number(self, item: Object) -> None:
        self.relative[id(item)] = self.free
        self.free += sized(item)
        self.items.append(item)


class TypedBench:
    """A unit with registered classes, which have type ids."""

    def __init__(self, unit: Unit, interface: Interface, registered: Registered, registry: Registry) -> None:
        self.unit, self.interface, self.registered, self.registry = unit, interface, registered, registry
        self.set("CEREAL_MODE", FORMAT.mode_forget)
        for one in registered.classes:
            self.tell(one, registry.load(one))

    @classmethod
    def scattered(cls, unit: Unit, interface: Interface, dice: random.Random, count: int) -> Self:
        """Returns a bench with random classes, whose type ids are in another order than their klasses."""
        registered, registry = some_classes(dice, count), Registry(1)
        for each in dice.sample(registered.classes, len(registered.classes)):
            registry.load(each)
        return cls(unit, interface, registered, registry)

    def tell(self, cls, type_id: int) -> None:
        Registered.tell_class(
            self.unit, self.interface, FORMAT.id_type | type_id, self.registered.klass[cls], shape(cls), bitmap(cls)
        )

    def set(self, name: str, value: int) -> None:
        self.unit.register(self.interface.registers[name], value)


class SkywayBench(TypedBench):
    """A unit that sends."""

    def __init__(self, unit: Unit, interface: Interface, registered: Registered, registry: Registry) -> None:
        super().__init__(unit, interface, registered, registry)
        self.set("OPEN_EPOCHS", EPOCHS_BASE)
        self.set("OLDEST_OWNER", 1 << 16)

    def epochs(self, *open_ones: int) -> None:
        self.unit.load(EPOCHS_BASE, struct.pack("<8I", *open_ones, *[0] * (8 - len(open_ones))))

    def run(
        self,
        heap: Heap,
        root: Object,
        *,
        output: int = OUTPUT_BASE,
        size: int = 4096,
        owner: int,
        relative: int = SKYWAY_FIRST,
        work: int = 12,
        reset_after: int = 0,
    ) -> Outcome:
        """Sends a root, with `size` bytes of output and a work area of 2**work bytes."""
        return self.unit.run(
            self.interface.operations["skyway_write_object"],
            [heap.of(root), output, output + size, WORK_BASE | work, owner, heap.bound, heap.limit, relative],
            reset_after,
        )


def metadata_of(heap: Heap, item: Object) -> int:
    """Returns the offset of an object's owner word in the heap's data."""
    return heap.of(item) - heap.bound + item.cls.header - FORMAT.slot * (3 if item.cls.is_array else 2)


def claimed(heap: Heap, relative: dict[int, int], owner: int) -> bytes:
    """Returns the heap's content after these objects were claimed with these relative addresses."""
    data = bytearray(heap.data)
    for item in heap.graph:
        if id(item) in relative:
            struct.pack_into("<II", data, metadata_of(heap, item), owner, relative[id(item)])
    return bytes(data)

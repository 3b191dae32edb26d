"""Cereal's serialization unit alone (process.py): heaps of random objects, the stream that a graph has by the book (docs/cereal.md),
and a bench that runs the serialization unit on them.
"""
from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from heapwire.interface import Interface
from sim.unit.process import Outcome, Unit

HEAP_BASE, OUTPUT_BASE, WORK_BASE, EPOCHS_BASE, KLASS_BASE = 0x4100_0000, 0x4800_0000, 0x4A00_0000, 0x4000_2000, 0x4000_4000
INSTANCE, VALUES, REFERENCES = range(3)
CLASS_SET = 0x1234_5678
OWNER = 1


@dataclass(frozen=True)
class Klass:
    """A registered class; references: of an instance, by slot from 4 on."""
    id: int
    address: int
    kind: int
    size: int = 0
    shift: int = 0
    references: int = 0

    @property
    def shape(self) -> int:
        return self.kind << 30 | (self.size if self.kind == INSTANCE else self.shift)


@dataclass(eq=False, repr=False)
class Object:
    """An object: what its reference slots lead to, what else is in it. length: an array's."""
    klass: Klass
    mark: int = 1
    length: int = 0
    slots: list = field(default_factory=list)
    """From slot 4 on, of an array from slot 6 on: None or an Object for references, else a number."""
    metadata: tuple[int, int] = (0, 0)
    address: int = 0

    @property
    def is_array(self) -> bool:
        return self.klass.kind != INSTANCE

    @property
    def size(self) -> int:
        return self.klass.size if not self.is_array else 24 + ((self.length << self.klass.shift) + 7) // 8 * 8

    def is_reference(self, slot: int) -> bool:
        """Of an index of `slots`."""
        if self.klass.kind == INSTANCE:
            return bool(self.klass.references >> slot & 1)
        return self.klass.kind == REFERENCES and slot < self.length

    def image(self, trash: random.Random | None = None) -> bytes:
        """As it lies in the heap; what no element fills is trash."""
        words = [self.mark, self.klass.address]
        words += [self.length, *self.metadata, trash.getrandbits(32) if trash else 0] if self.is_array else self.metadata
        for i, slot in enumerate(self.slots):
            words.append((slot.address if slot else 0) if self.is_reference(i) else slot)
        data = bytearray(struct.pack(f"<{len(words)}I", *words))
        if self.is_array and trash:
            end = 24 + (self.length << self.klass.shift)
            data[end:] = trash.randbytes(len(data) - end)
        return bytes(data)

    def values(self) -> list[int]:
        """What no element fills must be 0 in `slots`."""
        return [slot for i, slot in enumerate(self.slots) if not self.is_reference(i)]

    def targets(self) -> list:
        return [slot for i, slot in enumerate(self.slots) if self.is_reference(i)]


def packed(items: list[str]) -> bytes:
    """Items of bits, as text, in packets."""
    buckets = []
    for item in items:
        item += "1"
        item += "0" * (-len(item) % 8)
        buckets += [(int(item[i:i + 8], 2), i + 8 == len(item)) for i in range(0, len(item), 8)]
    data = bytearray()
    for start in range(0, len(buckets), 7):
        packet = buckets[start:start + 7]
        data.append(sum(ends << i for i, (_, ends) in enumerate(packet)))
        data += bytes(bucket for bucket, _ in packet).ljust(7, b"\0")
    return bytes(data) + bytes(-len(data) % 16)


def numbered(root: Object) -> dict[int, tuple[Object, int]]:
    """The objects of a graph in the order of the stream, with their relative addresses, by identity."""
    found, at, queue = {id(root): (root, 0)}, root.size, [root]
    for item in queue:
        for target in item.targets():
            if target and id(target) not in found:
                found[id(target)] = (target, at)
                at += target.size
                queue.append(target)
    return found


def stream_of(root: Object, strip: bool = False) -> bytes:
    """The stream of a graph."""
    objects = numbered(root)
    values, references, layouts = bytearray(), [], []
    for item, _ in objects.values():
        head = [] if strip else [item.mark & 0xFFFF_FF80 | 1]
        head += [item.klass.id, item.length] if item.is_array else [item.klass.id]
        body = item.values()
        values += struct.pack(f"<{len(head) + len(body)}I", *head, *body)
        for target in item.targets():
            number = objects[id(target)][1] // 8 + 1 if target else 0
            references.append(f"{number:b}" if number else "")
        layouts.append(str(int(item.is_array)) + "".join(str(int(item.is_reference(i))) for i in range(len(item.slots))))
    values += bytes(-len(values) % 16)
    sections = [bytes(values), packed(references), packed(layouts)]
    size = sum(item.size for item, _ in objects.values())
    header = struct.pack("<IBBHIIIIII", 0x4C52_4543, 1, strip, 0, CLASS_SET, len(objects), size, *map(len, sections))
    return header + b"".join(sections)


def klasses(dice: random.Random, count: int) -> list[Klass]:
    """Random classes: all kinds of arrays, and instances of many shapes."""
    made = [(VALUES, 0, shift, 0) for shift in range(4)] + [(REFERENCES, 0, 2, 0)]
    while len(made) < count:
        slots = dice.choice([0, 2, 2, 4, 4, 6, 8, 14, 28, 30, 32, 40])
        references = dice.choice([0, dice.getrandbits(32), dice.getrandbits(32) | dice.getrandbits(32), 0xFFFF_FFFF]) & ((1 << min(slots, 32)) - 1)
        made.append((INSTANCE, 16 + 4 * slots, 0, references))
    # Next to each other, in any order, as a table has them: so no more than two share a set of the unit's, which holds them all.
    first = dice.randrange(400)
    places = dice.sample(range(first, first + count), count)
    return [Klass(i, KLASS_BASE + 32 * places[i], kind, size, shift, references) for i, (kind, size, shift, references) in enumerate(made)]


class Bench:
    """A serialization unit with registered classes."""

    def __init__(self, unit: Unit, interface: Interface, classes: list[Klass], strip: bool = False) -> None:
        self.unit, self.interface, self.strip = unit, interface, strip
        self.index = interface.registers
        self.set("CEREAL_MODE", 2 | strip)
        self.set("CEREAL_CLASS_SET", CLASS_SET)
        self.set("OPEN_EPOCHS", EPOCHS_BASE)
        for klass in classes:
            self.register(klass)

    def set(self, name: str, value: int) -> None:
        self.unit.register(self.index[name], value)

    def register(self, klass: Klass) -> None:
        for name, value in (("ID", klass.id), ("KLASS", klass.address), ("SHAPE", klass.shape), ("REFERENCES", klass.references)):
            self.set(f"CEREAL_CLASS_{name}", value)

    def epochs(self, *open_ones: int) -> None:
        self.unit.load(EPOCHS_BASE, struct.pack("<8I", *open_ones, *[0] * (8 - len(open_ones))))

    def run(self, root: int, *, size: int, work: int, bound: int, limit: int, epoch: int = 1, oldest: int | None = None, reset_after: int = 0) -> Outcome:
        """Serializes with an output and a work area of these sizes."""
        self.unit.readable(bound, limit)
        arguments = [root, OUTPUT_BASE, OUTPUT_BASE + size, WORK_BASE, WORK_BASE + work, bound, limit, epoch << 16 | (epoch if oldest is None else oldest)]
        return self.unit.run(0x20, arguments, [(OUTPUT_BASE, OUTPUT_BASE + size), (WORK_BASE, WORK_BASE + work), (bound, limit)], reset_after)


class Heap:
    """Objects in a piece of memory."""

    def __init__(self, dice: random.Random, objects: list[Object], gap: int = 0, shuffle: bool = False, skew: int = 0, trash: bool = True) -> None:
        self.objects = objects
        order = list(objects)
        if shuffle:
            dice.shuffle(order)
        at = HEAP_BASE + skew
        for item in order:
            item.address = at
            at += item.size + (8 * dice.randrange(gap) if gap else 0)
        self.bound, self.limit = HEAP_BASE + skew, at
        self.data = bytearray(dice.randbytes(at - self.bound) if trash and at - self.bound < 1 << 20 else bytes(at - self.bound))
        for item in objects:
            self.put(item, dice if trash else None)

    def put(self, item: Object, trash: random.Random | None = None) -> None:
        start = item.address - self.bound
        self.data[start:start + item.size] = item.image(trash)

    def load(self, unit: Unit) -> None:
        unit.load(self.bound, bytes(self.data))

    def claimed(self, root: Object, epoch: int) -> bytes:
        """What the heap is when the graph has been serialized."""
        data = bytearray(self.data)
        for item, relative in numbered(root).values():
            at = item.address - self.bound + (12 if item.is_array else 8)
            struct.pack_into("<II", data, at, epoch << 16 | OWNER, relative)
        return bytes(data)

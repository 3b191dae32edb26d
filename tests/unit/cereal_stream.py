"""Streams of Cereal (docs/cereal.md) for the unit harness: a writer for random graphs, what a reader is to make of them, and a judge of
streams that were changed. Written from the document, small, and for these tests alone."""
from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass, field

MAGIC, STRIP = 0x4C524543, 1
INSTANCE, VALUES, REFERENCES = 0, 1, 2


class Malformed(Exception):
    """A stream that a reader must not take."""


@dataclass(frozen=True)
class Class:
    """references: one a slot behind the header, of an instance; shift: log2 of an array's element."""
    name: str
    kind: int
    klass: int
    references: tuple[int, ...] = ()
    shift: int = 0

    @property
    def size(self) -> int:
        return 16 + 4 * len(self.references) if self.kind == INSTANCE else 0

    @property
    def shape(self) -> int:
        return self.kind << 30 | (self.size if self.kind == INSTANCE else self.shift)

    @property
    def bitmap(self) -> int:
        return sum(bit << i for i, bit in enumerate(self.references))

    def layout(self, length: int) -> list[int]:
        """A bit a slot behind the header."""
        if self.kind == INSTANCE:
            return list(self.references)
        slots = -(-(length << self.shift) // 8) * 2
        return [0] * slots if self.kind == VALUES else [1] * length + [0] * (slots - length)


@dataclass
class Object:
    """fields: what stands behind the header, a slot each: a word, or for a reference an Object or None."""
    type: int
    fields: list
    length: int = 0
    hash: int = 0
    address: int = field(default=-1, compare=False)


def class_set(classes: list[Class]) -> int:
    data = b""
    for c in classes:
        data += c.name.encode() + b"\0" + struct.pack("<IBB", c.size, c.kind, c.shift) + bytes(c.references)
    return zlib.crc32(data)


def pack(items: list[list[int]]) -> bytes:
    buckets, ends = [], []
    for item in items:
        bits = item + [1]
        bits += [0] * (-len(bits) % 8)
        for i in range(0, len(bits), 8):
            buckets.append(int("".join(map(str, bits[i:i + 8])), 2))
            ends.append(i + 8 == len(bits))
    out = bytearray()
    for i in range(0, len(buckets), 7):
        out.append(sum(end << k for k, end in enumerate(ends[i:i + 7])))
        out += bytes(buckets[i:i + 7]).ljust(7, b"\0")
    return bytes(out) + bytes(-len(out) % 16)


def breadth_first(root: Object, classes: list[Class]) -> list[Object]:
    order, seen = [root], {id(root)}
    for node in order:
        for bit, value in zip(classes[node.type].layout(node.length), node.fields):
            if bit and value is not None and id(value) not in seen:
                seen.add(id(value))
                order.append(value)
    return order


def write(root: Object, classes: list[Class], strip: bool = False) -> bytes:
    order, at = breadth_first(root, classes), 0
    for node in order:
        node.address = at
        at += 4 * ((4 if classes[node.type].kind == INSTANCE else 6) + len(node.fields))
    values, references, layouts = [], [], []
    for node in order:
        c = classes[node.type]
        layout = c.layout(node.length)
        assert len(layout) == len(node.fields)
        values += ([] if strip else [node.hash << 7 | 1]) + [node.type] + ([] if c.kind == INSTANCE else [node.length])
        for bit, value in zip(layout, node.fields):
            if not bit:
                values.append(value)
            else:
                references.append([int(b) for b in f"{value.address // 8 + 1:b}"] if value is not None else [])
        layouts.append([int(c.kind != INSTANCE)] + layout)
    value_bytes = struct.pack(f"<{len(values)}I", *values)
    sections = [value_bytes + bytes(-len(value_bytes) % 16), pack(references), pack(layouts)]
    return struct.pack("<IBBHIIIIII", MAGIC, 1, int(strip), 0, class_set(classes), len(order), at, *map(len, sections)) + b"".join(sections)


def unpack(section: bytes) -> tuple[list[str], int]:
    """The items' bits as text."""
    buckets, ends = [], []
    for i in range(0, len(section), 8):
        if section[i] & 0x80:
            raise Malformed("bit 7 of an end map")
        buckets += section[i + 1:i + 8]
        ends += [section[i] >> k & 1 for k in range(7)]
    items, bits, last = [], "", -1
    for i, (bucket, end) in enumerate(zip(buckets, ends)):
        bits += f"{bucket:08b}"
        if end:
            if not bucket:
                raise Malformed("no end bit")
            items.append(bits[:bits.rindex("1")])
            bits, last = "", i
    if "1" in bits:
        raise Malformed("something behind the last item")
    if len(section) // 8 - (last // 7 + 1) > 1:
        raise Malformed("a section too long")
    return items, last


def read(stream: bytes, classes: list[Class], base: int, room: int, mark: int) -> tuple[bytes, int]:
    """The image, and how long the stream is."""
    if len(stream) < 32:
        raise Malformed("no header")
    magic, version, flags, zero, fingerprint, objects, graph, *sizes = struct.unpack("<IBBHIIIIII", stream[:32])
    total = 32 + sum(sizes)
    if (magic, version, flags & ~1, zero, fingerprint) != (MAGIC, 1, 0, 0, class_set(classes)) or not objects:
        raise Malformed("header")
    if graph < 16 or graph % 8 or graph >= 1 << 29 or any(size % 16 for size in sizes) or total > len(stream):
        raise Malformed("sizes")
    if graph > room:
        raise Malformed("no room")
    strip = flags & STRIP
    at = 32 + sizes[0]
    values = list(struct.unpack(f"<{sizes[0] // 4}I", stream[32:at]))
    references, _ = unpack(stream[at:at + sizes[1]])
    layouts, _ = unpack(stream[at + sizes[1]:total])
    if len(layouts) != objects:
        raise Malformed("number of objects")
    slots, starts, targets, used, taken = [], set(), [], 0, 0

    def value() -> int:
        nonlocal used
        if used == len(values):
            raise Malformed("too few values")
        used += 1
        return values[used - 1]
    for item in layouts:
        if not item:
            raise Malformed("no array bit")
        array, bits = item[0] == "1", [int(b) for b in item[1:]]
        starts.add(4 * len(slots))
        head = mark if strip else value()
        if not strip and head & 0x7F != 1:
            raise Malformed("mark")
        type_ = value()
        if type_ >= len(classes):
            raise Malformed("class")
        c, length = classes[type_], value() if array else 0
        if array != (c.kind != INSTANCE) or length > 1 << 28 or bits != c.layout(length):
            raise Malformed("layout")
        slots += [head, c.klass] + ([length, 0, 0, 0] if array else [0, 0])
        for bit in bits:
            if not bit:
                slots.append(value())
            else:
                if taken == len(references):
                    raise Malformed("too few references")
                text = references[taken]
                taken += 1
                if text[:1] == "0":
                    raise Malformed("a leading zero")
                number = int(text or "0", 2)
                if number:
                    targets.append(8 * (number - 1))
                slots.append(base + 8 * (number - 1) if number else 0)
    if 4 * len(slots) != graph or taken != len(references) or not starts.issuperset(targets):
        raise Malformed("graph")
    if len(values) != -(-used // 4) * 4 or any(values[used:]):
        raise Malformed("values")
    return struct.pack(f"<{len(slots)}I", *(slot & 0xFFFF_FFFF for slot in slots)), total


def random_classes(dice: random.Random) -> list[Class]:
    classes = [Class("L", INSTANCE, 0x4000_2000, (0, 1)), Class("N", INSTANCE, 0x4000_2040, ()), Class("R[]", REFERENCES, 0x4000_2080, shift=2)]
    classes += [Class(f"v{shift}[]", VALUES, 0x4000_3000 + 64 * shift, shift=shift) for shift in range(4)]
    for i in range(dice.randrange(1, 12)):
        size = 2 * dice.choice([1, 1, 2, 3, 4, 6, 8, 15, 16, 17, 20])
        bits = [dice.getrandbits(1) if slot < 32 else 0 for slot in range(size)]
        classes.append(Class(f"c{i}", INSTANCE, 0x4001_0000 + 64 * i, tuple(bits)))
    dice.shuffle(classes)
    return classes


def random_graph(dice: random.Random, classes: list[Class], count: int, longest: int = 40) -> Object:
    """Objects that refer to one another at random; what the root does not reach is left out."""
    nodes = []
    for _ in range(count):
        type_ = dice.randrange(len(classes))
        c = classes[type_]
        length = 0 if c.kind == INSTANCE else dice.choice([0, 1, 2, dice.randrange(longest + 1)])
        nodes.append(Object(type_, [], length, dice.choice([0, dice.getrandbits(25)])))
    nulls = dice.choice([0.0, 0.1, 0.5])
    for i, node in enumerate(nodes):
        for bit in classes[node.type].layout(node.length):
            if not bit:
                node.fields.append(dice.choice([0, dice.getrandbits(32), dice.getrandbits(8)]))
            elif dice.random() < nulls:
                node.fields.append(None)
            else:
                node.fields.append(nodes[min(i + dice.randrange(1, 5), count - 1)] if dice.random() < 0.6 else dice.choice(nodes))
    return nodes[0]


def mutated(dice: random.Random, stream: bytes) -> bytes:
    """One to three changes: a bit, a byte, a word of the header or anywhere, bytes lost, doubled or exchanged."""
    data = bytearray(stream)
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        at, kind = dice.randrange(len(data)), dice.randrange(8)
        if kind < 3:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 3:
            data[at] = dice.choice([0, 0xFF, 0x80, 1, dice.getrandbits(8)])
        elif kind == 4:
            word = 4 * dice.randrange(8)
            value = struct.unpack_from("<I", data, word)[0]
            struct.pack_into("<I", data, word, dice.choice([value + 8, value - 8, value + 16, value - 16, value + 1, 0, dice.getrandbits(32)]) & 0xFFFF_FFFF)
        elif kind == 5:
            other = dice.randrange(len(data))
            data[at], data[other] = data[other], data[at]
        elif kind == 6:
            at &= ~3
            word = data[at:at + 4]
            data[at:at + 4] = struct.pack("<I", dice.choice([0, 1, 2, 3, 7, dice.getrandbits(32)]))[:len(word)]
        else:
            size = dice.choice([1, 8, 16])
            data[at:at] = data[at:at + size]
            del data[-size:]
    return bytes(data)

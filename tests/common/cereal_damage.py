"""Damages streams for tests: at random places, and at places that matter to the format."""

from __future__ import annotations

from dataclasses import fields
from itertools import permutations
from random import Random
from typing import Callable, Iterator

from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import BadLayout, BadReference, CerealError, Header, Unpacker, pack, width

SIZES = ("values", "references", "layouts")


def wrapping(stream: bytes) -> Iterator[bytes]:
    """Yields the stream with sizes of sections that are far too large, but whose sum is right in 32 bits."""
    for first, second in permutations(SIZES, 2):
        for huge in (1 << 31, (1 << 32) - (1 << 20), (1 << 32) - FORMAT.alignment):
            header = Header.unpack(stream)
            together = getattr(header, first) + getattr(header, second)
            setattr(header, first, huge)
            setattr(header, second, together - huge & 0xFFFFFFFF)
            yield header.pack() + stream[FORMAT.header_size :]


def _flip(random: Random, data: bytearray) -> bytearray:
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return data


def _byte(random: Random, data: bytearray) -> bytearray:
    data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return data


def _cut(random: Random, data: bytearray) -> bytearray:
    return data[: random.randrange(len(data))]


def _word(random: Random, data: bytearray) -> bytearray:
    """Changes a value, or some other word."""
    at = 4 * random.randrange(len(data) // 4)
    old = int.from_bytes(data[at : at + 4], "little")
    new = random.choice(
        (old + 1, old - 1, old + 8, old ^ 1 << random.randrange(32), 0, 1, 2, 0xFFFFFFFF, random.getrandbits(32))
    )
    data[at : at + 4] = (new & 0xFFFFFFFF).to_bytes(4, "little")
    return data


def _swap(random: Random, data: bytearray) -> bytearray:
    """Swaps two words, or copies one over the other."""
    first, second = (4 * random.randrange(len(data) // 4) for _ in range(2))
    one, other = data[second : second + 4], data[random.choice((first, second)) :][:4]
    data[first : first + 4], data[second : second + 4] = one, other
    return data


def _header(random: Random, data: bytearray) -> bytearray:
    header = Header.unpack(data)
    field = random.choice(fields(Header)).name
    bits = 8 * width(field)
    old = getattr(header, field)
    near = old + 1, old - 1, old + 8, old - 8, old + 16, old - 16, old ^ 1 << random.randrange(bits)
    limits = 0, FORMAT.graph_limit - FORMAT.granule, (1 << 32) - FORMAT.alignment
    new = random.choice((*near, *limits, random.getrandbits(bits)))
    setattr(header, field, new & (1 << bits) - 1)
    return bytearray(header.pack()) + data[FORMAT.header_size :]


def _move(random: Random, data: bytearray) -> bytearray:
    """Moves a border between sections, or changes the length of one section."""
    header = Header.unpack(data)
    first, second = random.sample(SIZES, 2)
    step = FORMAT.alignment * random.choice((-1, 1))
    setattr(header, first, (getattr(header, first) + step) & 0xFFFFFFFF)
    if random.random() < 0.5:
        setattr(header, second, (getattr(header, second) - step) & 0xFFFFFFFF)
        return bytearray(header.pack()) + data[FORMAT.header_size :]
    at = random.randrange(FORMAT.header_size, len(data) + 1)
    return bytearray(header.pack()) + data[FORMAT.header_size : at] + bytes(max(step, 0)) + data[at - min(step, 0) :]


def _item(random: Random, bits: str, top: int) -> str:
    number = int(bits, 2) if bits else 0
    numbers = f"{number + 1:b}", f"{max(number - 1, 0):b}".lstrip("0"), f"{random.randrange(top) + 1:b}", f"{top + 1:b}"
    shapes = "", "0" + bits, bits + "0", bits + "1", bits[:-1], bits[1:]
    long = bits + "0" * random.randrange(40), "1" * random.randrange(64)
    return random.choice((*numbers, *shapes, *long))


class _Items:
    """A stream with its references and layouts unpacked."""

    def __init__(self, data: bytes) -> None:
        self.header, self.data = Header.unpack(data), data
        self.references_at = FORMAT.header_size + self.header.values
        layouts_at = self.references_at + self.header.references
        self.references = self._section(self.references_at, layouts_at, BadReference, 1 << 32)
        self.layouts = self._section(layouts_at, len(data), BadLayout, self.header.objects)

    def _section(self, start: int, limit: int, error: type[CerealError], count: int) -> list[str]:
        unpacker, items = Unpacker(bytes(self.data), start, limit, error), []
        while len(items) < count and any(self.data[unpacker.offset : limit]):
            items.append(unpacker.item())
        return items

    def stream(self, references: int = 0) -> bytearray:
        """Returns the stream of the current items. references: least bytes of their section, which is filled up with
        zeros."""
        packed, layouts = pack(self.references), pack(self.layouts)
        packed = packed.ljust(references, b"\0")
        self.header.references, self.header.layouts = len(packed), len(layouts)
        return bytearray(self.header.pack()) + self.data[FORMAT.header_size : self.references_at] + packed + layouts


def _items(random: Random, data: bytearray) -> bytearray:
    """Changes, deletes or duplicates one item of the references or layouts, or swaps two items."""
    found = _Items(data)
    items = random.choice([items for items in (found.references, found.layouts) if items])
    at, other = random.randrange(len(items)), random.randrange(len(items))
    what = random.randrange(5)
    if what < 2:
        items[at] = _item(random, items[at], found.header.graph // FORMAT.granule)
    elif what == 2:
        del items[at]
    elif what == 3:
        items.insert(at, items[other])
    else:
        items[at], items[other] = items[other], items[at]
    return found.stream()


def shortened(stream: bytes, count: int, hollow: bool) -> bytes:
    """Returns the stream without its last `count` references. hollow: zeros take their place."""
    found = _Items(stream)
    length = found.header.references
    del found.references[-count:]
    return bytes(found.stream(length if hollow else 0))


Kind = Callable[[Random, bytearray], bytearray]
KINDS: tuple[Kind, ...] = (_flip, _byte, _cut, _word, _swap, _header, _move, _items, _items, _items)


def mutate(random: Random, stream: bytes) -> bytes:
    """Returns a valid stream with one change. The result may still be valid."""
    return bytes(random.choice(KINDS)(random, bytearray(stream)))

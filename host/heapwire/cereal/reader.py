"""Reads streams into graphs, trusting nothing."""

from __future__ import annotations

from dataclasses import dataclass

from heapwire.cereal.graph import Class, ClassSet, Object
from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import BadLayout, BadReference, BadStream, BadValue, Header, Unpacker


@dataclass
class Stream:
    """The result of reading. `length` is that of the stream; `data` may hold more bytes. objects: in the stream's
    order, the root first. This order differs from that of `graph.objects` if the graph was not numbered breadth
    first."""

    root: Object
    objects: list[Object]
    header: Header
    length: int


def read(data: bytes, classes: ClassSet) -> Stream:
    """Reads the graph of the stream at the start of `data`. Raises CerealError."""
    header = _header(data, classes)
    found = _Reader(data, header, classes).graph()
    return Stream(found[0], found, header, header.length)


def _header(data: bytes, classes: ClassSet) -> Header:
    if len(data) < FORMAT.header_size:
        raise BadStream(0, f"{len(data)} bytes")
    header = Header.unpack(data)
    if (
        header.magic != FORMAT.magic
        or header.version != FORMAT.version
        or header.flags & ~FORMAT.flag_strip
        or header.reserved
    ):
        raise BadStream(0, "not a stream of this version")
    if header.class_set != classes.fingerprint:
        raise BadStream(0, f"of class set {header.class_set:#x}, not {classes.fingerprint:#x}")
    if header.objects == 0:
        raise BadStream(0, "without an object")
    if not FORMAT.graph_least <= header.graph < FORMAT.graph_limit or header.graph % FORMAT.granule:
        raise BadStream(FORMAT.header_graph, f"an image of {header.graph} bytes")
    if any(size % FORMAT.alignment for size in (header.values, header.references, header.layouts)):
        raise BadStream(FORMAT.header_graph, "sections that are not multiples of 16 bytes")
    if header.length > len(data):
        raise BadStream(FORMAT.header_graph, f"a stream of {header.length} bytes, of which {len(data)} are there")
    return header


class _Reader:
    def __init__(self, data: bytes, header: Header, classes: ClassSet) -> None:
        self.data, self.header, self.classes = data, header, classes
        self.at = FORMAT.header_size
        self.limit = self.at + header.values
        references = self.limit + header.references
        self.references = Unpacker(data, self.limit, references, BadReference)
        self.layouts = Unpacker(data, references, references + header.layouts, BadLayout)
        self.image: dict[int, Object] = {}
        self.top = 0

    def graph(self) -> list[Object]:
        pending = []
        for _ in range(self.header.objects):
            pending += self._object()
        if self.top != self.header.graph:
            raise BadLayout(self.layouts.offset, f"objects of {self.top} bytes in an image of {self.header.graph}")
        if self.limit - self.at >= FORMAT.alignment or any(self.data[self.at : self.limit]):
            raise BadValue(self.at, "more behind the last value than zeros to 16 bytes")
        self.layouts.finish()
        self.references.finish()
        for each, slot, offset, address in pending:
            if address not in self.image:
                raise BadReference(offset, f"leads to {address}, where no object starts")
            each.slots[slot] = self.image[address]
        return list(self.image.values())

    def _room(self, words: int) -> None:
        if self.limit - self.at < FORMAT.slot * words:
            raise BadValue(self.limit, "a value that is missing")

    def _value(self) -> int:
        self.at += FORMAT.slot
        return int.from_bytes(self.data[self.at - FORMAT.slot : self.at], "little")

    def _prelude(self) -> tuple[Class, int, int]:
        """Reads the object's class, identity hash and length."""
        stripped = self.header.stripped
        self._room(1 if stripped else 2)
        mark = FORMAT.mark if stripped else self._value()
        if mark & FORMAT.mark_mask != FORMAT.mark:
            raise BadValue(self.at - FORMAT.slot, f"a mark of {mark:#x}")
        identifier = self._value()
        if identifier >= len(self.classes):
            raise BadValue(self.at - FORMAT.slot, f"class {identifier} of {len(self.classes)}")
        cls = self.classes[identifier]
        if cls.is_array:
            self._room(1)
        return cls, mark >> FORMAT.hash_bit, self._value() if cls.is_array else 0

    def _object(self) -> list[tuple[Object, int, int, int]]:
        """Reads one object. Returns its non-null references, each as object, slot, offset of the item, relative
        address."""
        cls, identity, length = self._prelude()
        size = cls.size(length)
        if size > self.header.graph - self.top:
            raise BadLayout(self.layouts.offset, f"an object of {size} bytes at {self.top} of {self.header.graph}")
        begin, layout = self.layouts.offset, self.layouts.item()
        # Compare the lengths first: a damaged length must not make a list of so many slots.
        if len(layout) != 1 + cls.slots(length):
            raise BadLayout(begin, f"{len(layout)} bits, not those of {cls.name}")
        kinds = [cls.is_reference(i, length) for i in range(len(layout) - 1)]
        if layout != ("1" if cls.is_array else "0") + "".join("01"[kind] for kind in kinds):
            raise BadLayout(begin, f"not that of {cls.name}")
        self._room(kinds.count(False))
        each = Object(cls, identity, length)
        found = []
        for slot, kind in enumerate(kinds):
            if not kind:
                each.slots.append(self._value())
                continue
            each.slots.append(None)
            begin = self.references.offset
            address = self._reference(begin)
            if address is not None:
                found.append((each, slot, begin, address))
        self.image[self.top] = each
        self.top += size
        return found

    def _reference(self, begin: int) -> int | None:
        """Reads the next item. Returns its relative address, or None for null."""
        bits = self.references.item()
        if bits.startswith("0"):
            raise BadReference(begin, "a number with leading zeros")
        if not bits:
            return None
        address = (int(bits, 2) - 1) * FORMAT.granule
        if address >= self.header.graph:
            raise BadReference(begin, f"leads to {address}, beyond the image")
        return address

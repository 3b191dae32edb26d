"""Reads buffers, with all checks that docs/reference/skyway.md demands of a receiver."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.cereal.classes import Class
from heapwire.cereal.graph import Object
from heapwire.skyway.classes import MARK_BITS, Layout, fingerprint
from heapwire.skyway.errors import SkywayError
from heapwire.skyway.registry import Registry
from heapwire.skyway.stream import DONE, FIRST, HEAD, HEADER, LIMIT, MAGIC, SEGMENT, VERSION, Header, tops_bytes


@dataclass
class Buffer:
    """A received buffer. length: bytes of the stream."""

    header: Header
    roots: list[Object | None]
    objects: list[Object]
    length: int


class _Reader:
    def __init__(self, data: bytes, at: int, registry: Registry, layout: Layout) -> None:
        self.data, self.start, self.at = data, at, at
        self.registry, self.layout = registry, layout
        self.image, self.tops = bytearray(), []

    def take(self, count: int) -> bytes:
        if len(self.data) - self.at < count:
            at = len(self.data) - self.start
            raise SkywayError("END" if at == 0 else "CUT", at, "the stream ends within a buffer")
        self.at += count
        return self.data[self.at - count : self.at]

    def bad(self, back: int, problem: str) -> SkywayError:
        return SkywayError("BAD_STREAM", self.at - self.start - back, problem)

    def header(self) -> Header:
        magic, version, fields, elements, alignment, registry, sender, phase, stream, *rest = HEADER.unpack(
            self.take(HEADER.size)
        )
        if (magic, version) != (MAGIC, VERSION) or any(rest):
            raise SkywayError("BAD_STREAM", 0, "no header of a stream of this version")
        if (fields, elements, alignment) != (self.layout.fields, self.layout.elements, self.layout.alignment):
            raise SkywayError("OTHER_LAYOUT", 0, "objects for another receiver")
        if registry != self.registry.number:
            raise SkywayError("OTHER_REGISTRY", 0, "classes are numbered by another driver")
        return Header(registry, sender, phase, stream, self.layout)

    def segments(self) -> None:
        """Reads the image and the tops. Their words stay as they are in the stream."""
        while True:
            magic, base, count, tops = HEAD.unpack(self.take(HEAD.size))
            free = FIRST + len(self.image)
            if magic == DONE:
                if (base, count) != (free, len(self.tops)) or tops >= 1 << 16:
                    raise self.bad(HEAD.size, "the end contradicts what came")
                return
            if magic != SEGMENT or base != free or count % self.layout.alignment or count > LIMIT - free:
                raise self.bad(HEAD.size, "no segment")
            self.image += self.take(count)
            words = self.take(4 * tops)
            padding = tops_bytes(tops) - 4 * tops
            # check only the bytes that are there: this error takes precedence over END
            if any(self.data[self.at : self.at + padding]):
                raise self.bad(0, "padding of tops")
            self.take(padding)
            self.tops += struct.unpack(f"<{tops}I", words)

    def cls(self, identifier: int, at: int) -> Class:
        if not 1 <= identifier <= len(self.registry.entries):
            raise SkywayError("BAD_VALUE", at, f"no class has the number {identifier}")
        entry = self.registry.entries[identifier - 1]
        found = self.registry.classes.get(entry.name)
        if found is None:
            raise SkywayError("UNKNOWN_CLASS", at, f"{entry.name} cannot be loaded here")
        if fingerprint(found) != entry.fingerprint:
            raise SkywayError("CLASS_CONFLICT", at, f"{entry.name} is laid out otherwise here")
        return found

    def object(self, offset: int) -> tuple[Object, int]:
        """Reads the object at an offset of the image. Returns the object, with its references unchecked, and its
        size."""
        at, left = FIRST + offset, len(self.image) - offset
        bad = SkywayError("BAD_VALUE", at, "no object")
        if left < self.layout.fields:
            raise bad
        mark, identifier = struct.unpack_from("<2I", self.image, offset)
        if mark & (1 << MARK_BITS) - 1 != 1:
            raise bad
        cls = self.cls(identifier, at)
        body, length = self.layout.body(cls), 0
        if cls.is_array:
            if left < body:
                raise bad
            (length,) = struct.unpack_from("<I", self.image, offset + 8)
        size = self.layout.size(cls, length)
        if size > left or any(self.image[offset + (12 if cls.is_array else 8) : offset + body]):
            raise bad
        count = cls.slots(length)
        slots = list(struct.unpack_from(f"<{count}I", self.image, offset + body))
        return Object(cls, mark >> MARK_BITS, length, slots), size

    def link(self) -> tuple[list[Object | None], list[Object]]:
        found: dict[int, Object] = {}
        targets: list[int] = []
        offset = 0
        while offset < len(self.image):
            each, size = self.object(offset)
            found[FIRST + offset] = each
            for i, slot in enumerate(each.slots):
                if each.cls.is_reference(i, each.length):
                    self._sound(slot, FIRST + offset, targets)
            offset += size
        for top in self.tops:
            self._sound(top, 0, targets)
        strays = sorted(target for target in set(targets) if target not in found)
        if strays:
            raise SkywayError("BAD_REFERENCE", strays[0], "no object begins here")
        for each in found.values():
            each.slots = [
                found.get(slot) if each.cls.is_reference(i, each.length) else slot for i, slot in enumerate(each.slots)
            ]
        return [found.get(top) for top in self.tops], list(found.values())

    def _sound(self, relative: int, at: int, targets: list[int]) -> None:
        if relative == 0:
            return
        if relative % 8 or not FIRST <= relative < FIRST + len(self.image):
            raise SkywayError("BAD_REFERENCE", at, f"{relative:#x} is not in the buffer")
        targets.append(relative)


def read(data: bytes, registry: Registry, layout: Layout = Layout(), at: int = 0) -> Buffer:
    """Reads the buffer whose stream begins at byte `at`. Bytes behind the stream are not the reader's. Raises
    SkywayError."""
    reader = _Reader(data, at, registry, layout)
    header = reader.header()
    reader.segments()
    roots, objects = reader.link()
    return Buffer(header, roots, objects, reader.at - at)

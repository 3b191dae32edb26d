"""Reads buffers, with all checks that docs/reference/skyway.md demands of a receiver."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from heapwire.cereal.graph import Class, Kind, Object
from heapwire.cereal.numbers import FORMAT
from heapwire.records import skyway as numbers
from heapwire.records.skyway import SKYWAY_FIRST, SKYWAY_LIMIT, SKYWAY_SEGMENT
from heapwire.skyway.formats import LENGTH_BYTES, Format, Placement
from heapwire.skyway.registry import Registry, fingerprint
from heapwire.skyway.stream import HEAD, HEADER, Header, SkywayError, tops_bytes


@dataclass
class Buffer:
    """A received buffer. length: bytes of the stream. image: the bytes of the objects."""

    header: Header
    roots: list[Object | None]
    objects: list[Object]
    length: int
    image: bytes


class _Reader:
    def __init__(self, data: bytes, at: int, registry: Registry, form: Format) -> None:
        self.data, self.start, self.at = data, at, at
        self.registry, self.format = registry, form
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
        form = self.format
        magic, version, fields, elements, alignment, registry, sender, phase, stream, words = HEADER.unpack(
            self.take(HEADER.size)
        )
        if (magic, version) != (numbers.SKYWAY_MAGIC, numbers.SKYWAY_VERSION):
            raise SkywayError("BAD_STREAM", 0, "no header of a stream of this version")
        if (fields, elements, alignment, words) != (form.fields, form.elements, form.alignment, form.words):
            raise SkywayError("OTHER_LAYOUT", 0, "objects for another receiver")
        if registry != self.registry.number:
            raise SkywayError("OTHER_REGISTRY", 0, "classes are numbered by another driver")
        return Header(registry, sender, phase, stream, form)

    def segments(self) -> None:
        """Reads the image and the tops. Their words stay as they are in the stream."""
        while True:
            magic, base, count, tops = HEAD.unpack(self.take(HEAD.size))
            free = SKYWAY_FIRST + len(self.image)
            if magic == numbers.SKYWAY_DONE:
                if (base, count) != (free, len(self.tops)) or tops >= 1 << 16:
                    raise self.bad(HEAD.size, "the end contradicts what came")
                return
            if magic != SKYWAY_SEGMENT or base != free or count % self.format.alignment or count > SKYWAY_LIMIT - free:
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
        form, at, left = self.format, SKYWAY_FIRST + offset, len(self.image) - offset
        bad = SkywayError("BAD_VALUE", at, "no object")
        if left < min(form.fields, form.elements):
            raise bad
        mark, identifier = (
            self._number(offset, form.mark_bytes),
            self._number(offset + form.mark_bytes, form.class_bytes),
        )
        identity = mark >> form.hash_bit
        if mark & (1 << form.hash_bit) - 1 != form.unlocked or identity >> form.hash_bits:
            raise bad
        cls = self.cls(identifier, at)
        body, length, placement = form.body(cls), 0, self.registry.placement(cls, form)
        if cls.is_array:
            if left < body:
                raise bad
            length = self._number(offset + form.length, LENGTH_BYTES)
        size = form.size(cls, length, placement)
        blank = [(form.header_bytes, form.length), (form.length + LENGTH_BYTES, body)]
        if size > left or any(
            any(self.image[offset + begin : offset + end])
            for begin, end in (blank if cls.is_array else [(form.header_bytes, body)])
        ):
            raise bad
        return Object(cls, identity, length, self._slots(cls, length, offset, placement)), size

    def _number(self, at: int, size: int) -> int:
        return int.from_bytes(self.image[at : at + size], "little")

    def _slots(self, cls: Class, length: int, offset: int, placement: Placement | None) -> list[int]:
        """Returns the slots of the object at an offset of the image, as they are in this project's heaps, with relative
        addresses for references."""
        form, count = self.format, cls.slots(length)
        if placement:
            body, references = placement.back(self.image[offset : offset + placement.end], FORMAT.slot * count)
            slots = list(struct.unpack(f"<{count}I", body))
            for at, relative in references.items():
                slots[at // FORMAT.slot] = relative
            return slots
        if cls.kind == Kind.REFERENCES and form.reference_bytes != FORMAT.slot:
            slots = list(struct.unpack_from(f"<{length}Q", self.image, offset + form.elements))
            return slots + [0] * (count - length)
        return list(struct.unpack_from(f"<{count}I", self.image, offset + form.body(cls)))

    def link(self) -> tuple[list[Object | None], list[Object]]:
        found: dict[int, Object] = {}
        targets: list[int] = []
        offset = 0
        while offset < len(self.image):
            each, size = self.object(offset)
            found[SKYWAY_FIRST + offset] = each
            for i, slot in enumerate(each.slots):
                if each.cls.is_reference(i, each.length):
                    self._sound(slot, SKYWAY_FIRST + offset, targets)
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
        if relative % 8 or not SKYWAY_FIRST <= relative < SKYWAY_FIRST + len(self.image):
            raise SkywayError("BAD_REFERENCE", at, f"{relative:#x} is not in the buffer")
        targets.append(relative)


def read(data: bytes, registry: Registry, form: Format = Format(), at: int = 0) -> Buffer:
    """Reads the buffer whose stream begins at byte `at`. Bytes behind the stream are not the reader's. Raises
    SkywayError."""
    reader = _Reader(data, at, registry, form)
    header = reader.header()
    reader.segments()
    roots, objects = reader.link()
    return Buffer(header, roots, objects, reader.at - at, bytes(reader.image))

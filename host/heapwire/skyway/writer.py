"""Writes buffers from graphs in Python, as docs/reference/skyway.md demands of a sender."""

from __future__ import annotations

import struct
from collections import deque
from random import Random

from heapwire.cereal.graph import Kind, Object
from heapwire.records.skyway import SKYWAY_DONE, SKYWAY_FIRST, SKYWAY_SEGMENT
from heapwire.skyway.formats import LENGTH_BYTES, Format
from heapwire.skyway.registry import Registry
from heapwire.skyway.stream import HEAD, Header, tops_bytes


class _Writer:
    def __init__(self, registry: Registry, form: Format) -> None:
        self.registry, self.format = registry, form
        self.addresses: dict[int, int] = {}
        self.objects: list[Object] = []  # in the order of their addresses
        self.free, self.types = SKYWAY_FIRST, 0

    def reach(self, target: Object) -> int:
        """Returns the relative address of an object. A new object gets the next free one."""
        if id(target) not in self.addresses:
            self.addresses[id(target)] = self.free
            placement = self.registry.placement(target.cls, self.format)
            self.free += self.format.size(target.cls, target.length, placement)
            self.objects.append(target)
            self.pending.append(target)
        return self.addresses[id(target)]

    def header(self, each: Object, identifier: int) -> bytes:
        """Returns the bytes in front of the first field or element."""
        form, out = self.format, bytearray(self.format.body(each.cls))
        mark = each.hash << form.hash_bit | form.unlocked
        out[: form.mark_bytes] = mark.to_bytes(form.mark_bytes, "little")
        out[form.mark_bytes : form.header_bytes] = identifier.to_bytes(form.class_bytes, "little")
        if each.cls.is_array:
            out[form.length : form.length + LENGTH_BYTES] = each.length.to_bytes(LENGTH_BYTES, "little")
        return bytes(out)

    def image(self, each: Object) -> bytes:
        cls, form = each.cls, self.format
        identifier = self.registry.id_of(cls)
        self.types = max(self.types, identifier)
        words = [0 if slot is None else self.reach(slot) if isinstance(slot, Object) else slot for slot in each.slots]
        body, placement = struct.pack(f"<{len(words)}I", *words), self.registry.placement(cls, form)
        if placement:
            body = placement.moved(body)[form.fields :]
        elif cls.kind == Kind.REFERENCES:
            body = b"".join(word.to_bytes(form.reference_bytes, "little") for word in words[: each.length])
        size = form.size(cls, each.length, placement)
        return (self.header(each, identifier) + body)[:size].ljust(size, b"\0")

    def root(self, root: Object | None) -> tuple[int, list[bytes]]:
        """Returns the root's relative address, and the images of the new objects, breadth first."""
        self.pending: deque[Object] = deque()
        address, images = self.reach(root) if root else 0, []
        while self.pending:
            images.append(self.image(self.pending.popleft()))
        return address, images


def write(
    roots: list[Object | None], registry: Registry, header: Header | None = None, random: Random | None = None
) -> bytes:
    """Writes one buffer with the roots in order, in one segment. With `random` the segments have random lengths.

    Raises NumberingError for a class without a number."""
    header = header or Header(registry.number)
    writer = _Writer(registry, header.format)
    out, objects, tops, base = bytearray(header.pack()), bytearray(), [], SKYWAY_FIRST

    def flush() -> None:
        nonlocal base
        if objects or tops:
            out.extend(HEAD.pack(SKYWAY_SEGMENT, base, len(objects), len(tops)) + objects)
            out.extend(struct.pack(f"<{len(tops)}I", *tops).ljust(tops_bytes(len(tops)), b"\0"))
            base += len(objects)
            objects.clear()
            tops.clear()

    for root in roots:
        address, images = writer.root(root)
        for image in images:
            objects += image
            if random and random.random() < 0.2:
                flush()
        tops.append(address)
        if random and random.random() < 0.3:
            flush()
    flush()
    return bytes(out + HEAD.pack(SKYWAY_DONE, writer.free, len(roots), writer.types))

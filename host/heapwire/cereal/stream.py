"""The parts of a stream: its header, the packing of references and layouts (items of bits in buckets, buckets in
packets), and the reasons to reject one, an exception class for each status."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Iterable

from base.errors import HeapwireError
from heapwire.cereal.numbers import FORMAT


class CerealError(HeapwireError):
    """A stream that violates docs/reference/cereal.md.

    status: name of the status code. offset: offset of the faulty word, or of the first bucket of the faulty item."""

    status = ""

    def __init__(self, offset: int, problem: str) -> None:
        super().__init__(f"{self.status} at {offset}: {problem}")
        self.offset, self.problem = offset, problem


class BadStream(CerealError):
    status = "BAD_STREAM"


class BadValue(CerealError):
    status = "BAD_VALUE"


class BadReference(CerealError):
    status = "BAD_REFERENCE"


class BadLayout(CerealError):
    status = "BAD_LAYOUT"


def width(field: str) -> int:
    """Returns the bytes of a field of the header."""
    return {"version": 1, "flags": 1, "reserved": 2}.get(field, 4)


@dataclass
class Header:
    """The header's fields, named as in the specification. `reserved` is the u16."""

    magic: int
    version: int
    flags: int
    reserved: int
    class_set: int
    objects: int
    graph: int
    values: int
    references: int
    layouts: int

    @classmethod
    def unpack(cls, data: bytes) -> Header:
        """Reads the header from the first bytes of a stream, at least FORMAT.header_size."""
        found = {}
        for each in fields(cls):
            at = getattr(FORMAT, f"header_{each.name}")
            found[each.name] = int.from_bytes(data[at : at + width(each.name)], "little")
        return cls(**found)

    def pack(self) -> bytes:
        data = bytearray(FORMAT.header_size)
        for each in fields(self):
            at = getattr(FORMAT, f"header_{each.name}")
            data[at : at + width(each.name)] = getattr(self, each.name).to_bytes(width(each.name), "little")
        return bytes(data)

    @property
    def stripped(self) -> bool:
        return bool(self.flags & FORMAT.flag_strip)

    @property
    def length(self) -> int:
        """Bytes of the stream."""
        return FORMAT.header_size + self.values + self.references + self.layouts


def buckets_of(bits: str) -> bytes:
    """Returns an item's buckets: its bits, the end bit, zeros."""
    text = bits + "1"
    count = -(-len(text) // FORMAT.bucket_bits)
    return int(text.ljust(FORMAT.bucket_bits * count, "0"), 2).to_bytes(count, "big")


def pack(items: Iterable[str]) -> bytes:
    """Returns the section of the items, each of which is a string of 0s and 1s."""
    buckets, ends = bytearray(), bytearray()
    for bits in items:
        item = buckets_of(bits)
        buckets += item
        ends += bytes(len(item) - 1) + b"\1"
    section = bytearray()
    each = FORMAT.packet_buckets
    for at in range(0, len(buckets), each):
        section.append(sum(end << i for i, end in enumerate(ends[at : at + each])))
        section += buckets[at : at + each].ljust(each, b"\0")
    return bytes(section) + bytes(-len(section) % FORMAT.alignment)


class Unpacker:
    """Unpacks a section, one item at a time.

    start, limit: place of the section in the stream. error: exception class to raise for a malformed item."""

    def __init__(self, data: bytes, start: int, limit: int, error: type[CerealError]) -> None:
        self.data, self.at, self.limit, self.error = data, start, limit, error
        self.bucket = 0

    @property
    def offset(self) -> int:
        """Offset of the next bucket."""
        return self.at + 1 + self.bucket if self.at < self.limit else self.limit

    def _next(self, item: int) -> tuple[int, bool]:
        """Returns the next bucket, and whether it is the last of its item."""
        if self.at == self.limit:
            raise self.error(item, "an item that does not end, or is missing")
        ends = self.data[self.at]
        if ends >> FORMAT.packet_buckets:
            raise self.error(item, f"an end map of {ends:#x}")
        value, end = self.data[self.at + 1 + self.bucket], bool(ends >> self.bucket & 1)
        self.bucket += 1
        if self.bucket == FORMAT.packet_buckets:
            self.at, self.bucket = self.at + FORMAT.packet_bytes, 0
        return value, end

    def item(self) -> str:
        """Returns the bits of the next item."""
        begin, found, end = self.offset, bytearray(), False
        while not end:
            value, end = self._next(begin)
            found.append(value)
        if found[-1] == 0:
            raise self.error(begin, "an item without its end bit")
        return f"{int.from_bytes(found, 'big'):0{FORMAT.bucket_bits * len(found)}b}".rstrip("0")[:-1]

    def finish(self) -> None:
        """Checks that nothing follows the last item."""
        begin, at = self.offset, self.at
        if self.bucket:
            ends, rest = self.data[at], self.data[at + 1 + self.bucket : at + FORMAT.packet_bytes]
            if ends >> self.bucket or any(rest):
                raise self.error(begin, "something behind the last item")
            at += FORMAT.packet_bytes
        if self.limit - at >= FORMAT.alignment or any(self.data[at : self.limit]):
            raise self.error(begin, "more behind the last item than zeros to 16 bytes")

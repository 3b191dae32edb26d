"""The file of graphs that is preloaded for the suites of serializers (study/docs/suites.md)."""

import struct
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Callable, Sequence

from heapwire import skyway
from heapwire.cereal import Object, objects, write
from heapwire.cereal.stream import Header
from heapwire.klasses import Klasses, Maker
from heapwire.skyway import stream
from study.bench.objects.digest import digest_bytes, digest_graph
from study.records import objects as record

CHECKED = 1 << 12
"""Longer workloads carry no CRC-32: the machine would take longer to compute it than to measure."""


@dataclass(frozen=True)
class Graph:
    """A case: its name, and the function that makes its graph. Everything else is derived, once."""

    name: str
    build: Callable[[Maker], Object]
    klasses: Klasses = field(repr=False, compare=False)

    @cached_property
    def _made(self) -> tuple[Object, Maker]:
        maker = Maker(self.klasses)
        return self.build(maker), maker

    @cached_property
    def reached(self) -> list[Object]:
        """All objects that the root reaches."""
        return objects(self._made[0])

    @cached_property
    def stream(self) -> bytes:
        """The Cereal stream, from the writer in Python."""
        return write(self._made[0], self.klasses.classes)

    @cached_property
    def stripped(self) -> int:
        """Bytes of the stream without headers."""
        return len(write(self._made[0], self.klasses.classes, strip=True))

    @cached_property
    def skyway(self) -> bytes:
        """The Skyway buffer, from the writer in Python. The machine has numbered all classes in the order of their
        ids."""
        return skyway.write([self._made[0]], self.klasses.registry)

    @property
    def header(self) -> Header:
        return Header.unpack(self.stream)

    @cached_property
    def digest(self) -> int:
        return digest_graph(self._made[0], self.klasses)

    @property
    def objects(self) -> int:
        return len(self.reached)

    @cached_property
    def references(self) -> int:
        """Number of reference slots, including nulls."""
        return sum(1 for each in self.reached for _ in each.references())

    @cached_property
    def heap_bytes(self) -> int:
        return sum(each.cls.size(each.length) for each in self.reached)

    @cached_property
    def unpacked_layouts(self) -> int:
        """Bytes of layouts before packing, as in the paper: for each object a bit a slot, including the header, in
        whole bytes, and the bitmap's length, which takes a slot."""
        return sum(-(-each.cls.size(each.length) // 32) + 4 for each in self.reached)

    @cached_property
    def words(self) -> bytes:
        """The graph as words for the machine: the number of objects, then class, length and slots of each, in the order
        in which they are to be made. A reference is the object's place in this list + 1. The class of a constant has
        the top bit set, and the ordinal follows it. The last word is the root's place."""
        root, maker = self._made
        places = {id(each): place for place, each in enumerate(maker.made)}
        found = [len(maker.made)]
        for each in maker.made:
            index = self.klasses.index[each.cls]
            if id(each) in maker.constants:
                found += (index | record.OBJECTS_CONSTANT, maker.constants[id(each)])
                continue
            found += (index, each.length)
            found += (places[id(slot)] + 1 if isinstance(slot, Object) else slot or 0 for slot in each.slots)
        found.append(places[id(root)])
        return struct.pack(f"<{len(found)}I", *found)


@dataclass(frozen=True)
class Case:
    """A graph and the engines that process it, as bits. warm: runs after the first. skyway: Skyway is among the
    engines."""

    graph: Graph
    engines: int
    warm: int = 1
    skyway: bool = False


def _skyway(case: Case) -> tuple[int, int]:
    """Returns the bytes of the buffer, and the digest of the buffer without its header."""
    return (len(case.graph.skyway), digest_bytes(case.graph.skyway[stream.HEADER.size :])) if case.skyway else (0, 0)


def pack(cases: Sequence[Case], klasses: Klasses, flags: int = 0) -> bytes:
    """Returns a workload. Its address in memory must be a multiple of 64."""
    at = record.Header.SIZE + record.Case.SIZE * len(cases)
    names = []
    for case in cases:
        names.append(at)
        at += len(case.graph.name.encode()) + 1
    at += -at % 4
    records, graphs = [], []
    for case, name in zip(cases, names):
        graph = case.graph
        sizes = graph.objects, graph.heap_bytes, len(graph.stream)
        digests = digest_bytes(graph.stream), graph.digest
        records.append(record.Case(name, at, *sizes, *digests, case.engines, case.warm, *_skyway(case)).pack())
        graphs.append(graph.words)
        at += len(graph.words)
    text = b"".join(case.graph.name.encode() + b"\0" for case in cases)
    contents = b"".join(records) + text
    contents += bytes(-(record.Header.SIZE + len(contents)) % 4) + b"".join(graphs)
    crc = zlib.crc32(contents) if len(contents) <= CHECKED else 0
    size, same = record.Header.SIZE + len(contents), (klasses.count, klasses.classes.fingerprint)
    head = record.Header(record.OBJECTS_MAGIC, record.OBJECTS_VERSION, size, len(cases), *same, crc, flags)
    return head.pack() + contents

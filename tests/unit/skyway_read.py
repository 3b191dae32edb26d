"""Cereal's deserialization unit on its own in Skyway's receiving mode (process.py): `ChunkBench` registers classes with
type ids and turns chunks into objects.
"""

from __future__ import annotations

from heapwire.cereal import Object
from heapwire.records.skyway import SKYWAY_FIRST
from sim.unit.process import Outcome
from tests.unit.cereal_heap import relatives
from tests.unit.harness import fence, fenced
from tests.unit.skyway_write import TypedBench

CHUNK_BASE, WORK_BASE = 0x4800_0000, 0x4E00_0000
FILLER = 0xA5


def map_bytes(length: int) -> int:
    """Returns the size in bytes of the map of starts of a chunk with `length` bytes."""
    return -(-length // 4096) * 64


def starts(graph: list[Object], length: int) -> bytes:
    """Returns the map of starts that the unit writes for these objects."""
    bits = bytearray(map_bytes(length))
    for relative in relatives(graph).values():
        bits[relative // 64] |= 1 << relative // 8 % 8
    return bytes(bits)


class ChunkBench(TypedBench):
    """A unit that receives."""

    def run(self, chunk: bytes, *, work: int | None = None, reset_after: int = 0) -> Outcome:
        """Absolutizes a chunk.

        Raises AssertionError if anything around the areas changed; the harness also checks every write."""
        size = map_bytes(len(chunk)) if work is None else work
        areas = (CHUNK_BASE, len(chunk)), (WORK_BASE, size)
        fence(self.unit, FILLER, *areas)
        self.unit.load(CHUNK_BASE, chunk)
        outcome = self.unit.run(
            self.interface.operations["skyway_read_object"],
            [CHUNK_BASE, len(chunk), WORK_BASE, WORK_BASE + size],
            reset_after,
        )
        fenced(self.unit, FILLER, *areas)
        return outcome

    def absolute(self, chunk: bytes, objects: list) -> bytes:
        """Returns the expected content of a chunk after absolutizing.

        objects: the chunk's objects in order, as the reader in Python returns them. Values are those of the chunk
        itself."""
        data, at = bytearray(chunk), 0
        for item in objects:
            data[at + 4 : at + 8] = self.registered.klass[item.cls].to_bytes(4, "little")
            header = item.cls.header
            for i in range(item.cls.slots(item.length)):
                if item.cls.is_reference(i, item.length):
                    place = at + header + 4 * i
                    relative = int.from_bytes(data[place : place + 4], "little")
                    if relative:
                        data[place : place + 4] = (CHUNK_BASE + relative - SKYWAY_FIRST).to_bytes(4, "little")
            at += item.cls.size(item.length)
        return bytes(data)

"""Cereal's serialization unit on its own (process.py): `WriteBench` registers classes and serializes
graphs of a heap.
"""

from __future__ import annotations

import struct

from heapwire.cereal import Object
from heapwire.interface import Interface
from sim.unit.process import Outcome, Unit
from tests.unit.cereal_heap import Heap, Registered

HEAP_BASE, OUTPUT_BASE, WORK_BASE, EPOCHS_BASE, KLASS_BASE = (
    0x4100_0000,
    0x48A5_A540,
    0x4B5A_5AC0,
    0x4000_2000,
    0x4000_4000,
)
"""Of output and work area, each bit of an address has both values."""
OWNER = 1
"""The lower half of the owner words that the harness's unit writes."""


class WriteBench:
    """A unit with registered classes."""

    def __init__(self, unit: Unit, interface: Interface, registered: Registered, strip: bool = False) -> None:
        self.unit, self.interface, self.registered, self.strip = unit, interface, registered, strip
        registered.tell(unit, interface, strip)
        self.set("OPEN_EPOCHS", EPOCHS_BASE)

    def set(self, name: str, value: int) -> None:
        self.unit.register(self.interface.registers[name], value)

    def epochs(self, *open_ones: int) -> None:
        self.unit.load(EPOCHS_BASE, struct.pack("<8I", *open_ones, *[0] * (8 - len(open_ones))))

    def run(
        self,
        heap: Heap,
        root: Object,
        *,
        size: int,
        work: int,
        epoch: int = 1,
        oldest: int | None = None,
        reset_after: int = 0,
    ) -> Outcome:
        """Serializes with an output and a work area of these sizes, in bytes."""
        arguments = [
            heap.of(root),
            OUTPUT_BASE,
            OUTPUT_BASE + size,
            WORK_BASE,
            WORK_BASE + work,
            heap.bound,
            heap.limit,
            epoch << 16 | (epoch if oldest is None else oldest),
        ]
        return self.unit.run(self.interface.operations["cereal_write_object"], arguments, reset_after)

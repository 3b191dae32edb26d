"""Cereal's deserialization unit on its own (process.py): `ReadBench` registers classes, reads streams
and returns images.
"""

from __future__ import annotations

from heapwire.interface import Interface
from sim.unit.process import Outcome, Unit
from tests.unit.cereal_heap import Registered
from tests.unit.harness import fence, fenced

INPUT_BASE, IMAGE_BASE, WORK_BASE = 0x4400_0000, 0x4800_0000, 0x4E00_0000


class ReadBench:
    """A unit that has been given the mark word of new objects."""

    def __init__(self, unit: Unit, interface: Interface, mark: int) -> None:
        self.unit, self.interface, self.mark = unit, interface, mark
        self.set("MARK_PROTOTYPE", mark)

    def set(self, register: str, value: int) -> None:
        self.unit.register(self.interface.registers[register], value)

    def register(self, registered: Registered) -> None:
        """Unregisters all classes, then registers these."""
        registered.tell(self.unit, self.interface)

    def run(
        self,
        stream: bytes,
        *,
        room: int,
        work: int = 0,
        skew: tuple[int, int] = (0, 0),
        length: int | None = None,
        filler: int = 0xA5,
        reset_after: int = 0,
        load: bool = True,
    ) -> Outcome:
        """Reads a stream.

        room, work: sizes in bytes of the image area and the work area. skew: added to the addresses of input and image
        (multiples of 16). Raises AssertionError if anything around the areas changed; the harness also checks every
        write."""
        source, image = INPUT_BASE + skew[0], IMAGE_BASE + skew[1]
        if load:
            self.unit.load(source, stream)
        areas = (image, room), (WORK_BASE, work)
        fence(self.unit, filler, *areas)
        outcome = self.unit.run(
            self.interface.operations["cereal_read_object"],
            [source, len(stream) if length is None else length, image, image + room, WORK_BASE, WORK_BASE + work, 0, 0],
            reset_after,
        )
        fenced(self.unit, filler, *areas)
        self.image = image
        return outcome

    def objects(self, outcome: Outcome) -> bytes:
        """Returns the image that a successful run built."""
        return self.unit.dump(self.image, outcome.results[1] - self.image)

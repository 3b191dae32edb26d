"""The protobuf engine on its own, reading (process.py): `Bench` holds a compiled schema in the unit's memory,
deserializes messages and returns the objects.
"""

from __future__ import annotations

from heapwire.heap import Region, Runtime, model_runtime
from heapwire.interface import Interface
from heapwire.schema import CompiledSchema
from sim.unit.process import HANG, KLASS_BASE, SCHEMA_BASE, Outcome, Unit

__all__ = ["HANG", "SCHEMA_BASE", "Bench", "Outcome", "Unit"]

INPUT_BASE, FIXED_BASE, FLEXIBLE_BASE = 0x4400_0000, 0x4800_0000, 0x4C00_0000
GUARD = 64
"""Bytes before and after each arena that must not change."""


class Bench:
    """A unit with a schema in its memory."""

    def __init__(self, unit: Unit, schema: CompiledSchema, interface: Interface) -> None:
        self.unit, self.schema, self.interface = unit, schema, interface
        self.runtime: Runtime = model_runtime(interface, schema, SCHEMA_BASE, KLASS_BASE)
        self.blob = schema.loaded(SCHEMA_BASE, interface)
        unit.load(SCHEMA_BASE, self.blob)
        self.registers()

    def registers(self) -> None:
        """Writes the runtime registers, which also invalidates the unit's cache of descriptor tables."""
        for index, value in enumerate(self.runtime.registers):
            self.unit.register(index, value)

    def run(
        self,
        data: bytes,
        type_index: int,
        *,
        arena: int = 1 << 16,
        flexible: int | None = None,
        max_depth: int = 0,
        skew: tuple[int, int, int] = (0, 0, 0),
        reset_after: int = 0,
        filler: int = 0xA5,
    ) -> Outcome:
        """Deserializes a message, with the arenas filled with `filler`.

        skew: added to the addresses of the input, the fixed and the flexible arena. Raises AssertionError if anything
        around the arenas changed."""
        flexible = arena if flexible is None else flexible
        source, fixed, flex = INPUT_BASE + skew[0], FIXED_BASE + skew[1], FLEXIBLE_BASE + skew[2]
        if data:
            self.unit.load(source, data)
        self.unit.fill(fixed - GUARD, arena + 2 * GUARD, filler)
        self.unit.fill(flex - GUARD, flexible + 2 * GUARD, filler)
        outcome = self.unit.run(
            self.interface.operations["protobuf_deserialize"],
            [
                source,
                len(data),
                SCHEMA_BASE + self.schema.types[type_index].table_offset,
                max_depth,
                fixed,
                fixed + arena,
                flex,
                flex + flexible,
            ],
            [(fixed, fixed + arena), (flex, flex + flexible)],
            reset_after,
        )
        for base, size in ((fixed, arena), (flex, flexible)):
            for guard in (base - GUARD, base + size):
                assert self.unit.dump(guard, GUARD) == bytes([filler]) * GUARD, f"a guard at {guard:#x} changed"
        self.fixed_region = (fixed, outcome.fixed_top - fixed)
        self.flexible_region = (flex, outcome.flexible_top - flex)
        return outcome

    def regions(self) -> tuple[Region, Region]:
        """Returns the used parts of both arenas after a successful run."""
        return (
            Region("fixed", self.fixed_region[0], self.unit.dump(*self.fixed_region)),
            Region("flexible", self.flexible_region[0], self.unit.dump(*self.flexible_region)),
        )

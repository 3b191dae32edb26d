"""The protobuf engine on its own (sim/unit/process.py), with a compiled schema in its memory: `EngineReader`
deserializes messages into objects, `EngineWriter` serializes objects."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Self

from heapwire.heap import Region, Runtime, model_runtime
from heapwire.interface import Interface
from heapwire.model import Deserializer
from heapwire.schema import CompiledSchema, Schema, compile_proto, compile_schema
from sim.unit.process import KLASS_BASE, SCHEMA_BASE, Outcome, Unit
from tests.unit.harness import fence, fenced

INPUT_BASE, FIXED_BASE, FLEXIBLE_BASE, OUTPUT_BASE = 0x4400_0000, 0x4800_0000, 0x4C00_0000, 0x4E00_0000


class Bench:
    """A unit with a schema in its memory."""

    def __init__(self, unit: Unit, schema: CompiledSchema, interface: Interface) -> None:
        self.unit, self.schema, self.interface = unit, schema, interface
        self.runtime: Runtime = model_runtime(interface, schema, SCHEMA_BASE, KLASS_BASE)
        self.blob = schema.loaded(SCHEMA_BASE, interface)
        unit.load(SCHEMA_BASE, self.blob)
        self.registers()

    @classmethod
    def of(cls, unit: Unit, interface: Interface, schema: Schema, names: list[str] | None = None) -> Self:
        """Returns a bench with these types of a schema, by default all."""
        types = [schema.descriptor(name) for name in names or schema.type_names()]
        return cls(unit, compile_schema(types, interface), interface)

    @classmethod
    def of_text(cls, unit: Unit, interface: Interface, folder: Path, proto: str) -> tuple[Schema, Self]:
        """Returns the schema of a .proto file with this text, and a bench with its types."""
        (folder / "t.proto").write_text(proto)
        schema = compile_proto(folder / "t.proto")
        return schema, cls.of(unit, interface, schema)

    def registers(self) -> None:
        """Writes the runtime registers, which also invalidates the unit's cache of descriptor tables."""
        for index, value in enumerate(self.runtime.registers):
            self.unit.register(index, value)


class EngineReader(Bench):
    """An engine that reads."""

    source: Region | None = None
    """The input of the last command."""

    def run(
        self,
        data: bytes,
        type_index: int,
        *,
        arena: int = 1 << 16,
        flexible: int | None = None,
        max_depth: int = 0,
        views: int = 0,
        owned: bool = False,
        skew: tuple[int, int, int] = (0, 0, 0),
        reset_after: int = 0,
        filler: int = 0xA5,
    ) -> Outcome:
        """Deserializes a message, with the arenas filled with `filler`.

        views: strings of at least so many bytes stay in the input (0: none); `owned`: the input is the elements of a
        byte array, which owns them. skew: added to the addresses of the input, the fixed and the flexible arena. Raises
        AssertionError if anything around the arenas changed."""
        flexible = arena if flexible is None else flexible
        source, fixed, flex = INPUT_BASE + skew[0], FIXED_BASE + skew[1], FLEXIBLE_BASE + skew[2]
        if owned:
            source &= ~(self.interface.object["alignment"] - 1)
            klass, elements = self.runtime.register("KLASS_BYTE_ARRAY"), self.interface.object["array_elements"]
            header = struct.pack("<4I", self.runtime.register("MARK_PROTOTYPE"), klass, len(data), 0)
            self.unit.load(source - elements, header)
        self.source = Region("input", source, data)
        if data:
            self.unit.load(source, data)
        areas = (fixed, arena), (flex, flexible)
        fence(self.unit, filler, *areas)
        outcome = self.unit.run(
            self.interface.operations["protobuf_deserialize"],
            [
                source,
                len(data),
                SCHEMA_BASE + self.schema.types[type_index].table_offset,
                owned << 31 | views << 16 | max_depth,
                fixed,
                fixed + arena,
                flex,
                flex + flexible,
            ],
            reset_after,
        )
        fenced(self.unit, filler, *areas)
        if outcome.status == 0 and not self.unit.wrong_tables:
            for top, (base, size) in zip((outcome.fixed_top, outcome.flexible_top), areas, strict=True):
                behind = self.unit.dump(top, base + size - top)
                assert not behind.strip(bytes([filler])), "bytes behind the objects changed"
        self.fixed_region = (fixed, outcome.fixed_top - fixed)
        self.flexible_region = (flex, outcome.flexible_top - flex)
        return outcome

    def owner(self, owned: bool) -> Region:
        """Returns the input; `owned`: with the header of the byte array whose elements it is."""
        start = self.source.base - (self.interface.object["array_elements"] if owned else 0)
        return Region("input", start, self.unit.dump(start, self.source.limit - start))

    def regions(self) -> tuple[Region, Region]:
        """Returns the used parts of both arenas after a successful run."""
        return (
            Region("fixed", self.fixed_region[0], self.unit.dump(*self.fixed_region)),
            Region("flexible", self.flexible_region[0], self.unit.dump(*self.flexible_region)),
        )


class EngineWriter(Bench):
    """An engine that writes one message, which it holds as objects."""

    def build(
        self, data: bytes, type_index: int, *, arena: int = 1 << 16, skew: tuple[int, int] = (0, 0), swap: bool = False
    ) -> int:
        """Builds the objects of the encoded message `data`; returns the address of the root.

        skew: added to the addresses of the fixed and the flexible arena (multiples of 8). swap: puts the flexible arena
        first, so that the bounds end with messages instead of arrays."""
        fixed, flexible = (FLEXIBLE_BASE, FIXED_BASE) if swap else (FIXED_BASE, FLEXIBLE_BASE)
        self.fixed = Region("fixed", fixed + skew[0], bytearray(arena))
        self.flexible = Region("flexible", flexible + skew[1], bytearray(arena))
        made = Deserializer(self.runtime, self.fixed, self.flexible).run(data, type_index)
        if made.status != "OK":
            raise ValueError(f"the model does not read the message: {made.status}")
        del self.fixed.data[made.fixed_top - self.fixed.base :]
        del self.flexible.data[made.flexible_top - self.flexible.base :]
        self.place()
        return made.root

    def place(self, *others: Region) -> None:
        """Writes the objects' current state into the unit's memory, and sets bounds that contain them. others: further
        regions that belong to the objects."""
        regions = self.fixed, self.flexible, *others
        self.bound, self.limit = min(region.base for region in regions), max(region.limit for region in regions)
        for region in regions:
            self.unit.load(region.base, bytes(region.data))

    def run(
        self,
        root: int,
        type_index: int,
        *,
        size: int = 1 << 16,
        end_skew: int = 0,
        max_depth: int = 0,
        reset_after: int = 0,
        bound: int | None = None,
        limit: int | None = None,
        filler: int = 0xA5,
    ) -> Outcome:
        """Serializes into `size` bytes; `end_skew` is added to the address of their end.

        Raises AssertionError if anything around the output changed."""
        bound = self.bound if bound is None else bound
        limit = self.limit if limit is None else limit
        end = OUTPUT_BASE + (1 << 22) + end_skew
        start = end - size
        fence(self.unit, filler, (start, size))
        outcome = self.unit.run(
            self.interface.operations["protobuf_serialize"],
            [root, SCHEMA_BASE + self.schema.types[type_index].table_offset, max_depth, start, end, bound, limit, 0],
            reset_after,
        )
        fenced(self.unit, filler, (start, size))
        if outcome.status == 0 and not self.unit.wrong_tables:
            before = self.unit.dump(start, outcome.start - start)
            assert not before.strip(bytes([filler])), "bytes in front of the message changed"
        return outcome

    def output(self, outcome: Outcome) -> bytes:
        """Returns what a successful run wrote."""
        return self.unit.dump(outcome.start, outcome.length)

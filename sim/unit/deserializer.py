"""The deserializer alone, Verilated, as a process (harness.cpp) that tests talk to.

`Unit` runs commands over the harness's memory; `Bench` holds a compiled schema in
that memory, deserializes messages and reads the objects back.
"""
from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from heapwire.heap import Region, Runtime, model_runtime
from heapwire.interface import Interface
from heapwire.schema import CompiledSchema

MEMORY_BASE, MEMORY_SIZE = 0x4000_0000, 256 << 20
SCHEMA_BASE, KLASS_BASE = 0x4200_0000, 0x4000_1000
INPUT_BASE, FIXED_BASE, FLEXIBLE_BASE = 0x4400_0000, 0x4800_0000, 0x4C00_0000
HANG = 0xFFFF_FFFF
GUARD = 64
"""Bytes before and after each arena that must stay as they were."""


@dataclass
class Outcome:
    """How a command ended. outside: bytes written where nothing may be written;
    violations: broken bus rules; cycles from the command's acceptance to its completion."""

    status: int
    root: int
    fixed_top: int
    flexible_top: int
    offset: int
    cycles: int
    outside: int
    violations: int


class Unit:
    """One Verilated unit and its memory."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()

    def _send(self, kind: str, *words: int, data: bytes = b"") -> None:
        self.process.stdin.write(kind.encode() + struct.pack(f"<{len(words)}I", *words) + data)

    def _receive(self, size: int) -> bytes:
        self.process.stdin.flush()
        data = self.process.stdout.read(size)
        if len(data) != size:
            raise RuntimeError("the harness has ended")
        return data

    def load(self, address: int, data: bytes) -> None:
        """Writes memory."""
        self._send("L", address, len(data), data=data)

    def dump(self, address: int, size: int) -> bytes:
        """Reads memory."""
        self._send("D", address, size)
        return self._receive(size)

    def register(self, index: int, value: int) -> None:
        """Writes a runtime register."""
        self._send("R", index, value)

    def memory(self, seed: int, stall: int, low: int, high: int) -> None:
        """Stalls (in 256ths of the cycles) and latency of the memory from now on."""
        self._send("M", seed, stall, low, high)

    def run(self, operation: int, arguments: list[int], writable: list[tuple[int, int]], reset_after: int = 0) -> Outcome:
        """Runs a command to its end, or resets the unit after some cycles (status HANG)."""
        self._send("C", operation, *(a & 0xFFFF_FFFF for a in arguments), len(writable),
                   *(bound for pair in writable for bound in pair), reset_after)
        return Outcome(*struct.unpack("<8I", self._receive(32)))


class Bench:
    """A unit with a schema in its memory."""

    def __init__(self, unit: Unit, schema: CompiledSchema, interface: Interface) -> None:
        self.unit, self.schema, self.interface = unit, schema, interface
        self.runtime: Runtime = model_runtime(interface, schema, SCHEMA_BASE, KLASS_BASE)
        self.blob = schema.loaded(SCHEMA_BASE, interface)
        unit.load(SCHEMA_BASE, self.blob)
        self.registers()

    def registers(self) -> None:
        """Writes the runtime registers, which also empties the descriptor cache."""
        for index, value in enumerate(self.runtime.registers):
            self.unit.register(index, value)

    def run(self, data: bytes, type_index: int, *, arena: int = 1 << 16, flexible: int | None = None, max_depth: int = 0,
            skew: tuple[int, int, int] = (0, 0, 0), reset_after: int = 0, filler: int = 0xA5) -> Outcome:
        """Deserializes a message, the arenas full of `filler`. skew: added to the
        addresses of input, fixed and flexible arena. Raises AssertionError if
        anything outside the arenas changed."""
        flexible = arena if flexible is None else flexible
        source, fixed, flex = INPUT_BASE + skew[0], FIXED_BASE + skew[1], FLEXIBLE_BASE + skew[2]
        if data:
            self.unit.load(source, data)
        self.unit.load(fixed - GUARD, bytes([filler]) * (arena + 2 * GUARD))
        self.unit.load(flex - GUARD, bytes([filler]) * (flexible + 2 * GUARD))
        outcome = self.unit.run(self.interface.operations["protobuf_deserialize"],
                                [source, len(data), SCHEMA_BASE + self.schema.types[type_index].table_offset, max_depth,
                                 fixed, fixed + arena, flex, flex + flexible],
                                [(fixed, fixed + arena), (flex, flex + flexible)], reset_after)
        for base, size in ((fixed, arena), (flex, flexible)):
            for guard in (base - GUARD, base + size):
                assert self.unit.dump(guard, GUARD) == bytes([filler]) * GUARD, f"a guard at {guard:#x} changed"
        self.fixed_region = (fixed, outcome.fixed_top - fixed)
        self.flexible_region = (flex, outcome.flexible_top - flex)
        return outcome

    def regions(self) -> tuple[Region, Region]:
        """The used parts of both arenas after a successful run."""
        return (Region("fixed", self.fixed_region[0], self.unit.dump(*self.fixed_region)),
                Region("flexible", self.flexible_region[0], self.unit.dump(*self.flexible_region)))

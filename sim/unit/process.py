"""A single Verilated unit as a process (harness.cpp), which runs commands of tests over the harness's memory."""

from __future__ import annotations

import struct
import subprocess
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from sim.unit.owned import Grant, Range, grants, owned

MEMORY_BASE, MEMORY_SIZE = 0x4000_0000, 512 << 20
SCHEMA_BASE, KLASS_BASE = 0x4200_0000, 0x4000_1000
HANG = LAST = 0xFFFF_FFFF
NONE, NO_ALLOCATE = 0, 2
"""A request's param: whether the shared cache may allocate its block (NONE), or may not if it lacks the block."""


@dataclass
class Outcome:
    """The outcome of a command.

    cycles: from the command's acceptance to its completion. outside: number of bytes that a master wrote and the
    command does not own. strays: number of reads of which no byte is owned. violations: number of broken bus rules.
    gets, puts: for each master by its name, the number of requests of each param. The properties name the results as
    the operation does."""

    status: int
    results: tuple[int, int, int, int]
    cycles: int
    outside: int
    strays: int
    violations: int
    gets: dict[str, tuple[int, ...]] = field(repr=False)
    puts: dict[str, tuple[int, ...]] = field(repr=False)

    root = property(lambda self: self.results[0])
    fixed_top = property(lambda self: self.results[1])
    flexible_top = property(lambda self: self.results[2])
    offset = property(lambda self: self.results[3])

    start = property(lambda self: self.results[0])
    length = property(lambda self: self.results[1])
    at = property(lambda self: self.results[2])


class Unit:
    """One Verilated unit and its memory.

    seed: selects the initial content of memories and of registers without a reset, and the values of the design's
    don't-cares. A synthesis tool may choose any values, so nothing may depend on them. options: further arguments of
    the program. wrong_tables: a test
    sets this if its tables may be wrong, as no loader lets them be."""

    wrong_tables = False
    interface: ClassVar[Any]
    """heapwire.json, as heapwire.interface loads it. Who uses units sets it."""
    ran: ClassVar[Counter[str]] = Counter()
    """How many commands of each operation all units have run."""

    def __init__(self, program: Path, seed: int = 1, *options: str) -> None:
        self.process = subprocess.Popen(
            [program, "+verilator+rand+reset+2", f"+verilator+seed+{seed}", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.registers = {}
        self._send("P")
        (count,) = struct.unpack("<I", self._receive(4))
        self.masters = [self._receive(16).rstrip(b"\0").decode() for _ in range(count)]

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
            raise RuntimeError(f"the harness has ended, with exit code {self.process.wait(10)}")
        return data

    def load(self, address: int, data: bytes) -> None:
        """Writes memory."""
        self._send("L", address, len(data), data=data)

    def fill(self, address: int, size: int, value: int) -> None:
        """Fills memory with a byte."""
        self._send("F", address, size, value)

    def dump(self, address: int, size: int) -> bytes:
        """Reads memory."""
        self._send("D", address, size)
        return self._receive(size)

    def register(self, index: int, value: int) -> None:
        """Writes a runtime register."""
        self.registers[index] = value
        self._send("R", index, value)

    def beside(self, index: int, value: int) -> None:
        """Writes a register in a cycle in which the next command is under way. Of several the last one comes first, and
        those that have not come when the command ends do not come."""
        self._send("K", index, value)

    def memory(self, seed: int, stall: int, low: int, high: int) -> None:
        """Sets the memory's stalls (in 256ths of the cycles) and its range of latency, in cycles."""
        self._send("M", seed, stall, low, high)

    def late(self, address: int, cycles: int) -> None:
        """Delays requests to the block at that address by that many further cycles."""
        self._send("T", address, cycles)

    def astray(self, low: int = 0, high: int = 0, by: int = 0) -> None:
        """Moves writes for addresses from `low` on and below `high` by so many bytes, before a guard sees them."""
        self._send("A", low, high, by & LAST)

    def shared(self, one: bool) -> None:
        """Selects whether all of the unit's masters share one path to memory, with one beat per cycle and direction."""
        self._send("S", int(one))

    def _own(self, given: list[Grant]) -> list[int]:
        """Returns the words that tell the harness what is owned. Bit i stands for master i."""

        def bits(masters: str) -> int:
            return sum(1 << i for i, master in enumerate(self.masters) if master in masters.split())

        words = (
            (min(low, LAST), min(high, LAST), bits(readers), bits(writers)) for low, high, readers, writers in given
        )
        return [len(given), *(word for four in words for word in four)]

    def run(self, operation: int, arguments: list[int], reset_after: int = 0) -> Outcome:
        """Runs a command to its end, or resets the unit after `reset_after` cycles (status HANG)."""
        arguments = [argument & 0xFFFF_FFFF for argument in arguments] + [0] * (8 - len(arguments))
        name = next((name for name, code in self.interface.operations.items() if code == operation), "")
        ranges = owned(self.interface, name, arguments, self.registers) if name else {}
        given = grants(name, ranges, self.wrong_tables)
        self.ran[name] += 1
        self._send("C", operation, *arguments, *self._own(given), reset_after)
        status, *results, cycles = struct.unpack("<6I", self._receive(24))
        return Outcome(status, tuple(results), cycles, *self._report())

    def flight(self, commands: list[tuple[int, list[int]]]) -> tuple[list[Outcome], Outcome]:
        """Runs commands (operation, arguments), each offered as soon as the one before is taken. Returns the status and
        results of each, and the counts of all."""
        given, words = [], []
        for operation, arguments in commands:
            arguments = [argument & 0xFFFF_FFFF for argument in arguments] + [0] * (8 - len(arguments))
            name = next(name for name, code in self.interface.operations.items() if code == operation)
            given += grants(name, owned(self.interface, name, arguments, self.registers), self.wrong_tables)
            words += [operation, *arguments]
            self.ran[name] += 1
        self._send("B", len(commands), *words, *self._own(given))
        ends = [struct.unpack("<5I", self._receive(20)) for _ in commands]
        (cycles,) = struct.unpack("<I", self._receive(4))
        total = Outcome(0, (0, 0, 0, 0), cycles, *self._report())
        return [replace(total, status=status, results=tuple(results)) for status, *results in ends], total

    def _report(self) -> tuple[int, int, int, dict, dict]:
        outside, strays, violations = struct.unpack("<3I", self._receive(12))
        counts = {master: struct.unpack("<16I", self._receive(64)) for master in self.masters}
        gets = {master: count[:8] for master, count in counts.items()}
        return outside, strays, violations, gets, {master: count[8:] for master, count in counts.items()}

    # Field instructions, if the unit has them

    def open(self, **ranges: Range) -> None:
        """Gives a sequence of instructions these ranges (`MASTERS` in owned.py has their names), and counts anew."""
        self._send("G", *self._own(grants("fields", ranges, self.wrong_tables)))

    def instruction(self, kind: int, function: int, first: int, second: int, answers: bool) -> int:
        """Issues a field instruction as the front end does. Returns its answer, or 0 if it has none."""
        self._send("I", kind, function, first & 0xFFFF_FFFF, second & 0xFFFF_FFFF)
        return struct.unpack("<I", self._receive(4))[0] if answers else 0

    def done(self) -> Outcome:
        """Returns the counts since `open`."""
        self._send("V")
        return Outcome(0, (0, 0, 0, 0), 0, *self._report())

    def wait(self, cycles: int) -> None:
        self._send("W", cycles)

    def reset(self) -> None:
        self._send("Z")

    def commands(self, *operations: int) -> tuple[int, int]:
        """From now on commands of these operations come at random times, with the arguments of the last command.
        Without operations: ends that; returns how many commands were sent, and how many ended."""
        self._send("N", len(operations), *operations)
        return struct.unpack("<2I", self._receive(8)) if not operations else (0, 0)

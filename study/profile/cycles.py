"""Runs messages through the Verilated engine, and finds out what each cycle was for and what the engine did in it."""

from __future__ import annotations

import bisect
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from base.errors import HeapwireError
from heapwire.heap import model_runtime
from heapwire.interface import Interface
from heapwire.workload.group import Group
from sim.unit.build import build
from sim.unit.process import KLASS_BASE, SCHEMA_BASE, Outcome, Unit

PROBE = Path(__file__).with_name("probe.sv")
ACTIVITIES = ("program", "dispatch", "step", "scan", "look-up", "input", "memory", "writes")
ABSENT = "absent fields"
INPUT, OUTPUT, FIXED, FLEXIBLE, HEAP_END = 0x4400_0000, 0x4600_0000, 0x4800_0000, 0x4B00_0000, 0x4E00_0000


@dataclass
class Profile:
    """cycles: by kind and activity. events: by kind, how often hardware began something of it. messages: how many it is
    the sum of."""

    cycles: Counter[tuple[str, str]] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    messages: int = 0

    def __add__(self, other: Profile) -> Profile:
        return Profile(self.cycles + other.cycles, self.events + other.events, self.messages + other.messages)

    def of(self, kind: str | None = None, activity: str | None = None) -> int:
        """Returns the cycles of a kind, of an activity, of both, or all."""
        return sum(n for (k, a), n in self.cycles.items() if kind in (None, k) and activity in (None, a))


class Listing:
    """What the program's instructions belong to: parts, or labels. From the text that the assembler writes."""

    def __init__(self, text: str, by_label: bool = False) -> None:
        lines = [line.split("\t") for line in text.splitlines()]
        self.addresses = [int(address) for address, _, _ in lines]
        self.names = [label if by_label else part for _, part, label in lines]

    def at(self, address: int) -> str:
        """Returns nothing if the instruction is shared: it belongs to what ran before."""
        return self.names[bisect.bisect_right(self.addresses, address) - 1]


def attribute(lines: list[list[str]], listing: Listing) -> Profile:
    """lines: what the probe wrote of a command, in words.

    A cycle in which the program does not run, and nobody knows yet for what, counts for what comes next."""
    kinds: list[str] = []
    for (*_, activity, address, kind), then in zip(lines, [*lines[1:], lines[-1]]):
        if address != "-1":
            kind = listing.at(int(address)) or kinds[-1]
        elif activity == "scan" and kind == "-" and then[2] == "look-up":
            kind = ABSENT  # the next entry is wanted, and nothing was written
        kinds.append(kind)
    for i in reversed(range(len(kinds) - 1)):
        if kinds[i] == "-":
            kinds[i] = kinds[i + 1]
    profile = Profile(messages=1)
    for kind, (_, event, activity, *_) in zip(kinds, lines):
        profile.cycles[kind, activity] += 1
        profile.events[kind] += int(event)
    return profile


class Profiler:
    """An engine with the probe in it, before a memory that answers after `latency` cycles."""

    def __init__(self, interface: Interface, latency: int = 12, by_label: bool = False) -> None:
        self.interface, self.latency = interface, latency
        self.program = build(interface.cluster["dataWidth"], "Engine", "fields", PROBE)
        self.listing = Listing((self.program.parents[1] / "Engine.listing").read_text(), by_label)
        Unit.interface = interface

    def _run(self, unit: Unit, trace: Path, operation: str, arguments: list[int], what: str) -> tuple[Outcome, Profile]:
        """Runs a command, of which the third run counts. Raises HeapwireError if it fails."""
        for _ in range(3):
            before = trace.stat().st_size
            outcome = unit.run(self.interface.operations[operation], arguments)
            if outcome.status:
                raise HeapwireError(
                    f"{what}: {self.interface.status_name(outcome.status)}. What to do: another message"
                )
        lines = [line.split() for line in trace.read_bytes()[before:].decode().splitlines()]
        assert sum(line[0] == "1" for line in lines) == outcome.cycles, "the probe misses cycles"
        return outcome, attribute(lines, self.listing)

    def profiles(self, group: Group) -> Iterator[tuple[str, Profile, Profile]]:
        """Yields for each case its name, how it was read, and how the objects were written again."""
        schema = group.compile(self.interface)
        runtime = model_runtime(self.interface, schema, SCHEMA_BASE, KLASS_BASE)
        for case in group.cases:
            with tempfile.TemporaryDirectory() as folder:
                trace = Path(folder) / "trace"
                unit = Unit(self.program, 1, f"+profile={trace}")
                unit.memory(1, 0, self.latency, self.latency)
                unit.load(SCHEMA_BASE, schema.loaded(SCHEMA_BASE, self.interface))
                unit.load(INPUT, case.data)
                for index, value in enumerate(runtime.registers):
                    unit.register(index, value)
                root = schema.index(group.schema.descriptor(case.type_name).full_name)
                table = SCHEMA_BASE + schema.types[root].table_offset
                given = [INPUT, len(case.data), table, 0, FIXED, FLEXIBLE, FLEXIBLE, HEAP_END]
                built, read = self._run(unit, trace, "protobuf_deserialize", given, f"reading {case.name}")
                given = [built.root, table, 0, OUTPUT, FIXED, FIXED, HEAP_END]
                _, written = self._run(unit, trace, "protobuf_serialize", given, f"writing {case.name}")
                unit.close()
            yield case.name, read, written

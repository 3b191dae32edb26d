"""Talks to programs/cereal.c. Classes, graphs and streams go in before it starts. Statuses, streams and graphs come out
after it has ended."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass

from heapwire import interface as interface_module
from heapwire.cereal import Class, ClassSet, Object
from heapwire.simulation import parts
from sim.run import run
from tests.cereal.script import describe, described, packed, padded
from tests.soc.program import program

(
    CLASS,
    BUILD,
    WRITE,
    READ,
    DESCRIBE,
    HOLD,
    RELEASE,
    COLLECT,
    STRESS,
    ABREAST,
    STRIP,
    COUNTS,
    EPOCH,
    LIST,
    LENGTH,
    HASHES,
    SHARE,
) = range(1, 18)
TOLD = 96 << 10
"""Bytes of the longest stream that the program returns."""
YOUNG, FULL = 1, 2
"""Arguments of `abreast`: the collection that happens while commands are in flight."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one command: its status, and the number of commands that software did for it."""

    status: int
    fallbacks: int
    stream: bytes = b""


@dataclass(frozen=True)
class Counts:
    """The number of units, their commands and busy cycles, and the collector's counts."""

    serializers: int
    written: int
    write_cycles: int
    deserializers: int
    read: int
    read_cycles: int
    young: int
    full: int
    cycles: int


class Script:
    """A list of steps. `run` runs all of them on the simulated SoC. It returns the answers, one for each step that
    answers something.

    heap: bytes of the heap. eden, large: bytes of its eden and its large space. answers: the largest size of all
    answers in bytes."""

    def __init__(
        self,
        classes,
        heap: int = 1 << 20,
        eden: int = 1 << 18,
        large: int = 1 << 18,
        array: bool = False,
        max_cycles: int = 100_000_000,
        config: str | None = None,
        answers: int = 64 << 10,
    ) -> None:
        self.config = config or os.environ.get("CONFIG")
        self.classes: list[Class] = []
        self.ids: dict[Class, int] = {}
        self.max_cycles = max_cycles
        self.most = answers
        self.input = bytearray(packed(heap, eden, large, heap <= 4 << 20, array))
        self.answers: list = []
        self.set = ClassSet()
        for each in classes:
            self.register(each)

    def register(self, each: Class) -> None:
        bits = sum(flag << i for i, flag in enumerate(each.references))
        count = len(each.references)
        name = each.name.encode()
        self.input += packed(CLASS, each.kind.code, each.shift, count)
        self.input += bits.to_bytes((count + 31) // 32 * 4, "little") + packed(len(name)) + padded(name)
        self.ids[each] = len(self.classes)
        self.classes.append(each)
        self.set.register(each)
        expected = self.ids[each]
        self.answers.append((False, lambda: self._registered(expected)))

    def _do(self, answer, *numbers: int, data: bytes = b"") -> None:
        self.input += packed(*numbers) + padded(data)
        if answer:
            self.answers.append((True, answer))

    def build(self, root: Object, place: int = 0) -> None:
        self._do(None, BUILD, place, data=describe(root, self.ids))

    def write(self, place: int = 0, software: bool = False) -> None:
        """Answers an Outcome."""
        self._do(self._written, WRITE, place, software)

    def read(self, stream: bytes, place: int = 0, software: bool = False) -> None:
        """Answers an Outcome and the number of consumed bytes, or the error's offset."""
        self._do(lambda: (self._outcome(), self._number()), READ, place, software, len(stream), data=stream)

    def abreast(self, count: int, seed: int = 1, collect: int = 0) -> None:
        """Writes the graphs of the places below `count` and reads them into the places behind, all in flight together.
        Answers the Outcomes of the writes and of the reads."""
        self._do(
            lambda: ([self._written() for _ in range(count)], [self._outcome() for _ in range(count)]),
            ABREAST,
            count,
            seed,
            collect,
        )

    def describe(self, place: int = 0) -> None:
        """Answers the graph, an Object."""
        self._do(self._graph, DESCRIBE, place)

    def hold(self, step: int, place: int = 0) -> None:
        """Lets another serialization claim every `step`th object of the graph. Answers how many objects it claimed."""
        self._do(self._number, HOLD, place, step)

    def release(self) -> None:
        self._do(None, RELEASE)

    def collect(self, full: bool) -> None:
        self._do(None, COLLECT, full)

    def stress(self, on: bool) -> None:
        """Makes each allocation collect from here on, or stops that."""
        self._do(None, STRESS, on)

    def strip(self, strip: bool) -> None:
        self._do(None, STRIP, strip)

    def counts(self) -> None:
        """Answers Counts."""
        self._do(lambda: Counts(*(self._number() for _ in range(9))), COUNTS)

    def epoch(self, last: int) -> None:
        """Makes `last` the next epoch."""
        self._do(None, EPOCH, last)

    def list(self, length: int, place: int = 0) -> None:
        """Builds a list of nodes of the first class, an instance with a value and a reference."""
        self._do(None, LIST, place, length)

    def length(self, place: int = 0) -> None:
        """Answers the length of the list. Its values have to be those of `list`."""
        self._do(self._number, LENGTH, place)

    def share(self, count: int) -> None:
        """Makes all places below `count` hold the object of the first place."""
        self._do(None, SHARE, count)

    def identity_hash(self, place: int = 0) -> None:
        """Answers the identity hash of the root. A root without one gets one."""
        self._do(self._number, HASHES, place)

    def run(self) -> list:
        cluster = interface_module.load(parts(self.config).gen / "heapwire.json").cluster
        base, size = cluster["memoryBase"], cluster["memoryBytes"]
        fixed = base + size // 2
        done = run(
            self._program(),
            loads=[(base + size // 8, bytes(self.input) + packed(0))],
            dumps=[(fixed, self.most)],
            max_cycles=self.max_cycles,
            config=self.config,
        ).check()
        self.cycles = done.cycles
        self.output = done.memory[0][8:]
        assert len(done.memory[0]) > 8 + struct.unpack_from("<I", done.memory[0])[0], "more answers than were asked for"
        end, self.at = struct.unpack_from("<I", done.memory[0])[0], 0
        found = [(asked, answer()) for asked, answer in self.answers]
        assert self.at == end
        return [answer for asked, answer in found if asked]

    def _program(self):
        return program("cereal", config=self.config)

    def _number(self) -> int:
        self.at += 4
        return struct.unpack_from("<i", self.output, self.at - 4)[0]

    def _registered(self, expected: int) -> None:
        assert self._number() == expected

    def _outcome(self) -> Outcome:
        return Outcome(self._number(), self._number())

    def _written(self) -> Outcome:
        status, fallbacks, length = self._number(), self._number(), self._number()
        length = length if length <= TOLD else 0
        at, self.at = self.at, self.at + (length + 3) // 4 * 4
        return Outcome(status, fallbacks, self.output[at : at + length])

    def _graph(self) -> Object:
        count = self._number()
        at, self.at = self.at, self.at + 4 * count
        return described(struct.unpack_from(f"<{count}I", self.output, at), self.classes)

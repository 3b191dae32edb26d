"""Scripts on Cereal's driver: for host/script.c, and for the units on the SoC (tests/soc/programs/cereal.c)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from heapwire import interface as interface_module
from heapwire.cereal import ClassSet
from heapwire.simulation import parts
from sim.run import run
from tests.common.script import HostScript, Script, soc_answers, soc_areas
from tests.soc.program import program

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


class CerealScript(Script):
    """most: bytes of the longest stream that is told."""

    most = 1 << 30

    def strip(self, strip: bool) -> None:
        self._do("strip", strip)

    def limits(self, work: int, output: int) -> None:
        """Sets the bytes of the work area and of the output."""
        self._do("limits", work, output)

    def write(self, place: int = 0, software: bool = False) -> None:
        """Answers what `_written` returns."""
        self._do("write", place, software, self.most, answer=self._written)

    def read(self, stream: bytes, place: int = 0, software: bool = False) -> None:
        """Answers what `_read` returns."""
        self._do("read", place, software, len(stream), data=stream, answer=self._read)

    def hold(self, step: int, place: int = 0) -> None:
        """Lets another serialization claim every `step`th object of the graph. Answers how many objects it claimed."""
        self._do("hold", place, step, answer=self._number)

    def release(self) -> None:
        self._do("release")

    def _outcome(self) -> Outcome:
        return Outcome(*self._numbers(2))

    def _written(self) -> Outcome:
        """Returns the outcome with the stream."""
        status, fallbacks, length = self._numbers(3)
        return Outcome(status, fallbacks, self._bytes(length if length <= self.most else 0))

    def _read(self):
        """Returns the outcome, and the number of consumed bytes or the error's offset."""
        return self._outcome(), self._number()


class CodecScript(CerealScript, HostScript):
    """A script for the codec. It answers statuses in the place of outcomes."""

    def __init__(self, program: Path, *options: str) -> None:
        """options: `stress`, `array`, `large`."""
        super().__init__(program)
        large = "large" in options
        self.heap(
            size=60 << 20 if large else 4 << 20,
            eden=6 << 20 if large else 512 << 10,
            large=20 << 20 if large else 1 << 20,
            array="array" in options,
            stress="stress" in options,
            verify=not large,
        )
        self.strip(False)

    def register(self, classes) -> None:
        """Answers each class's id, or -1 if the class was refused."""
        for each in classes:
            self.define(each)

    def attempt(self, stream: bytes) -> None:
        """Reads the stream into an image that nobody adopts, and then into the heap. Answers the results of both."""
        self._do("try", 0, False, len(stream), data=stream, answer=lambda: (self._read(), self._read()))

    def _written(self) -> tuple[int, bytes]:
        outcome = super()._written()
        return outcome.status, outcome.stream

    def _read(self) -> tuple[int, int]:
        outcome, number = super()._read()
        return outcome.status, number


class UnitScript(CerealScript):
    """A script for the units. `run` runs it on the simulated SoC.

    heap: bytes of the heap. eden, large: bytes of its eden and its large space. answers: the largest size of all
    answers in bytes."""

    most = 96 << 10

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
        super().__init__()
        self.config, self.max_cycles, self.room = config or os.environ.get("CONFIG"), max_cycles, answers
        self.heap(heap, eden, large, array=array)
        self.strip(False)
        self.set = ClassSet()
        for each in classes:
            self.set.register(each)
            self.define(each)

    def abreast(self, count: int, seed: int = 1, collect: int = 0) -> None:
        """Writes the graphs of the places below `count` and reads them into the places behind, all in flight together.
        Answers the Outcomes of the writes and of the reads."""

        def answer():
            return [self._written() for _ in range(count)], [self._outcome() for _ in range(count)]

        self._do("abreast", count, seed, collect, self.most, answer=answer)

    def counts(self) -> None:
        """Answers Counts."""
        self._do("counts", answer=lambda: Counts(*self._numbers(9)))

    def epoch(self, last: int) -> None:
        """Makes `last` the next epoch."""
        self._do("epoch", last)

    def list(self, length: int, place: int = 0) -> None:
        """Builds a list of nodes of the first class, an instance with a value and a reference."""
        self._do("list", place, length)

    def length(self, place: int = 0) -> None:
        """Answers the length of the list. Its values have to be those of `list`."""
        self._do("length", place, answer=self._number)

    def share(self, count: int) -> None:
        """Makes all places below `count` hold the object of the first place."""
        self._do("share", count)

    def run(self) -> list:
        """Returns the answers, without the classes' ids, which it checks."""
        interface = interface_module.load(parts(self.config).gen / "heapwire.json")
        load, dump = soc_areas(self, interface, self.room)
        done = run(
            program("cereal", config=self.config),
            loads=[load],
            dumps=[dump],
            max_cycles=self.max_cycles,
            config=self.config,
        ).check()
        self.cycles, count = done.cycles, len(self.classes)
        answers = soc_answers(self, done.memory[0])
        assert answers[:count] == list(range(count))
        return answers[count:]

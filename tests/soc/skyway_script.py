"""Talks to programs/skyway.c on two simulated SoCs. The steps of each go in before they start. Statuses and graphs come
out after both have ended."""

from __future__ import annotations

import struct

from heapwire import interface as interface_module
from heapwire.cereal import Class, Object
from sim.pair import run_pair
from tests.cereal.script import describe, described, packed, padded
from tests.soc.program import program

(DRIVE, JOIN, CLASS, BUILD, PHASE, SEND, RECEIVE, DESCRIBE, COLLECT, STRESS, FREE, USED, HASHES) = range(1, 14)
PATIENCE = 2_000_000
"""Cycles that a machine waits for an answer."""
HEAP, EDEN, LARGE = 160 << 10, 32 << 10, 64 << 10
ANSWERS = 96 << 10
"""The largest size of a machine's answers in bytes."""


class Machine:
    """The steps of one machine. base: the offset of its heap in its region in bytes."""

    def __init__(self, base: int, number: int, patience: int = PATIENCE) -> None:
        self.input = bytearray(packed(base, HEAP, EDEN, LARGE, patience, number))
        self.answers: list = []
        self.classes: list[Class] = []
        self.ids: dict[Class, int] = {}

    def _do(self, answer, *numbers: int, data: bytes = b"") -> None:
        self.input += packed(*numbers) + padded(data)
        if answer:
            self.answers.append(answer)

    def drive(self, registry: int) -> None:
        self._do(None, DRIVE, registry)

    def join(self) -> None:
        """Answers a status."""
        self._do(self._number, JOIN)

    def define(self, each: Class) -> None:
        """Answers the class's type id, or a negative status."""
        bits, count, name = (
            sum(flag << i for i, flag in enumerate(each.references)),
            len(each.references),
            each.name.encode(),
        )
        self._do(
            self._number,
            CLASS,
            each.kind.code,
            each.shift,
            count,
            data=bits.to_bytes((count + 31) // 32 * 4, "little") + packed(len(name)) + padded(name),
        )
        self.ids[each] = len(self.classes)
        self.classes.append(each)

    def build(self, root: Object, place: int) -> None:
        self._do(None, BUILD, place, data=describe(root, self.ids))

    def phase(self) -> None:
        """Answers a status."""
        self._do(self._number, PHASE)

    def send(self, first: int, count: int, buffer: int) -> None:
        """Sends the roots in `count` places from `first` on, through an output buffer of `buffer` bytes. Answers a
        status, and why it was not sent."""
        self._do(lambda: (self._number(), self._number()), SEND, first, count, buffer)

    def receive(self, buffers: int, first: int) -> None:
        """Receives into places from `first` on. Answers the number of buffers and of roots that arrived, and the number
        of damaged frames so far."""
        self._do(lambda: (self._number(), self._number(), self._number()), RECEIVE, buffers, first)

    def describe(self, place: int) -> None:
        """Answers the graph."""
        self._do(self._graph, DESCRIBE, place)

    def collect(self, full: bool) -> None:
        self._do(None, COLLECT, full)

    def stress(self, on: bool) -> None:
        self._do(None, STRESS, on)

    def free(self) -> None:
        """Drops all that is held, and runs a full collection."""
        self._do(None, FREE)

    def used(self) -> None:
        """Answers the bytes of the heap in use."""
        self._do(self._number, USED)

    def identity_hash(self, place: int) -> None:
        """Answers the identity hash of the root. A root without one gets one."""
        self._do(self._number, HASHES, place)

    def told(self, memory: bytes) -> list:
        self.output, self.at = memory[8:], 0
        end = struct.unpack_from("<I", memory)[0]
        assert end <= len(self.output), "more answers than were asked for"
        found = [answer() for answer in self.answers]
        assert self.at == end
        return found

    def _number(self) -> int:
        self.at += 4
        return struct.unpack_from("<i", self.output, self.at - 4)[0]

    def _graph(self) -> Object:
        count = self._number()
        at, self.at = self.at, self.at + 4 * count
        return described(struct.unpack_from(f"<{count}I", self.output, at), self.classes)


def run(machines, byte_cycles: int, max_cycles: int = 60_000_000):
    """Runs both machines. Returns the answers of each, and how each run ended."""
    cluster = interface_module.load().cluster
    base, size = cluster["memoryBase"], cluster["memoryBytes"]
    image = program("skyway")
    results = run_pair(
        (image, image),
        [[(base + size // 8, bytes(each.input) + packed(0))] for each in machines],
        dumps=[(base + size // 2, ANSWERS)],
        max_cycles=max_cycles,
        byte_cycles=byte_cycles,
    )
    return [each.told(result.check().memory[0]) for each, result in zip(machines, results)], results

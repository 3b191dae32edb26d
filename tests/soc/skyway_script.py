"""Scripts for programs/skyway.c on two simulated SoCs. The steps of each go in before they start. Statuses and graphs
come out after both have ended."""

from __future__ import annotations

from heapwire import interface as interface_module
from sim.pair import run_pair
from tests.common.script import Script, soc_answers, soc_areas
from tests.soc.program import program

PATIENCE = 2_000_000
"""Cycles that a machine waits for an answer."""
HEAP, EDEN, LARGE = 160 << 10, 32 << 10, 64 << 10
ANSWERS = 96 << 10
"""The largest size of a machine's answers in bytes."""


class Machine(Script):
    """The steps of one machine. base: the offset of its heap in its region in bytes."""

    def __init__(self, base: int, number: int, patience: int = PATIENCE) -> None:
        super().__init__()
        self.heap(HEAP, EDEN, LARGE, base=base)
        self._do("link", patience, number)

    def drive(self, registry: int) -> None:
        self._do("drive", registry)

    def join(self) -> None:
        """Answers a status."""
        self._do("join", answer=self._number)

    def phase(self) -> None:
        """Answers a status."""
        self._do("phase", answer=self._number)

    def send(self, first: int, count: int, buffer: int) -> None:
        """Sends the roots in `count` places from `first` on, through an output buffer of `buffer` bytes. Answers a
        status, and why it was not sent."""
        self._do("send", first, count, buffer, answer=lambda: self._numbers(2))

    def receive(self, buffers: int, first: int) -> None:
        """Receives into places from `first` on. Answers the number of buffers and of roots that arrived, and the number
        of damaged frames so far."""
        self._do("receive", buffers, first, answer=lambda: self._numbers(3))

    def free(self) -> None:
        """Drops all that is held, and runs a full collection."""
        self._do("free")
        self.collect(drop=True)


def run(machines, byte_cycles: int, max_cycles: int = 60_000_000):
    """Runs both machines. Returns the answers of each, and how each run ended."""
    image, interface = program("skyway"), interface_module.load()
    areas = [soc_areas(each, interface, ANSWERS) for each in machines]
    results = run_pair(
        (image, image),
        [[load] for load, _ in areas],
        dumps=[areas[0][1]],
        max_cycles=max_cycles,
        byte_cycles=byte_cycles,
    )
    return [soc_answers(each, result.check().memory[0]) for each, result in zip(machines, results)], results

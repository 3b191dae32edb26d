"""The rows that the machines of a demonstration print. One row of each machine for a program makes a result."""

import json
import time
from dataclasses import dataclass
from typing import Callable

from base.errors import HeapwireError
from study.shuffle import JSBS, TIMES, jsbs, results
from study.shuffle.plain import digest

SILENCE = 1800
"""Seconds in which at least one machine must print something, or end."""


@dataclass(frozen=True)
class Run:
    """A program by a serializer on all machines. Cycles are those of the SoC that took longest. bytes: those sent over
    the line. problem: the fault of the result, or None."""

    program: str
    serializer: str
    scale: int
    cycles: int
    computation: int
    collection: int
    transfer: int
    conversion: int
    bytes: int
    phases: int
    problem: str | None
    machines: int = 2
    serialize: int = 0
    deserialize: int = 0
    fallbacks: int = 0


def _problem(rows: list[dict], program: str, scale: int) -> str | None:
    expected = jsbs.results(scale, len(rows)) if program == JSBS else results(program, scale)
    if not all(row["ok"] for row in rows):
        return "it failed"
    if any(row["fallbacks"] for row in rows):
        return "software did a unit's work"
    if sum(row["results"] for row in rows) != len(expected) or sum(
        row["digest"] for row in rows
    ) & 0xFFFFFFFF != digest(expected):
        return "the result is not what a plain computation says"
    return None


def _run(rows: list[dict], socs: int) -> Run:
    """Builds a result from one row of each machine, the SoCs first."""
    longest = max(rows[:socs], key=lambda row: sum(row[name] for name in TIMES))
    parts = (
        longest["computation"],
        longest["collection"],
        longest["write"] + longest["read"],
        longest["serialize"] + longest["deserialize"],
    )
    program, scale = longest["program"], longest["scale"]
    return Run(
        program,
        longest["serializer"],
        scale,
        sum(parts),
        *parts,
        sum(row["remote_bytes"] for row in rows),
        longest["phases"],
        _problem(rows, program, scale),
        len(rows),
        longest["serialize"],
        longest["deserialize"],
        sum(row["fallbacks"] for row in rows),
    )


def _lines(uart: bytes) -> list[str]:
    return [line.decode(errors="replace").rstrip("\r") for line in uart.split(b"\n")[:-1]]


class Listener:
    """Reads the lines that the machines print, and turns them into rows. silence: seconds without output of any
    machine after which the run fails."""

    def __init__(self, say: Callable[[str], None], socs: int, silence: float = SILENCE) -> None:
        self.say, self.socs, self.silence = say, socs, silence
        self.done: list[Run] = []
        self.heard, self.since = 0, time.monotonic()

    def hear(self, machines) -> None:
        """Reads new output. Raises HeapwireError if a machine reports a failure, or if all have been silent for too
        long."""
        uarts = [machine.uart for machine in machines]
        self._wait(sum(map(len, uarts)), machines)
        told = []
        for machine, uart in zip(machines, uarts):
            lines = _lines(uart)
            for line in lines:
                if line.startswith("# "):
                    raise HeapwireError(f"{machine.name}: {line[2:]}")
            told.append([json.loads(line) for line in lines if line.startswith("{")])
        for rows in list(zip(*told))[len(self.done) :]:
            self.done.append(_run(list(rows), self.socs))
            self.say(f"{self.done[-1].program} by {self.done[-1].serializer}: {self.done[-1].cycles:,} cycles")

    def _wait(self, heard: int, machines) -> None:
        now = time.monotonic()
        if heard != self.heard:
            self.heard, self.since = heard, now
        if now - self.since > self.silence:
            going = " and ".join(machine.name for machine in machines if not machine.over)
            raise HeapwireError(f"nothing was heard for {self.silence:g} seconds; still going: {going or 'none'}")

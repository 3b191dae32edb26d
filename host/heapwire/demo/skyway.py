"""Shuffling programs on two simulated SoCs that are joined by a line, in lock-step: words are counted, pages ranked, components and triangles
found by two machines that send each other object graphs; results against a plain computation."""
from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Callable, Iterable

from heapwire import firmware
from heapwire.bench.run import load_base
from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, load
from heapwire.shuffle import PROGRAMS, digest, results
from heapwire.simulation import module, parts as default_parts

SERIALIZERS = ("skyway-sw", "kryo-manual")
WORDS, VERTICES = 200, 24
HEAPS = 0, 16 << 20
"""Where each machine's heap begins, in its region: nothing is at the same address in both."""
PATIENCE = 20_000_000
"""Cycles until a request is sent again: a machine may compute for long before it listens."""
MOST_CYCLES = 2_000_000_000
ENDS_WITHIN = 600
"""Seconds that the machines have to end after one did."""


@dataclass(frozen=True)
class Run:
    """A program by a serializer on both machines. Cycles are those of the SoC that was at it for longest; bytes went over the line; problem: None,
    or what is wrong with the result."""

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


def _pair() -> ModuleType:
    module()  # of the repository, which is where this comes from too
    import sim.pair
    return sim.pair


def _loads(worker: int, jobs: list[tuple[str, str, int]]) -> list[tuple[int, bytes]]:
    words = struct.pack("<4I", worker, HEAPS[worker], PATIENCE, len(jobs))
    return [(load_base(load()), words + b"".join(struct.pack("<16s16sI", program.encode(), serializer.encode(), scale) for program, serializer, scale in jobs))]


def _problem(rows: list[dict], program: str, scale: int) -> str | None:
    expected = results(program, scale)
    if not all(row["ok"] for row in rows):
        return "it failed"
    if any(row["fallbacks"] for row in rows):
        return "software did a unit's work"
    if sum(row["results"] for row in rows) != len(expected) or sum(row["digest"] for row in rows) & 0xFFFFFFFF != digest(expected):
        return "the result is not what a plain computation says"
    return None


def _run(rows: list[dict], socs: int) -> Run:
    """Of a line of each machine, the SoCs first."""
    longest = max(rows[:socs], key=lambda row: sum(row[name] for name in ("computation", "collection", "serialize", "write", "deserialize", "read")))
    parts = longest["computation"], longest["collection"], longest["write"] + longest["read"], longest["serialize"] + longest["deserialize"]
    program, scale = longest["program"], longest["scale"]
    return Run(program, longest["serializer"], scale, sum(parts), *parts, sum(row["remote_bytes"] for row in rows), longest["phases"],
               _problem(rows, program, scale))


def _lines(uart: bytes) -> list[str]:
    return [line.decode(errors="replace").rstrip("\r") for line in uart.split(b"\n")[:-1]]


class _Listener:
    """Reads the lines that both machines print, and makes rows of them."""

    def __init__(self, say: Callable[[str], None], socs: int) -> None:
        self.say, self.socs, self.done = say, socs, []

    def hear(self, uarts: list[bytes]) -> None:
        told = []
        for number, uart in enumerate(uarts):
            lines = _lines(uart)
            for line in lines:
                if line.startswith("# "):
                    raise HeapwireError(f"machine {number}: {line[2:]}")
            told.append([json.loads(line) for line in lines if line.startswith("{")])
        for rows in list(zip(*told))[len(self.done):]:
            self.done.append(_run(list(rows), self.socs))
            self.say(f"{self.done[-1].program} by {self.done[-1].serializer}: {self.done[-1].cycles:,} cycles")


def _check(number: int, ended) -> None:
    if not ended.ok or ended.link["lost"]:
        raise HeapwireError(f"machine {number} ended with {ended.reason}, code {ended.code}, after {ended.cycles:,} cycles; {ended.link['lost']} bytes were lost")


def _host_worker(parts) -> Path:
    """The same programs for this host, with sanitizers (tests/skyway/host)."""
    out = REPOSITORY / "build" / "demo" / parts.name / "skyway-host"
    made = subprocess.run(["make", "--no-print-directory", "-j2", "-C", str(REPOSITORY / "tests" / "skyway" / "host"), f"GEN={parts.gen}",
                           f"CLASSES={REPOSITORY / 'build' / 'classes'}", f"OUT={out}", str(out / "worker")], capture_output=True, text=True)
    if made.returncode:
        raise HeapwireError(f"building the host's worker failed:\n{made.stderr[-2000:]}")
    return out / "worker"


def _with_host(pair: ModuleType, image: Path, worker: Path, jobs: list[tuple[str, str, int]], listener: _Listener) -> None:
    arguments = [str(word) for job in jobs for word in job]
    with tempfile.TemporaryFile() as heard, pair.Line() as line, \
            pair.Running(image, line.ends[0], _loads(0, jobs), max_cycles=MOST_CYCLES) as machine:
        process = subprocess.Popen([str(worker), str(line.path), str(pair.BYTE_CYCLES), *arguments], stdout=heard, stderr=subprocess.STDOUT)

        def said() -> bytes:
            return os.pread(heard.fileno(), 1 << 20, 0)  # where the process writes stays as it is

        try:
            while process.poll() is None and machine.process.poll() is None:
                time.sleep(0.1)
                listener.hear([machine.uart, said()])
            if machine.process.poll() is not None:
                process.wait(ENDS_WITHIN)
            if process.poll():
                raise HeapwireError(f"the host's worker ended with {process.returncode}: {said()[-1000:].decode(errors='replace')}")
            _check(0, machine.end(ENDS_WITHIN))
        finally:
            process.kill()
            process.wait()
        listener.hear([machine.uart, said()])


def run(serializers: Iterable[str], say: Callable[[str], None], words: int = WORDS, vertices: int = VERTICES, host: bool = False) -> list[Run]:
    """Every program by every serializer. host: the second machine is a process of this host. Raises HeapwireError if a machine fails."""
    jobs = [(program, serializer, words if program == "word-count" else vertices) for program in PROGRAMS for serializer in serializers]
    parts, pair, listener = default_parts(), _pair(), _Listener(say, 1 if host else 2)
    say("building the programs")
    image = firmware.build("skyway_worker", parts, REPOSITORY / "build" / "demo" / parts.name / "skyway")
    worker = _host_worker(parts) if host else None
    say("a simulated SoC and a process of this host, one line" if host else "two simulated SoCs, two processes, one line")
    try:
        if worker:
            _with_host(pair, image, worker, jobs, listener)
        else:
            ended = pair.run_pair((image, image), [_loads(number, jobs) for number in (0, 1)], max_cycles=MOST_CYCLES,
                                  watch=lambda machines: listener.hear([machine.uart for machine in machines]))
            listener.hear([each.uart for each in ended])
            for number, each in enumerate(ended):
                _check(number, each)
    except module().SimulationError as error:
        raise HeapwireError(str(error)) from error
    if len(listener.done) != len(jobs):
        raise HeapwireError(f"{len(listener.done)} of {len(jobs)} runs were told of")
    return listener.done

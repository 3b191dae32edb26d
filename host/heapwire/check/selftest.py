"""The parts of the self-test, in order, and the file that the board's owner can send back."""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.check import Finding, memory, sample
from heapwire.client import GivenUp, LinkError, Monitor
from heapwire.client.line import Line
from heapwire.interface import Interface
from heapwire.measure import uart
from heapwire.records.monitor import Hello
from heapwire.revision import revision
from heapwire.workload.group import Group

PARTS = ("identity", "memory", "clock", "conformance", "messages", "line")
TRIES = 3
"""Attempts at a part over a line that breaks."""
CLOCK_SECONDS = 3.0
"""Time between two readings of the board's counter of cycles."""
READINGS = 5
CLOCK_ERROR = 0.01
"""Part of the clock's rate by which it may be off. A UART bears twice that."""
REPEATS = 0.01
"""Part of the frames that a good line may have to repeat."""


@dataclass(frozen=True)
class Wanted:
    """What is to be tested. name: of the machine, and of the file. kernel: the monitor that was built here.
    conformance: the folder of the official runner, messages: how many of its messages are sent. groups: of messages
    that are measured, up to `limit` bytes."""

    name: str
    kernel: Path | None = None
    conformance: Path | None = None
    messages: int = 100
    groups: Sequence[Group] = ()
    limit: int = uart.LIMIT


class SelfTest:
    """folder: for the report. say: receives progress messages, a line each."""

    def __init__(
        self, line: Line, interface: Interface, wanted: Wanted, folder: Path, say: Callable[[str], None]
    ) -> None:
        self.line, self.interface, self.wanted, self.folder, self.say = line, interface, wanted, folder, say
        self.findings: list[Finding] = []
        self.gone = False

    @property
    def file(self) -> Path:
        return self.folder / f"{self.wanted.name}.json"

    def run(self) -> list[Finding]:
        """Runs all parts, writes the report's file, and returns what was found. If the machine is not the one that was
        built here, or cannot be reached any more, the rest is not tested."""
        for name in PARTS:
            self.findings.append(self._found(name))
            if self.gone or not self.findings[0].ok:
                break
        self.findings += [Finding(name, None, "") for name in PARTS[len(self.findings) :]]
        self.folder.mkdir(parents=True, exist_ok=True)
        report = {
            "report": "heapwire check",
            "revision": revision(),
            "name": self.wanted.name,
            "cluster": self.interface.cluster,
            "passed": all(finding.ok is not False for finding in self.findings),
            "findings": [asdict(finding) for finding in self.findings],
        }
        text = json.dumps(report, indent=1)
        self.file.write_text(text.replace(f"{ROOT}/", "").replace(self.line.port, "PORT") + "\n")
        return self.findings

    def _found(self, name: str) -> Finding:
        """Runs a part. A line that breaks costs time, and in the end the part."""
        part: Callable[[Monitor, Hello], Finding] = getattr(self, f"_{name}")
        for left in reversed(range(TRIES)):
            try:
                return part(*self.line.connect())
            except GivenUp as error:
                self.gone = True
                return Finding(name, False, self._unheard(error))
            except LinkError as error:
                if not left or self.line.monitor is None and not self.line.found:
                    return Finding(name, False, self._unheard(error))
                self.say(f"{name}: again, for {error}")
                self.line.broken(error)
            except HeapwireError as error:
                return Finding(name, False, str(error))
        raise AssertionError

    def _unheard(self, error: LinkError) -> str:
        damaged = self.line.monitor.receiver.damaged if self.line.monitor else 0
        noisy = f" Something answers, but {damaged} frames came damaged: {_NOISE}" if damaged else ""
        return f"{error}.{noisy}"

    def _identity(self, monitor: Monitor, hello: Hello) -> Finding:
        facts: dict[str, Any] = {"hello": asdict(hello)}
        try:
            uart.same_machine(hello, self.interface)
        except HeapwireError as error:
            load = (
                "the bitstream that was built for it here (make load BOARD=), or name what is loaded (DEVICE=, CONFIG=)"
            )
            return Finding(
                "identity", False, f"another cluster is on the board: {error}. What to do: load {load}", facts
            )
        cluster, facts["build"] = self.interface.cluster, uart.build(monitor, self.interface)
        image = self.wanted.kernel.read_bytes()[: uart.IMAGE_BYTES] if self.wanted.kernel else b""
        facts["kernel"] = f"{zlib.crc32(image):08x}" if len(image) == uart.IMAGE_BYTES else None
        text = f"{cluster['config']}, {cluster['dataWidth']} bits, {hello.clock_hz / 1e6:g} MHz"
        if facts["kernel"] not in (None, facts["build"]["firmware"]):
            return Finding(
                "identity",
                False,
                f"{text}; but the monitor that runs is not {self.wanted.kernel}. What to do: reset the board, whose "
                "boot ROM then asks for this one",
                facts,
            )
        return Finding("identity", True, text, facts)

    def _memory(self, monitor: Monitor, hello: Hello) -> Finding:
        return memory.check(monitor, hello, self.interface, self.say)

    def _clock(self, monitor: Monitor, hello: Hello) -> Finding:
        if hello.simulated:
            return Finding("clock", None, "a simulation has no time of its own")
        self.say(f"clock: cycles in {CLOCK_SECONDS:g} seconds")
        (first, began), _, (last, ended) = _cycles(monitor), time.sleep(CLOCK_SECONDS), _cycles(monitor)
        measured = (last - first) / (ended - began)
        text = f"{measured / 1e6:.3f} MHz by this computer's time, {hello.clock_hz / 1e6:g} MHz were built"
        return Finding("clock", abs(measured / hello.clock_hz - 1) <= CLOCK_ERROR, text, {"hz": round(measured)})

    def _conformance(self, monitor: Monitor, hello: Hello) -> Finding:
        if not self.wanted.conformance:
            return Finding("conformance", None, "the official runner is not there: make check-board fetches it")
        return sample.check(self.line, self.interface, self.wanted.conformance, self.wanted.messages, self.say)

    def _messages(self, monitor: Monitor, hello: Hello) -> Finding:
        bench = uart.Bench(
            self.line,
            list(self.wanted.groups),
            self.interface,
            self.wanted.name,
            self.folder / "rows",
            resume=False,
            limit=self.wanted.limit,
            say=self.say,
        )
        measured = bench.run()
        right = sum(row["ok"] is True for row in measured.rows)
        text = "; ".join([f"{right} of {len(measured.rows)} rows are right", *measured.problems[:5]])
        return Finding("messages", not measured.problems, text, {"rows": measured.rows})

    def _line(self, monitor: Monitor, hello: Hello) -> Finding:
        requests, repeats = self.line.traffic()
        rate = monitor.transport.rate
        facts = {"requests": requests, "repeats": repeats, "breakdowns": self.line.breakdowns, "baud": rate}
        text = f"{requests:,} requests, {repeats:,} of them repeated" + (f", at last at {rate:,} baud" if rate else "")
        if hello.simulated:
            return Finding("line", None, f"{text}; a simulation may answer late", facts)
        noisy = repeats > REPEATS * requests
        return Finding("line", not noisy, f"{text}: {_NOISE}" if noisy else text, facts)


_NOISE = (
    'the line is noisy. What to do: another cable, port or hub; ARGS="--max-baud 115200" shows whether a slower line '
    "is better"
)


def _cycles(monitor: Monitor) -> tuple[int, float]:
    """Returns the machine's cycles, and the time here in the middle of the request: of several readings the one that
    took least, because a repeated request is answered late."""
    readings = []
    for _ in range(READINGS):
        began = time.monotonic()
        cycles = int(monitor.counters()["mcycle"])
        readings.append((time.monotonic() - began, cycles, (began + time.monotonic()) / 2))
    return min(readings)[1:]

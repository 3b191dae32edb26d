"""A sample of the official conformance suite, answered by the machine at the other end of a line."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

from heapwire.check import Finding
from heapwire.client import Engine, GivenUp, LinkError, MonitorError, RunFlag
from heapwire.client.line import Line
from heapwire.conformance.backend import Result
from heapwire.conformance.run import Suite, run_suite
from heapwire.conformance.schemas import TYPES, test_schema
from heapwire.interface import Interface
from heapwire.measure.uart import Forgetful, Session
from heapwire.workload.case import Case
from heapwire.workload.group import Group

TRIES = 5
"""Attempts at one message over a line that breaks."""


class OverLine:
    """Answers requests by the engine behind a line: a message is read, and what it became is written."""

    def __init__(self, line: Line, group: Group, interface: Interface, say: Callable[[str], None]) -> None:
        self.line, self.group, self.interface, self.say = line, group, interface, say
        self.session: Session | None = None
        self.connected = False

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        return [self._persistently(*request) for request in requests]

    def _persistently(self, kind: str, data: bytes) -> Result:
        for left in reversed(range(TRIES)):
            try:
                return self._answered(self._connected(), kind, data)
            except LinkError as error:
                if not left or isinstance(error, GivenUp):
                    raise
                self.say(f"conformance: again, for {error}")
                self.connected = False
                if not isinstance(error, Forgetful):
                    self.line.broken(error)
        raise AssertionError

    def _connected(self) -> Session:
        """Returns a session whose machine has the schema."""
        if self.session is None or not self.connected:
            monitor, _ = self.line.connect()
            self.session = self.session or Session(monitor, self.group, self.interface)
            self.session.monitor, self.connected = monitor, True
            if not self.session.kept():
                self.session.load()
        return self.session

    def _answered(self, session: Session, kind: str, data: bytes) -> Result:
        index, address = session.compiled.index(kind), session.place(data)
        try:
            run = session.run(Engine.HW, index, address, len(data), 0, 1, RunFlag.REENCODE)
        except MonitorError:
            session.intact()  # raises if the machine has lost its schema, in which case it was right to refuse
            raise
        status = self.interface.status_name(run.result)
        written = session.monitor.read(run.root, run.fixed_top - run.root) if not run.result else None
        session.intact()
        return Result(status, status, written, in_hardware=not run.fallbacks)


def check(line: Line, interface: Interface, home: Path, count: int, say: Callable[[str], None]) -> Finding:
    """home: the folder of the runner. count: about how many of its messages are sent."""
    suite = Suite(home)
    group = Group("conformance", test_schema(suite.package), [Case(name, name, b"") for name in TYPES])
    say(f"conformance: about {count} messages of the official suite")
    report = run_suite(suite, OverLine(line, group, interface, say), None, count)
    facts = {name: value for name, value in vars(report).items() if name not in ("output", "skipped")}
    messages = report.accepted + report.rejected
    told = f"with {messages} messages of the official suite {report.passed} tests passed, {report.failed} failed"
    failed = f": {', '.join(report.failures[:5])}" if report.failures else ""
    return Finding("conformance", bool(report.passed and not report.failed), told + failed, facts)

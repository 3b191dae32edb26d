"""The bench over a UART. It sends messages to the monitor of a board or a simulation, and checks every result here.

A broken line costs time, but no row. The bench connects again, sends the machine what it has lost, and repeats the
current case. A row counts only if the machine kept its schema from before the run until everything was read back. So
data left over from before a reset never passes for a result."""

from __future__ import annotations

import time
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable, Iterator, Sequence

from base.errors import HeapwireError
from heapwire.client import Engine, GivenUp, LinkError, Monitor, MonitorError, RunFlag
from heapwire.client.line import Line
from heapwire.interface import Interface
from heapwire.machine import Machine, same_interface
from heapwire.measure import messages
from heapwire.measure.journal import Journal, Key, Measurement, stem, write_page
from heapwire.measure.rows import Row, complete
from heapwire.records import Numbers
from heapwire.records.monitor import Hello, Status
from heapwire.revision import revision
from heapwire.workload.case import Case
from heapwire.workload.group import Group

GROUPS = ("demo", "fields")
"""Default groups: small enough for a slow line, with every kind of field."""
LIMIT = 8192
"""Default bytes of the longest message that is sent. Ten such messages take seconds at 115,200 baud."""
WARM, COUNTED = 2, 3
TRIES, STUCK = 10, 300.0
"""The bench ends after this many breakdowns during one case, if also this many seconds have passed since the last
row."""
BOARD_RUN, SIMULATED_RUN = 20.0, 1200.0
"""Seconds that one run may take, all its iterations together."""
WITHOUT_UNITS = "no-units"
"""The configuration of a machine that has no front end."""
OPERATIONS = ("deserialize", "serialize")
OF_ANY_SCHEMA = (Engine.HW, Engine.TABLE)
"""The engines that make objects, of any schema that is loaded. Others have code of one schema, and messages of their
own."""


@dataclass(frozen=True)
class Task:
    """A row to be measured."""

    case: Case
    operation: str
    engine: Numbers

    @property
    def key(self) -> Key:
        return self.case.name, self.operation, self.engine.text

    def __str__(self) -> str:
        return f"{self.case.name}, {self.operation} ({self.engine.text})"


def chosen(
    names: Sequence[str], limit: int, say: Callable[[str], None], groups: Sequence[Group] | None = None
) -> list[Group]:
    """Returns the groups with these names (none: GROUPS) that have a message of at most `limit` bytes. Raises
    HeapwireError for unknown names."""
    known = {group.name: group for group in (groups if groups is not None else messages.groups())}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise HeapwireError(messages.no_group(unknown, list(known)))
    found = []
    for name in names or GROUPS:
        longer = sum(len(case.data) > limit for case in known[name].cases)
        if longer:
            say(f"{name}: {longer} messages are left out: longer than {limit:,} bytes (--limit)")
        if longer < len(known[name].cases):
            found.append(known[name])
    if not found:
        raise HeapwireError("no message is left to measure: give a higher --limit")
    return found


def same_machine(hello: Hello, interface: Interface, missing_unit: bool = False) -> None:
    """Raises HeapwireError unless heapwire.json describes the machine that has answered and that machine has a unit to
    measure.

    missing_unit: accepts a machine without units, which has no configuration."""
    same_interface(hello, interface)
    if hello.sizes:
        _same_configuration(hello, interface)
    missing = by_software(hello, interface)
    if len(missing) == len(OPERATIONS) and not missing_unit:
        raise HeapwireError(
            f"the machine has no unit to {' or '.join(missing)}: software would do all the work (--allow-missing-unit "
            "measures that)"
        )


def by_software(hello: Hello, interface: Interface) -> list[str]:
    """Returns the operations for which the machine has no unit."""
    return [operation for operation in OPERATIONS if not interface.units_for(hello.capability, f"protobuf_{operation}")]


def _same_configuration(hello: Hello, interface: Interface) -> None:
    port = 1 << (hello.sizes >> 16 & 0xFF)
    if 8 * port != interface.cluster["dataWidth"]:
        raise HeapwireError(
            f"the machine's memory port is {8 * port} bits wide, {interface.path} is of one of "
            f"{interface.cluster['dataWidth']}: set DATA_WIDTH={8 * port}, or name the board (--board, of a simulated "
            "one LIKE)"
        )
    other = [
        f"{name}: {interface.units_of(hello.capability, name)}, not {count}"
        for name, count in interface.cluster["units"].items()
        if interface.units_of(hello.capability, name) != count
    ]
    if other:
        raise HeapwireError(
            f"the machine is of another configuration than {interface.path} ({'; '.join(other)}): set CONFIG, or name "
            "the board (--board, --device, --config, of a simulated one LIKE)"
        )


def tasks_of(group: Group, limit: int, hello: Hello, schema_id: int, interface: Interface) -> Iterator[Task]:
    """Yields the rows that the machine can give for a group's messages of at most `limit` bytes, in order."""
    for case in (case for case in group.cases if len(case.data) <= limit):
        for operation in OPERATIONS:
            for engine in (*Engine, *group.added):
                if engine.text not in case.engines or not hello.engines >> engine & 1:
                    continue
                if engine not in OF_ANY_SCHEMA and hello.nanopb_schema != schema_id:
                    continue
                if engine is Engine.HW and operation in by_software(hello, interface):
                    continue
                yield Task(case, operation, engine)


IMAGE_BYTES = 1 << 16
"""Bytes of the firmware's code, from the start of main memory, that identify a build. A monitor's code is longer, and
its variables lie behind it."""


def build(monitor: Monitor, interface: Interface) -> dict[str, str]:
    """Returns what distinguishes two builds of one configuration: the code in the machine's memory, and the hardware's
    description here."""
    image = monitor.checksum(monitor.layout().memory_base, IMAGE_BYTES)
    found = {"firmware": f"{image:08x}"}
    for name, path in (
        ("heapwire.json", interface.path),
        ("verilog", interface.path and interface.path.with_name("HeapwireCluster.v")),
    ):
        if path and path.is_file():
            # The comments name the generator's revision.
            text = b"\n".join(line for line in path.read_bytes().splitlines() if not line.startswith(b"//"))
            found[name] = f"{zlib.crc32(text):08x}"
    return found


class Forgetful(LinkError):
    """The machine has lost its schema: it was reset, or another program uses it."""


class Session(Machine):
    """A machine with a group's schema loaded, over a line that may break.

    held: the message in the machine's buffer. ready: whether the machine has the schema."""

    ready = False
    held: bytes | None = None
    schema_crc = 0

    def load(self) -> None:
        self.ready, self.held = False, None
        try:
            super().load()
        except MonitorError as refused:
            if refused.status == Status.BAD_SCHEMA and not self._sent():
                raise Forgetful("the machine was reset while it was given the schema") from refused
            raise HeapwireError(f"the schema of {self.group.name}: {refused}") from refused
        self.schema_crc = self.monitor.checksum(self.layout.schema, self.layout.schema_size)
        self.ready = True

    def _sent(self) -> bool:
        """Returns whether the schema in the machine's buffer is as it was sent."""
        blob = self.compiled.blob
        return self.monitor.checksum(self.monitor.layout().buffer_base, len(blob)) == zlib.crc32(blob)

    def kept(self) -> bool:
        """Checks, after the line was lost, whether the machine still has the schema. Assumes nothing about its
        buffer."""
        self.held = None
        if self.ready:
            self.ready = (
                self.monitor.layout() == self.layout
                and self.monitor.checksum(self.layout.schema, self.layout.schema_size) == self.schema_crc
            )
        return self.ready

    def intact(self) -> None:
        """Raises Forgetful unless the machine has kept the schema since it was loaded."""
        if self.monitor.layout() != self.layout:
            self.ready = False
            raise Forgetful("the machine has been reset, or another program uses it: it has lost the schema")

    def place(self, data: bytes) -> int:
        if self.held != data:
            self.held = None
            super().place(data)
            self.held = data
        return self.layout.buffer_base

    def measure(self, task: Task, row: Row) -> Row:
        """Runs a task and fills its row."""
        kind, expected = self.expected(task.case)
        deserialize, structs = task.operation == "deserialize", task.engine not in OF_ANY_SCHEMA
        flags = RunFlag.SERIALIZE if not deserialize else RunFlag.REENCODE if structs else RunFlag(0)
        run = self.run(task.engine, kind, self.place(task.case.data), len(task.case.data), WARM, COUNTED, flags)
        if deserialize and not structs:
            problem, objects = self.check_objects(run, kind, expected)
        else:
            problem, objects = self.check_encoding(run, expected, task.engine), run.flexible_top - run.flexible_start
        self.intact()
        if deserialize:
            row["object_bytes"] = objects
        return (
            row
            | {
                "cycles": run.cycles,
                "cold_cycles": run.cycles_first,
                "instret": run.instret,
                "read_bytes": run.read_bytes,
                "write_bytes": run.write_bytes,
                "busy_cycles": run.busy_cycles,
                "fallbacks": run.fallbacks,
                "status": run.result,
                "ok": problem is None,
            }
            | ({"problem": problem} if problem else {})
        )


class Bench:
    """The rows of groups, measured over a line.

    limit: bytes of the longest message. suite: name of the rows and files. folder: folder of the files. missing_unit:
    accepts a machine without units."""

    def __init__(
        self,
        line: Line,
        groups: list[Group],
        interface: Interface,
        suite: str,
        folder: Path,
        resume: bool,
        limit: int,
        say: Callable[[str], None],
        missing_unit: bool = False,
    ) -> None:
        self.line, self.groups, self.interface, self.suite, self.say = line, groups, interface, suite, say
        self.folder = folder
        self.hello, self.build = self._identify(missing_unit)
        self.config = interface.cluster["config"] if self.hello.sizes else WITHOUT_UNITS
        self.port_bytes = interface.cluster["dataWidth"] // 8
        schemas = {group.name: group.compile(interface).schema_id for group in groups}
        self.tasks = {
            group.name: list(tasks_of(group, limit, self.hello, schemas[group.name], interface)) for group in groups
        }
        identity = {
            "machine": asdict(self.hello),
            "build": self.build,
            "groups": {
                group.name: {
                    "schema": schemas[group.name],
                    "messages": zlib.crc32(b"".join(case.data for case in group.cases)),
                }
                for group in groups
            },
            "limit": limit,
        }
        self.by_software = by_software(self.hello, interface)
        if self.by_software:
            say(f"the machine has no unit to {' or '.join(self.by_software)}: only software is measured there")
        self.left_out = {
            group.name: longer for group in groups if (longer := sum(len(case.data) > limit for case in group.cases))
        }
        self.limit = limit
        self.journal = Journal(folder / f"{stem(suite, self.config, self.port_bytes)}.jsonl", identity, resume)
        if self.journal.rows:
            say(f"going on after {len(self.journal.rows)} rows in {self.journal.path}")

    def run(self) -> Measurement:
        """Measures the missing rows and writes the page. Raises HeapwireError if it cannot go on; the rows stay."""
        try:
            for group in self.groups:
                missing = [task for task in self.tasks[group.name] if task.key not in self.journal.rows]
                if missing:
                    self._group(group, missing)
        except HeapwireError as error:
            raise HeapwireError(
                f"{error}. {len(self.journal.rows)} of {len(self._keys())} rows are in {self.journal.path}: "
                "the same command goes on there with --resume"
            ) from error
        finally:
            self.journal.close()
        rows = [self.journal.rows[key] for key in self._keys() if key in self.journal.rows]
        if not rows:
            raise HeapwireError("the machine has no engine for any of these messages")
        left_out = [key for key in self._keys() if key not in self.journal.rows]
        return write_page(self.journal.path, rows, left_out, self._method(rows))

    def _method(self, rows: list[Row]) -> str:
        """Describes the measurement, for the page."""
        engines = ", ".join(dict.fromkeys(str(row["engine"]) for row in rows))
        longer = "; ".join(f"{count} of {name}" for name, count in self.left_out.items())
        units = (
            f"The machine has no unit to {' or '.join(self.by_software)}: only software does that. "
            if self.by_software
            else ""
        )
        return (
            f"Groups {', '.join(group.name for group in self.groups)} with the engines {engines}, over a UART, on a "
            f"{'simulation' if self.hello.simulated else 'board'} of {self.hello.clock_hz:,} Hz. Cycles are the fewest "
            f"of {COUNTED} runs after "
            f"{WARM} warm ones, in one link layout: software may be up to 1.5 times off its best. {units}"
            f"Messages of more than {self.limit:,} bytes (`--limit`) are left "
            f"out{f': {longer}' if longer else '; there are none'}."
        )

    def _keys(self) -> list[Key]:
        return [task.key for group in self.groups for task in self.tasks[group.name]]

    def _group(self, group: Group, missing: list[Task]) -> None:
        session: Session | None = None
        connected, failures, since = False, 0, time.monotonic()
        while missing:
            try:
                if session is None or not connected:
                    session, connected = self._session(group, session), True
                self._take(session, missing[0])
                missing.pop(0)
                failures, since = 0, time.monotonic()
            except GivenUp:
                raise
            except LinkError as error:
                failures += 1
                if failures >= TRIES and time.monotonic() - since >= STUCK:
                    raise LinkError(
                        f"{missing[0]}: given up after {failures} attempts, the last one: {error}"
                    ) from error
                self.say(f"{missing[0]}: again, for {error}")
                connected = False
                if not isinstance(error, Forgetful):
                    self.line.broken(error)

    def _session(self, group: Group, session: Session | None) -> Session:
        """Returns a session with the machine behind the line, after checking that it is still the same machine."""
        monitor, hello = self._connect()
        self._same(asdict(self.hello), asdict(hello))
        session = session or Session(monitor, group, self.interface)
        session.monitor = monitor
        if not session.kept():
            self._same(self.build, build(monitor, self.interface))
            session.load()
        return session

    def _identify(self, missing_unit: bool) -> tuple[Hello, dict[str, str]]:
        """Returns the machine at the other end and its build. Raises HeapwireError unless it is the machine to be
        measured."""
        for left in reversed(range(TRIES)):
            monitor, hello = self._connect()
            same_machine(hello, self.interface, missing_unit)
            try:
                return hello, build(monitor, self.interface)
            except LinkError as error:
                if not left:
                    raise
                self.say(f"looking at the firmware: again, for {error}")
                self.line.broken(error)
        raise AssertionError

    def _connect(self) -> tuple[Monitor, Hello]:
        monitor, hello = self.line.connect()
        monitor.run_timeout = SIMULATED_RUN if hello.simulated else BOARD_RUN
        return monitor, hello

    def _same(self, before: dict, now: dict) -> None:
        changed = [
            f"{name} was {value}, is {now.get(name)}" for name, value in before.items() if now.get(name) != value
        ]
        if changed:
            raise HeapwireError(
                "another machine or firmware has answered, whose rows are not mixed with the earlier ones: "
                f"{'; '.join(changed)}"
            )

    def _take(self, session: Session, task: Task) -> None:
        case, operation, engine = task.key
        read = self.journal.rows.get((case, "deserialize", engine), {})
        row: Row = {
            "suite": self.suite,
            "case": case,
            "op": operation,
            "engine": engine,
            "model": "managed" if task.engine in OF_ANY_SCHEMA else task.engine.text.partition("-")[0],
            "wire_bytes": len(task.case.data),
            "object_bytes": read.get("object_bytes", 0),
            "clock_hz": self.hello.clock_hz,
        }
        try:
            row = session.measure(task, row)
        except MonitorError as refused:
            session.intact()  # raises if the machine has lost its schema, in which case it was right to refuse
            row |= {"ok": False, "problem": str(refused)}
        self.journal.append(complete(row | {"revision": revision()}, self.config, self.port_bytes))
        self.say(
            f"{len(self.journal.rows)} of {len(self._keys())}: {task}: {row.get('cycles', 0):,} cycles"
            + ("" if row["ok"] else f"  NOT OK: {row['problem']}")
        )

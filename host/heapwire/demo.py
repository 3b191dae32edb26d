"""The demo: sends real messages through the simulated SoC and back, and checks every field."""

from __future__ import annotations

import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import firmware
from heapwire.client import Engine, Monitor, RunFlag, connect
from heapwire.client.monitor import MonitorError, Run
from heapwire.interface import Interface
from heapwire.machine import SIMULATED_HZ, UART_CYCLES, Machine, simulated_time
from heapwire.simulation import parts as default_parts
from heapwire.workload.case import Case
from heapwire.workload.group import Group
from heapwire.workload.place import load_base
from sim import run as sim

ALIGNMENT = 64
UART_BYTES = 8192
"""Bytes of the longest message sent over the UART. The simulator preloads longer ones."""
TAKEN = "it takes a message that lacks required fields"
PATIENCE = 120
"""Seconds of simulation for one message from which on the demo says so before it begins."""
TURN_CYCLES, TURN_CYCLES_A_BYTE = 50_000_000, 3_000
"""Most cycles that the program may take to answer a request, and more of them for each byte of the longest message."""
SIMULATION_TIMEOUT = 86_400.0
"""Seconds until a request is repeated: longer than a slow simulation takes for these cycles. It loses no frame."""

ENGINES = {Engine.NANOPB: "nanopb", Engine.TABLE: "codec", Engine.HW: "engine"}
"""Columns of the table: nanopb, which firmware uses today and whose structs are another result; our own codec, which
builds the same objects as the engine; the engine."""


@dataclass(frozen=True)
class Outcome:
    """Two rows of the demo's table: a message read, and written again.

    read, written: the runs, by engine. An engine that did not run is missing. written is empty for a refused message.
    problem: a fault of the engine or the codec, or None if every field matches the official library. peer_problem: a
    fault of nanopb, whose cycles then do not count. lacks: the absent required fields. All engines must refuse such a
    message, else that is a problem."""

    case: Case
    read: dict[Engine, Run]
    written: dict[Engine, Run]
    object_bytes: int
    problem: str | None
    peer_problem: str | None = None
    lacks: tuple[str, ...] = ()

    @property
    def runs(self) -> dict[str, dict[Engine, Run]]:
        """The runs that count, by operation."""
        failed = self.peer_problem or self.lacks
        return {
            operation: {engine: run for engine, run in runs.items() if not (failed and engine is Engine.NANOPB)}
            for operation, runs in (("deserialize", self.read), ("serialize", self.written))
        }

    @property
    def fallbacks(self) -> int:
        """Commands that software finished instead of a unit."""
        return sum(runs[Engine.HW].fallbacks for runs in (self.read, self.written) if Engine.HW in runs)


def times(runs: dict[Engine, Run]) -> str:
    """Returns how many times as fast the engine is as the faster of nanopb and the codec, which is named."""
    software = [engine for engine in runs if engine is not Engine.HW]
    if not software or Engine.HW not in runs or not runs[Engine.HW].cycles:
        return "-"
    best = min(software, key=lambda engine: runs[engine].cycles)
    return f"{runs[best].cycles / runs[Engine.HW].cycles:.1f}x {ENGINES[best]}"


@dataclass(frozen=True)
class Placement:
    """Messages that the simulator has preloaded: their addresses by wire bytes."""

    addresses: dict[bytes, int]

    @staticmethod
    def of(group: Group, interface: Interface) -> "Placement":
        """Places the messages that are too long for the UART, behind the first third of the load region.

        The region is three eighths of main memory. The machine's schema areas take at most its last quarter
        (firmware/programs/measure/memory_map.h). Raises HeapwireError for a message that would reach into them."""
        base, eighth = load_base(interface), interface.cluster["memoryBytes"] // 8
        at, limit = base + eighth, base + 3 * eighth * 3 // 4
        addresses = {}
        for case in group.cases:
            if len(case.data) > UART_BYTES and case.data not in addresses:
                if len(case.data) > limit - at:
                    raise HeapwireError(
                        f"{case.name}: {len(case.data):,} bytes do not fit the machine's buffer, which "
                        f"has {max(limit - at, 0):,} left for messages that the simulator preloads"
                    )
                addresses[case.data] = at
                at += -(-len(case.data) // ALIGNMENT) * ALIGNMENT
        return Placement(addresses)


def _image(group: Group, say: Callable[[str], None]) -> Path:
    """Builds the monitor with nanopb's code for the group; without it where nanopb fails, which is only compared."""
    parts = default_parts()
    out = ROOT / "build" / "demo" / parts.name / group.name
    say("generating nanopb code for the schema, building the firmware")
    try:
        if firmware.generate_peers(group.schema, group.roots, out / "peers"):
            return firmware.build("monitor", parts, out, out / "peers")
        why = "nanopb has no groups"
    except firmware.FirmwareError as error:
        why = f"nanopb's code of this schema cannot be built: {_complaint(str(error))}"
    # Where not nanopb is at fault, this fails, too.
    image = firmware.build("monitor", parts, out)
    say(f"{why}. Its column shows -: no software to compare with for this schema")
    return image


def _complaint(text: str) -> str:
    """Returns the line of a long error text that says what is wrong: a compiler's first error, or the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error: " in line), lines[-1])


@contextlib.contextmanager
def simulated(group: Group, placement: Placement, say: Callable[[str], None]) -> Iterator[Monitor]:
    """Yields a monitor on the simulated SoC, with nanopb's code for the group compiled in."""
    image = _image(group, say)
    say("booting the SoC in the simulator")
    loads = [(at, data) for data, at in placement.addresses.items()]
    turn = TURN_CYCLES + TURN_CYCLES_A_BYTE * max(len(case.data) for case in group.cases)
    with sim.Simulation(image, loads=loads, arguments=["--uart-turns", turn]) as simulation:
        monitor = Monitor(connect(f"127.0.0.1:{simulation.port}"), timeout=SIMULATION_TIMEOUT)
        monitor.sequence = 0  # the frames, too, are those of every other simulation
        try:
            yield monitor
            monitor.exit(0)
            monitor.transport.close()
            simulation.end()
        except HeapwireError as error:
            raise _explained(error, simulation, monitor, turn) from error


def _explained(error: HeapwireError, simulation, monitor: Monitor, turn: int) -> HeapwireError:
    """Returns the error or, if the simulation has ended by itself, an error that says how it ended."""
    try:
        simulation.process.wait(timeout=1)
        result = simulation.end()
    except subprocess.TimeoutExpired:
        return error
    except sim.SimulationError as reason:
        return HeapwireError(str(reason))
    heard = monitor.receiver.heard()
    silent = f"the program has not answered a request for {turn:,} cycles"
    how = silent if result.reason == "no-answer" else f"{result.reason}, code {result.code}"
    return HeapwireError(
        f"the simulation ended early: {how}, after {result.cycles:,} cycles" + (f"; it said: {heard}" if heard else "")
    )


class Session(Machine):
    """A machine that runs the demo's messages, with the group's schema loaded.

    missing_unit: whether to accept a machine whose software does the unit's work. Otherwise such a machine raises
    HeapwireError. Other parameters: see Machine."""

    def __init__(
        self,
        monitor: Monitor,
        group: Group,
        interface: Interface,
        progress: Callable[[int], None],
        placement: Placement = Placement({}),
        say: Callable[[str], None] = lambda _: None,
        missing_unit: bool = False,
    ) -> None:
        super().__init__(monitor, group, interface, progress, say)
        self.placement = placement
        self.simulated = bool(self.hello.simulated)
        if not interface.units_for(self.hello.capability, "protobuf_deserialize") and not missing_unit:
            raise HeapwireError("the machine has no unit that reads messages: software would do all the work")
        self.writes = interface.units_for(self.hello.capability, "protobuf_serialize") > 0
        self.load()

    def place(self, data: bytes) -> int:
        """Returns the address of a message that the simulator has preloaded. Writes any other message over the UART
        first."""
        return self.placement.addresses[data] if data in self.placement.addresses else super().place(data)

    def outcome(self, case: Case) -> Outcome:
        """Reads and writes a case with every engine, and checks all results."""
        kind, expected = self.expected(case)
        address, long = self.place(case.data), len(case.data) > UART_BYTES
        lacks = tuple(type(expected).FindInitializationErrors(expected))
        read, written, problems, objects, peer_problem = {}, {}, [], 0, None

        def run(engine: Engine, flags: RunFlag = RunFlag(0)) -> Run:
            # Software takes so long for a long message that what the caches held before makes no difference.
            warm, counted = (1, 1) if long else (2, 3)
            if engine is not Engine.HW:
                warm, counted = (0, 1) if long else (1, 1)
            return self.run(engine, kind, address, len(case.data), warm, counted, flags)

        def judge(what: str, problem: str | None) -> None:
            problems.extend([f"{what}: {problem}"] if problem else [])

        if self.available(Engine.TABLE):
            # What the codec has read is written again. The codec writes what the engine has read, too, which is
            # compared field by field. So a fault of its reader shows even if its writer has the same.
            read[Engine.TABLE] = ran = run(Engine.TABLE, RunFlag(0) if lacks else RunFlag.REENCODE)
            judge("codec", self.wrong_refusal(ran) if lacks else self.check_encoding(ran, expected, Engine.TABLE))
        read[Engine.HW] = ran = run(Engine.HW)
        problem, objects = (self.wrong_refusal(ran), 0) if lacks else self.check_objects(ran, kind, expected)
        judge("hw", problem)
        writers = [] if lacks else [Engine.TABLE] * self.available(Engine.TABLE) + [Engine.HW] * self.writes
        for engine in writers:
            written[engine] = ran = run(engine, RunFlag.SERIALIZE)
            judge(f"{ENGINES[engine]}, written", self.check_encoding(ran, expected, engine))
        if self.available(Engine.NANOPB):
            try:
                read[Engine.NANOPB] = ran = run(Engine.NANOPB)
                if lacks:
                    peer_problem = None if ran.result else TAKEN
                else:
                    # It writes what it has read, so these bytes show both.
                    written[Engine.NANOPB] = ran = run(Engine.NANOPB, RunFlag.SERIALIZE)
                    peer_problem = self.check_encoding(ran, expected, Engine.NANOPB)
            except MonitorError as error:  # the encoded bytes do not fit into an answer
                peer_problem = str(error)
        return Outcome(case, read, written, objects, "; ".join(problems) or None, peer_problem, lacks)

    def wrong_refusal(self, run: Run) -> str | None:
        """Returns the fault of a run whose message lacks required fields, or None."""
        if not run.result:
            return TAKEN
        return None if self.interface.status_name(run.result) == "MISSING_REQUIRED" else self.refusal(run)


def user_group(proto: Path, type_name: str, data: Path, imports: Sequence[Path] = ()) -> Group:
    """Returns a group of one case from the user's files. imports: folders in which imports begin."""
    from heapwire.schema import check_limits, load

    schema = load(proto, imports)
    try:
        content = data.read_bytes()
    except OSError as error:
        raise HeapwireError(f"cannot read {data}: {error.strerror}") from error
    root = schema.root(type_name)
    check_limits([root])
    return Group("user", schema, [Case(data.name, root.full_name, content)])


def patience(case: Case) -> str:
    """Returns a text that says how long a simulation takes for a large message, whose objects are read back over the
    UART, or an empty one. Objects take at least about the bytes of the message, and software takes as long again."""
    cycles = 2 * len(case.data) * UART_CYCLES
    if cycles < PATIENCE * SIMULATED_HZ:
        return ""
    return (
        f"{case.name}: {len(case.data):,} bytes. What is made of them is read back over the simulated UART: at least "
        f"{simulated_time(cycles)}. What to do: wait, or take a smaller message"
    )


def run_demo(session: Session, say: Callable[[str], None]) -> Iterator[Outcome]:
    """Runs every case of a session's group."""
    began = time.monotonic()
    for case in session.group.cases:
        how = "preloaded by the simulator" if case.data in session.placement.addresses else "sent over the UART"
        say(f"{case.name}: {len(case.data):,} bytes, {how}")
        yield session.outcome(case)
        if session.simulated:
            cycles, seconds = session.monitor.counters()["mcycle"], time.monotonic() - began
            say(f"{case.name}: done; {cycles:,} cycles simulated so far, {seconds:,.0f} s since the first message")


def table_of(outcomes: Sequence[Outcome]) -> Table:
    """Returns a table with two lines for each message, read and written: the engine beside software."""
    table = Table(
        title="protobuf messages to heap objects, and back: cycles of a warm run",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    table.add_column("message", overflow="fold", min_width=12, max_width=22)
    for name in ("wire\nbytes", "object\nbytes", "", *ENGINES.values(), "times"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    table.add_column("fields", no_wrap=True)
    for outcome in outcomes:
        case = outcome.case
        first = case.name.removeprefix("demo/"), f"{len(case.data):,}", f"{outcome.object_bytes:,}", "read"
        for line, runs in zip((first, ("", "", "", "written")), outcome.runs.values()):
            cells = {
                engine: f"{run.cycles:,}{'*' * (engine is Engine.HW and run.fallbacks > 0)}"
                for engine, run in runs.items()
            }
            cells |= {Engine.NANOPB: "failed"} if outcome.peer_problem else {}
            fields = Text("WRONG", "red") if outcome.problem else Text("refused" if outcome.lacks else "equal", "green")
            if runs:
                table.add_row(*line, *(cells.get(engine, "-") for engine in ENGINES), times(runs), fields)
    table.caption = "times: over the faster of nanopb and codec\none link layout; make bench takes the minimum of five"
    if any(outcome.fallbacks for outcome in outcomes):
        table.caption += "\n* software finished commands, because the unit could not"
    return table

"""The demo: real messages through the simulated SoC and back, every field checked."""
from __future__ import annotations

import contextlib
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from heapwire import firmware, interface as interface_module
from heapwire.bench.images import load_base
from heapwire.bench.workload import Group
from heapwire.client import Engine, Monitor, RunFlag, connect
from heapwire.client.monitor import MonitorError
from heapwire.client.protocol import Run
from heapwire.demo.messages import Case
from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, Interface
from heapwire.machine import Machine
from heapwire.simulation import module, parts as default_parts

ALIGNMENT = 64
UART_BYTES = 8192
"""Messages up to this size go over the UART; the simulator preloads longer ones."""
TAKEN = "it takes a message that lacks required fields"
SIMULATION_TIMEOUT = 60.0
"""Seconds until a request is repeated: a simulation loses no frame, but may be slow."""


@dataclass(frozen=True)
class Outcome:
    """A row of the demo's table; cycles are None where an engine did not run.

    written: the hardware's run that made wire bytes of the objects; None without a unit for it, or of a message that is refused.
    problem: of the hardware and its twin; None if every field was as the official library says.
    peer_problem: of nanopb, whose cycles then count for nothing.
    lacks: the required fields that are absent. Such a message is to be refused by all: else that is a problem."""

    case: Case
    hardware: Run
    written: Run | None
    software: int | None
    twin: int | None
    object_bytes: int
    problem: str | None
    peer_problem: str | None = None
    lacks: tuple[str, ...] = ()

    @property
    def fallbacks(self) -> int:
        """Commands that software finished in a unit's stead."""
        return self.hardware.fallbacks + (self.written.fallbacks if self.written else 0)

    @property
    def speedup(self) -> float | None:
        """Cycles of nanopb over cycles of the hardware."""
        return self.software / self.hardware.cycles if self.software and self.hardware.cycles else None


@dataclass(frozen=True)
class Placement:
    """Messages that the simulator has preloaded: address by wire bytes."""

    addresses: dict[bytes, int]

    @staticmethod
    def of(group: Group, interface: Interface) -> "Placement":
        """Places the messages that are too long for the UART, behind the first third of the load region.

        The region is three eighths of main memory; the machine's schema areas take at most
        its last quarter (firmware/programs/measure/memory_map.h). Raises HeapwireError for a message
        that would reach into them."""
        base, eighth = load_base(interface), interface.cluster["memoryBytes"] // 8
        at, limit = base + eighth, base + 3 * eighth * 3 // 4
        addresses = {}
        for case in group.cases:
            if len(case.data) > UART_BYTES and case.data not in addresses:
                if len(case.data) > limit - at:
                    raise HeapwireError(f"{case.name}: {len(case.data):,} bytes do not fit the machine's buffer, which "
                                        f"has {max(limit - at, 0):,} left for messages that the simulator preloads")
                addresses[case.data] = at
                at += -(-len(case.data) // ALIGNMENT) * ALIGNMENT
        return Placement(addresses)


@contextlib.contextmanager
def simulated(group: Group, placement: Placement, say: Callable[[str], None]) -> Iterator[Monitor]:
    """A monitor on the simulated SoC, nanopb's code for the group compiled in."""
    parts = default_parts()
    out = REPOSITORY / "build" / "demo" / parts.name / group.name
    say("generating nanopb code for the schema, building the firmware")
    peers = out / "peers"
    made = firmware.generate_peers(group.schema, group.roots, peers)
    if not made:
        say("nanopb has no groups: no software to compare with for this schema")
    image = firmware.build("monitor", parts, out, peers if made else None)
    sim = module()
    say("booting the SoC in the simulator")
    try:
        simulation = sim.Simulation(image, loads=[(at, data) for data, at in placement.addresses.items()])
    except sim.SimulationError as error:
        raise HeapwireError(str(error)) from error
    with simulation:
        monitor = Monitor(connect(f"127.0.0.1:{simulation.port}"), timeout=SIMULATION_TIMEOUT, run_timeout=3600)
        try:
            yield monitor
            monitor.exit(0)
            simulation.end(timeout=SIMULATION_TIMEOUT)
        except HeapwireError as error:
            raise _explained(error, simulation, monitor, sim) from error


def _explained(error: HeapwireError, simulation, monitor: Monitor, sim) -> HeapwireError:
    """The error, or, if the simulation has ended by itself, how it ended."""
    try:
        simulation.process.wait(timeout=1)
        result = simulation.end()
    except subprocess.TimeoutExpired:
        return error
    except sim.SimulationError as reason:
        return HeapwireError(str(reason))
    heard = monitor.receiver.heard()
    return HeapwireError(f"the simulation ended early: {result.reason}, code {result.code}, after {result.cycles:,} cycles"
                         + (f"; it said: {heard}" if heard else ""))


class Session(Machine):
    """A machine that the demo's messages run through, the group's schema in force.

    twin: whether the software twin runs too. missing_unit: whether to go on with a machine whose software does the
    unit's work; else HeapwireError. The rest: see Machine."""

    def __init__(self, monitor: Monitor, group: Group, interface: Interface, progress: Callable[[int], None],
                 placement: Placement = Placement({}), twin: bool = False,
                 say: Callable[[str], None] = lambda _: None, missing_unit: bool = False) -> None:
        super().__init__(monitor, group, interface, progress, say)
        self.placement = placement
        self.simulated = bool(self.hello.simulated)
        if not interface.units_for(self.hello.capability, "protobuf_deserialize") and not missing_unit:
            raise HeapwireError("the machine has no unit that reads messages: software would do all the work")
        self.writes = interface.units_for(self.hello.capability, "protobuf_serialize") > 0
        self.nanopb = self.available(Engine.NANOPB)
        self.object_engines = [Engine.TABLE, Engine.HW] if twin and self.available(Engine.TABLE) else [Engine.HW]
        self.load()

    def place(self, data: bytes) -> int:
        """Address of a message: where the simulator has put it, else written over the UART."""
        return self.placement.addresses[data] if data in self.placement.addresses else super().place(data)

    def outcome(self, case: Case) -> Outcome:
        """Deserializes a case with every engine, lets the hardware write it again, and checks what each one made."""
        kind, expected = self.expected(case)
        address, length = self.place(case.data), len(case.data)
        warm, iterations = (2, 3) if length <= UART_BYTES else (1, 1)
        lacks = tuple(type(expected).FindInitializationErrors(expected))
        problems, runs, objects, written, peer_problem = [], {}, 0, None, None
        for engine in self.object_engines:
            runs[engine] = run = self.run(engine, kind, address, length, warm, iterations)
            problem, objects = (self.wrong_refusal(run), 0) if lacks else self.check_objects(run, kind, expected)
            problems += [f"{engine.name.lower()}: {problem}"] if problem else []
        if self.writes and not lacks:
            written = self.run(Engine.HW, kind, address, length, warm, iterations, RunFlag.SERIALIZE)
            problem = self.check_encoding(written, expected, Engine.HW)
            problems += [f"hw, written: {problem}"] if problem else []
        if self.nanopb:
            try:
                runs[Engine.NANOPB] = run = self.run(Engine.NANOPB, kind, address, length, warm, iterations, RunFlag.REENCODE)
                peer_problem = (None if run.result else TAKEN) if lacks else self.check_encoding(run, expected, Engine.NANOPB)
            except MonitorError as error:  # what it encoded has no room in an answer
                peer_problem = str(error)
        cycles = {engine: run.cycles for engine, run in runs.items()}
        # How long a peer takes to fail, or to refuse, is no figure to compare with.
        return Outcome(case, runs[Engine.HW], written, None if peer_problem or lacks else cycles.get(Engine.NANOPB), cycles.get(Engine.TABLE), objects,
                       "; ".join(problems) or None, peer_problem, lacks)

    def wrong_refusal(self, run: Run) -> str | None:
        """What is wrong with how a run ended whose message lacks required fields."""
        if not run.result:
            return TAKEN
        return None if self.interface.status_name(run.result) == "MISSING_REQUIRED" else self.refusal(run)


def user_group(proto: Path, type_name: str, data: Path) -> Group:
    """A group of one case from files of the user's."""
    from heapwire.schema import load

    schema = load(proto)
    try:
        content = data.read_bytes()
    except OSError as error:
        raise HeapwireError(f"cannot read {data}: {error.strerror}") from error
    name = schema.root(type_name).full_name
    return Group("user", schema, [Case(data.name, name, content)])


def machine_interface() -> Interface:
    """The interface of the machine in use: the file that HEAPWIRE_JSON names, else that of the configuration."""
    return interface_module.load()


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

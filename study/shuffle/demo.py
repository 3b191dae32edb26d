"""Runs shuffle programs on two simulated SoCs, joined by a line in lock-step, or on several behind a switch.

The programs count words, rank pages, find connected components and triangles, answer queries over tables, and broadcast
JSBS's objects; the machines send each other object graphs. Results are compared with a plain computation."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from base.errors import BadInput, HeapwireError
from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from heapwire.workload.place import load_base
from sim import medium as switch
from sim import pair
from study import shuffle
from study.bench import built
from study.records import shuffle as record
from study.records.shuffle import PROGRAM_WORD_COUNT as WORD_COUNT
from study.shuffle import units
from study.shuffle.runs import SILENCE, Listener, Run

USUAL, USUAL_SERIALIZERS = tuple(shuffle.SPARK), ("skyway-sw", "kryo-manual")
"""The programs of a demo that names none, as many as run in a few minutes; its serializers."""
MOST_MACHINES = 5
HEAPS_APART = 16 << 20
"""Bytes between the heaps of two machines in their regions, so that no object has the same address on both. More
machines share the same room."""
MOST_CYCLES = 2_000_000_000
BYTE_CYCLES, MOST_BYTE_CYCLES = 100, 10_000
"""Cycles that a byte takes on the line: a UART at a tenth of the clock, the fastest possible."""
Job = tuple[str, str, int]
"""Program, serializer, scale."""


@dataclass(frozen=True)
class Room:
    """What a machine is given for its jobs. patience: cycles until a request is repeated, as a machine may compute for
    long before it listens. tell: whether it prints a line for each phase."""

    heap: int
    memory: int
    patience: int
    tell: bool
    most_cycles: int

    @staticmethod
    def of(jobs: Sequence[Job]) -> Room:
        """Returns the room for the largest of these jobs."""
        if all(scale <= (SMALL_WORDS if program == WORD_COUNT else SMALL_VERTICES) for program, _, scale in jobs):
            return Room(2 << 20, 8 << 20, 20_000_000, False, MOST_CYCLES)
        return Room(24 << 20, 16 << 20, 1_000_000_000, True, 100 * MOST_CYCLES)


HEAP_ALIGNMENT = 1 << 20
SMALL_WORDS, SMALL_VERTICES = 10_000, 400
"""Sizes up to which the smaller room is enough, by every serializer. By Skyway it holds 15,000 words and not 20,000. Of
vertices it holds 800, of which half is a margin. Orders are never more than SMALL_VERTICES."""


@dataclass(frozen=True)
class Sizes:
    """How many words, vertices of each graph, orders in the tables that are queried, and objects that a machine of JSBS
    sends in a round."""

    words: int = shuffle.WORDS
    vertices: int = shuffle.VERTICES
    orders: int = shuffle.ORDERS
    objects: int = shuffle.OBJECTS

    def of(self, program: str) -> int:
        """Returns the scale of a program."""
        if program in shuffle.QUERIES:
            return self.orders
        return {WORD_COUNT: self.words, shuffle.JSBS: self.objects}.get(program, self.vertices)


@dataclass(frozen=True)
class Medium:
    """What joins the machines: their number, and the cycles that a byte takes on a line."""

    machines: int = 2
    byte_cycles: int = BYTE_CYCLES


def check(
    chosen: Sequence[str],
    sizes: Sizes = Sizes(),
    programs: Sequence[str] = USUAL,
    medium: Medium = Medium(),
    host: bool = False,
) -> None:
    """Raises BadInput if a serializer or a program does not exist, or if a number is out of range."""
    for kind, names, known in (("serializer", chosen, shuffle.SERIALIZERS), ("program", programs, shuffle.ALL)):
        if unknown := [name for name in names if name not in known]:
            raise BadInput(f"no {kind} {', '.join(unknown)}; there are {', '.join(known)}")
    for what, count, least, most in (
        ("words", sizes.words, 1, shuffle.MOST_WORDS),
        ("vertices", sizes.vertices, 1, shuffle.MOST_VERTICES),
        ("orders", sizes.orders, 1, shuffle.MOST_ORDERS),
        ("objects", sizes.objects, 1, shuffle.MOST_OBJECTS),
        ("cycles a byte", medium.byte_cycles, 1, MOST_BYTE_CYCLES),
        ("machines", medium.machines, 2, MOST_MACHINES),
    ):
        if not least <= count <= most:
            raise BadInput(f"{count} {what}: {least} to {most}")
    if host and medium.machines != 2:
        raise BadInput(f"{medium.machines} machines: with a process of this host there are two")


def _loads(
    worker: int, machines: int, jobs: Sequence[Job], room: Room, interface: Interface
) -> list[tuple[int, bytes]]:
    """Returns the parameters that study/firmware/programs/skyway/main.c reads."""
    region = interface.cluster["memoryBytes"] // 4
    apart = min(HEAPS_APART, (region - room.heap) // (machines - 1) & -HEAP_ALIGNMENT)
    given = record.Parameters(
        worker, machines, worker * max(apart, 0), room.heap, room.memory, room.patience, room.tell, len(jobs)
    )
    packed = (record.Job(program.encode(), serializer.encode(), scale) for program, serializer, scale in jobs)
    return [(load_base(interface), b"".join(each.pack() for each in (given, *packed)))]


def _line(medium: Medium):
    """Returns what joins the machines: pair.Line, or medium.Medium, a switch."""
    if medium.machines == 2:
        return pair.Line(medium.byte_cycles)
    return switch.Medium(medium.machines, medium.byte_cycles)


def _machines(
    stack: ExitStack, line, image: Path, worker: Path | None, jobs: Sequence[Job], interface: Interface, medium: Medium
) -> list:
    """Starts all machines. They end with the stack."""
    room = Room.of(jobs)
    machines = [
        stack.enter_context(
            pair.Running(
                image,
                line.ends[number],
                _loads(number, medium.machines, jobs, room, interface),
                max_cycles=room.most_cycles,
                name=f"machine {number}",
            )
        )
        for number in range(1 if worker else medium.machines)
    ]
    if worker:
        command = [worker, 1, 2, line.path, medium.byte_cycles, room.patience, room.heap, room.memory]
        command += [word for job in jobs for word in job]
        machines.append(stack.enter_context(pair.Program(command, "the host's machine")))
    return machines


def _worker_for_host(parts: Parts) -> Path:
    out = ROOT / "build" / "demo" / parts.name / "skyway-host"
    folder = built.STUDY / "firmware" / "programs" / "skyway" / "host"
    return firmware.build_for_host(folder, out, GEN=parts.gen, CLASSES=built.classes()) / "worker"


def run(
    chosen: Sequence[str],
    say: Callable[[str], None],
    sizes: Sizes = Sizes(),
    host: bool = False,
    silence: float = SILENCE,
    programs: Sequence[str] = USUAL,
    medium: Medium = Medium(),
) -> list[Run]:
    """Runs every chosen program with every chosen serializer. host: the second machine is a process of this host.
    silence: seconds without output of any machine after which the run fails. Raises BadInput before anything is
    built. Raises HeapwireError, with the machine's name, if a machine fails. Leaves no process behind."""
    check(chosen, sizes, programs, medium, host)
    parts, interface = default_parts(), interface_module.load()
    listener = Listener(say, 1 if host else medium.machines, silence)
    units.check(chosen, interface.cluster["config"], host)
    jobs = [(program, serializer, sizes.of(program)) for program in programs for serializer in chosen]
    say("building the programs")
    image = built.image("skyway_worker", parts, ROOT / "build" / "demo" / parts.name / "skyway")
    worker = _worker_for_host(parts) if host else None
    say(
        "a simulated SoC and a process of this host, one line"
        if host
        else "two simulated SoCs, two processes, one line"
        if medium.machines == 2
        else f"{medium.machines} simulated SoCs behind a switch"
    )
    with ExitStack() as stack:
        line = stack.enter_context(_line(medium))

        def watch(machines) -> None:
            line.check()
            listener.hear(machines)

        machines = _machines(stack, line, image, worker, jobs, interface, medium)
        ended = pair.wait_for(machines, watch)
        listener.hear(machines)
    for machine, result in zip(machines, ended):
        if result.link.get("lost"):
            raise HeapwireError(f"{machine.name}: {result.link['lost']} bytes were lost on the line")
    if len(listener.done) != len(jobs):
        raise HeapwireError(f"{len(listener.done)} of {len(jobs)} runs were reported")
    return listener.done

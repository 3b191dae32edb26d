"""Runs programs on two simulated SoCs whose second UARTs are joined, in lock-step: the same inputs give the same
cycles.

    first, second = run_pair(("a.elf", "b.elf"), loads=([(0x4200_0000, data)], []))

or on one SoC, joined to a program of the host that speaks the line's tokens (docs/reference/sim.md, "Two machines"):

    with Line() as line, Running("a.elf", line.ends[0]) as machine, Program(["worker", line.path]) as worker:
        result, _ = wait_for((machine, worker))
"""

import os
import signal
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from sim.run import Build, Result, Scratch, SimulationError

BYTE_CYCLES = 100
"""Cycles that a byte takes: a UART at a tenth of the clock, the fastest possible."""
POLL_SECONDS = 0.05
GRACE_SECONDS = 2
"""Seconds that a machine has to end by itself when its failure may have caused the other's. A machine can see the line
close before the process at the other end is gone."""
STOP_SECONDS = 10
"""Seconds between asking a process to end and killing it."""
LAST_LINES = 10
FOLLOWS = 2


class Line:
    """The meeting point of two ends: a Unix socket in a folder of its own. ends: options of the machine that listens,
    and of the one that connects."""

    def __init__(self, byte_cycles=BYTE_CYCLES):
        self.folder = tempfile.TemporaryDirectory(prefix="heapwire-line-")
        self.path = Path(self.folder.name) / "line"
        self.ends = [
            ["--link", f"{verb}:{self.path}", "--link-byte-cycles", byte_cycles] for verb in ("listen", "connect")
        ]

    def check(self):
        """The two ends check each other: nothing is between them (sim.medium.Medium has the same method)."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


class _Process:
    """A process with a name for messages. Its console is a file, because an unread pipe would stop the process. It is a
    context manager that ends the process."""

    def __init__(self, name, command, console, errors):
        self.name, self.console = name, console
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.console.close()

    @property
    def over(self):
        return self.process.poll() is not None

    @property
    def uart(self):
        """The console output so far. Reading does not move the file position, which belongs to the process."""
        return os.pread(self.console.fileno(), os.fstat(self.console.fileno()).st_size, 0)

    def failed(self, how):
        lines = self.uart.decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n  ".join([f"{self.name} {how}" + ("; its last lines:" if lines else ", without a word"), *lines])


class Running(_Process):
    """A simulation that runs by itself. `end` waits for it."""

    def __init__(
        self,
        image,
        end,
        loads=(),
        dumps=(),
        max_cycles=50_000_000,
        config=None,
        data_width=None,
        arguments=(),
        name="the machine",
    ):
        build = Build.of(config, data_width)
        self.scratch = Scratch(loads, dumps)
        console, self.errors = ((self.scratch.path / file).open("w+b") for file in ("uart", "errors"))
        options = [*self.scratch.options, "--max-cycles", max_cycles, *end, *arguments]
        super().__init__(name, build.command(image, self.scratch.loads, options), console, self.errors)

    def __exit__(self, *_):
        super().__exit__()
        self.errors.close()
        self.scratch.folder.cleanup()

    def end(self, timeout=None):
        """Waits at most `timeout` seconds. Returns a Result."""
        self.process.wait(timeout)
        self.errors.seek(0)
        return self.scratch.result(self.process, self.uart, self.errors.read().decode(errors="replace"))

    def outcome(self):
        """Returns, for a finished simulation, its Result or None, and the description of its failure or None."""
        try:
            result = self.end()
        except SimulationError as error:
            return None, self.failed(f"failed: {error}")
        return result, None if result.ok else self.failed(
            f"ended with {result.reason}, code {result.code}, after {result.cycles:,} cycles"
        )


class Program(_Process):
    """A program of the host, with simulated machines at the other ends of its lines."""

    def __init__(self, command, name="the host's program"):
        super().__init__(name, [str(word) for word in command], tempfile.TemporaryFile(), subprocess.STDOUT)

    def outcome(self):
        """Returns the same as for Running. The program takes no simulated time, so that its cycles are 0."""
        code = self.process.returncode
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        return Result("finish", code, 0, 0, self.uart), self.failed(how) if code else None


def wait_for(machines, watch=None):
    """Waits until all machines have ended. Returns their Results. As soon as one has failed it raises SimulationError
    with the machine's name, how it ended and the last lines of its console. If several have failed, the one that failed
    in the earliest cycle counts. `watch` is called several times a second with all machines."""
    going = list(machines)
    while going:
        time.sleep(POLL_SECONDS)
        ended = [machine for machine in going if machine.over]
        if watch:
            watch(machines)
        failures = _failures(ended)
        if failures and failures[0][0] >= FOLLOWS:
            failures = _failures(_with_those_that_come_late(going))
        if failures:
            raise SimulationError(failures[0][-1])
        going = [machine for machine in going if machine not in ended]
    return tuple(machine.outcome()[0] for machine in machines)


def _failures(machines):
    """Returns the failures among finished machines, the first one first. Death by a signal comes first, because no line
    causes that. Simulations follow by their cycles. Ranks from FOLLOWS on may be the fault of the other end: a program
    of the host notices at once that its line is cut, and a simulator without a report has refused what it received."""
    found = []
    for place, machine in enumerate(machines):
        result, problem = machine.outcome()
        if problem and machine.process.returncode < 0:
            found.append((0, 0, place, problem))
        elif problem and isinstance(machine, Program):
            found.append((FOLLOWS, 0, place, problem))
        elif problem:
            found.append((1, result.cycles, place, problem) if result else (FOLLOWS + 1, 0, place, problem))
    return sorted(found)


def _with_those_that_come_late(machines):
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and not all(machine.over for machine in machines):
        time.sleep(POLL_SECONDS)
    return [machine for machine in machines if machine.over]


def run_pair(
    images,
    loads=((), ()),
    dumps=(),
    max_cycles=50_000_000,
    config=None,
    data_width=None,
    byte_cycles=BYTE_CYCLES,
    watch=None,
):
    """Runs `machine 0` and `machine 1` to their ends. Returns their Results, each with `dumps`, or raises
    SimulationError like `wait_for`. When one has failed the other is stopped, because its program does not notice that
    the line is cut."""
    with ExitStack() as stack:
        line = stack.enter_context(Line(byte_cycles))
        machines = [
            stack.enter_context(
                Running(image, end, given, dumps, max_cycles, config, data_width, name=f"machine {number}")
            )
            for number, (image, end, given) in enumerate(zip(images, line.ends, loads))
        ]
        return wait_for(machines, watch)

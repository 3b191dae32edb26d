"""Runs programs on two simulated SoCs that are joined by their second UARTs, in lock-step: same inputs, same cycles.

    first, second = run_pair(("a.elf", "b.elf"), loads=([(0x4200_0000, data)], []))

or on one, joined to a program of the host that speaks the line's tokens (docs/sim.md, "Two machines"):

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
"""Cycles that a byte takes: a UART at a tenth of the clock, the fastest there is."""
POLL_SECONDS = 0.05
GRACE_SECONDS = 2
"""That a machine has to end by itself when the failure of the other may be its fault: that hears of a line that is cut before this one is gone."""
STOP_SECONDS = 10
"""Between asking a process to end and ending it."""
LAST_LINES = 10
FOLLOWS = 2


class Line:
    """The place where two ends meet: a Unix socket in a folder of its own. `ends`: options of the machine that listens, and of one that connects."""

    def __init__(self, byte_cycles=BYTE_CYCLES):
        self.folder = tempfile.TemporaryDirectory(prefix="heapwire-line-")
        self.path = Path(self.folder.name) / "line"
        self.ends = [["--link", f"{verb}:{self.path}", "--link-byte-cycles", byte_cycles] for verb in ("listen", "connect")]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()


class _Process:
    """A process by the name that messages call it. Its console is a file: a pipe that nobody reads would stop it. Use it as a context manager:
    leaving ends it."""

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
        """What it has put on its console so far. The file's position is the process's own, and stays where it is."""
        return os.pread(self.console.fileno(), os.fstat(self.console.fileno()).st_size, 0)

    def failed(self, how):
        lines = self.uart.decode(errors="replace").splitlines()[-LAST_LINES:]
        return "\n  ".join([f"{self.name} {how}" + ("; its last lines:" if lines else ", without a word"), *lines])


class Running(_Process):
    """A simulation that runs by itself; `end` waits for it."""

    def __init__(self, image, end, loads=(), dumps=(), max_cycles=50_000_000, config=None, data_width=None, arguments=(), name="the machine"):
        build = Build.of(config, data_width)
        self.scratch = Scratch(loads)
        console, self.errors = ((self.scratch.path / file).open("w+b") for file in ("uart", "errors"))
        self.dumps = [self.scratch.path / f"dump{index}" for index in range(len(dumps))]
        options = ["--quiet", "--with-parent", "--max-cycles", max_cycles, "--report", self.scratch.report, *end]
        for (address, size), file in zip(dumps, self.dumps):
            options += ["--dump", f"{address:#x}:{size}={file}"]
        super().__init__(name, build.command(image, self.scratch.loads, [*options, *arguments]), console, self.errors)

    def __exit__(self, *_):
        super().__exit__()
        self.errors.close()
        self.scratch.folder.cleanup()

    def end(self, timeout=None):
        """Waits at most `timeout` seconds; a Result."""
        self.process.wait(timeout)
        self.errors.seek(0)
        return self.scratch.result(self.process, self.uart, self.errors.read().decode(errors="replace"), self.dumps)

    def outcome(self):
        """Of one that is over: its Result or None, and None or how it failed."""
        try:
            result = self.end()
        except SimulationError as error:
            return None, self.failed(f"failed: {error}")
        return result, None if result.ok else self.failed(f"ended with {result.reason}, code {result.code}, after {result.cycles:,} cycles")


class Program(_Process):
    """A program of the host, which has simulated machines at the other ends of its lines."""

    def __init__(self, command, name="the host's program"):
        super().__init__(name, [str(word) for word in command], tempfile.TemporaryFile(), subprocess.STDOUT)

    def outcome(self):
        """As of Running. What it computes takes no simulated time: no cycles."""
        code = self.process.returncode
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        return Result("finish", code, 0, 0, self.uart), self.failed(how) if code else None


def wait_for(machines, watch=None):
    """Waits until all of them have ended; their Results. As soon as one has failed: SimulationError, with its name, how it ended and the last lines
    of its console; of several, the one that failed in the earlier cycle. `watch` is called some times a second with all of them."""
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
    """Of those that are over, the first one first. No line ends a process by a signal; of simulations the cycles tell. From FOLLOWS on it may be the
    other end's fault: a program of the host hears at once that its line is cut, and a simulator that tells of no end did not like what it heard."""
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


def run_pair(images, loads=((), ()), dumps=(), max_cycles=50_000_000, config=None, data_width=None, byte_cycles=BYTE_CYCLES, watch=None):
    """Runs `machine 0` and `machine 1` to their ends; their Results, each with `dumps`, or SimulationError, as wait_for has them. When one has
    failed the other is stopped: its program hears nothing of a line that is cut."""
    with ExitStack() as stack:
        line = stack.enter_context(Line(byte_cycles))
        machines = [stack.enter_context(Running(image, end, given, dumps, max_cycles, config, data_width, name=f"machine {number}"))
                    for number, (image, end, given) in enumerate(zip(images, line.ends, loads))]
        return wait_for(machines, watch)

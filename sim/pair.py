"""Runs programs on two simulated SoCs that are joined by their second UARTs, in lock-step: same inputs, same cycles.

    first, second = run_pair(("a.elf", "b.elf"), loads=([(0x4200_0000, data)], []))

or on one, joined to a program of the host that speaks the line's tokens (docs/sim.md, "Two machines"):

    with Line() as line, Running("a.elf", line.ends[0]) as machine:
        ... line.path ...
        result = machine.end()
"""
import subprocess
import tempfile
import time
from pathlib import Path

from sim.run import Build, Scratch

BYTE_CYCLES = 100
"""Cycles that a byte takes: a UART at a tenth of the clock, the fastest there is."""
END_SECONDS = 60
"""That a machine has to end after it was told to."""


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


class Running:
    """A simulation that runs by itself; `end` waits for it. Use it as a context manager: leaving ends it."""

    def __init__(self, image, end, loads=(), dumps=(), max_cycles=50_000_000, config=None, data_width=None, arguments=()):
        build = Build.of(config, data_width)
        self.scratch = Scratch(loads)
        # Files: a pipe that nobody reads would stop it.
        self.output, self.errors = ((self.scratch.path / name).open("w+b") for name in ("uart", "errors"))
        self.dumps = [self.scratch.path / f"dump{index}" for index in range(len(dumps))]
        options = ["--quiet", "--with-parent", "--max-cycles", max_cycles, "--report", self.scratch.report, *end]
        for (address, size), file in zip(dumps, self.dumps):
            options += ["--dump", f"{address:#x}:{size}={file}"]
        self.process = subprocess.Popen(build.command(image, self.scratch.loads, [*options, *arguments]),
                                        stdin=subprocess.DEVNULL, stdout=self.output, stderr=self.errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.output.close()
        self.errors.close()
        self.scratch.folder.cleanup()

    @property
    def uart(self):
        """What it has sent so far."""
        self.output.seek(0)
        return self.output.read()

    def end(self, timeout=None):
        """Waits at most `timeout` seconds; a Result."""
        self.process.wait(timeout)
        self.errors.seek(0)
        return self.scratch.result(self.process, self.uart, self.errors.read().decode(errors="replace"), self.dumps)


def run_pair(images, loads=((), ()), dumps=(), max_cycles=50_000_000, config=None, data_width=None, byte_cycles=BYTE_CYCLES, watch=None):
    """Runs both to their ends; their Results, each with `dumps`; SimulationError as sim.run has it. One that fails does not leave the other alone for long: the line is cut, which its program hears
    nothing of, so it is stopped. `watch` is called some times a second with both, while they run."""
    with Line(byte_cycles) as line:
        machines = []
        try:
            for image, end, given in zip(images, line.ends, loads):
                machines.append(Running(image, end, given, dumps, max_cycles, config, data_width))
            while all(machine.process.poll() is None for machine in machines):
                time.sleep(0.05)
                if watch:
                    watch(machines)
            if any(machine.process.poll() for machine in machines):
                _end_soon(machines)
            return tuple(machine.end() for machine in machines)
        finally:
            for machine in machines:
                machine.__exit__()


def _end_soon(machines):
    for machine in machines:
        try:
            machine.process.wait(END_SECONDS / 10)
        except subprocess.TimeoutExpired:
            machine.process.terminate()

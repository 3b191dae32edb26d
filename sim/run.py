"""Runs programs on the simulated SoC.

    result = run("program.elf", loads=[(0x4200_0000, message)], dumps=[(0x4800_0000, 64)])
    result.check()

    with Simulation("monitor.elf") as simulation:
        link = socket.create_connection(("127.0.0.1", simulation.port))

The simulator must be built (`make sim`). `config` and `data_width` select it. They default to the environment's CONFIG
and DATA_WIDTH, as make sets them; UNIT_CLOCK always comes from the environment. `like`, a simulated board that is like
a real one (`ulx3s`, or `ulx3s+stock` with LiteX's own CPU), overrides all of these; if `config` is not given, so does
LIKE of the environment. NOISE selects memories with noise, ETHERNET the SoC that has LiteEth's MAC.

This is also a command:

    python -m sim.run program.elf [option of heapwire-sim]...
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT


class SimulationError(HeapwireError):
    """The simulator is missing, could not load its inputs, or the run failed."""


@dataclass(frozen=True)
class Build:
    """A built simulator: the places of its parts."""

    config: str
    data_width: int
    trace: bool = False
    unit_clock: int = 1  # divider of the system's clock for the units
    noise: bool = False  # memories give noise where a read meets a write (sim/collisions.py)
    # the real board (sim/like.py), which then decides config, widths and divider; with `+stock`: its StockSoC
    like: str = ""
    ethernet: bool = False

    @staticmethod
    def of(config=None, data_width=None, trace=False, ethernet=None, like=""):
        noise = bool(os.environ.get("NOISE"))
        ethernet = bool(os.environ.get("ETHERNET")) if ethernet is None else ethernet
        if like := like or (not config and os.environ.get("LIKE")):
            return Build("", 0, trace, noise=noise, like=like, ethernet=ethernet)
        config = config or os.environ.get("CONFIG") or "default"
        data_width = int(data_width or os.environ.get("DATA_WIDTH") or 128)
        return Build(config, data_width, trace, int(os.environ.get("UNIT_CLOCK") or 1), noise, ethernet=ethernet)

    @property
    def name(self):
        ethernet = "-eth" * self.ethernet
        if self.like:
            return "like-" + self.like.replace("+", "-") + ethernet
        clock = f"-clock{self.unit_clock}" if self.unit_clock != 1 else ""
        return f"{self.config}-{self.data_width}{clock}{ethernet}"

    @property
    def binary(self):
        kind = "-trace" if self.trace else "-noise" if self.noise else ""
        return ROOT / "build" / "sim" / f"{self.name}{kind}" / "heapwire-sim"

    @property
    def soc(self):
        """Folder of the SoC: ROM images, headers, soc.json."""
        return ROOT / "build" / "soc" / self.name

    def facts(self):
        """Returns soc.json: memory map, CSR addresses, memory settings."""
        return json.loads((self.soc / "soc.json").read_text())

    def command(self, image, loads, arguments):
        if not self.binary.is_file():
            target = "trace" if self.trace else "sim"
            raise SimulationError(
                f"{self.binary} is not built. What to do: make {target} "
                + (f"LIKE={self.like}" if self.like else f"CONFIG={self.config} DATA_WIDTH={self.data_width}")
                + (f" UNIT_CLOCK={self.unit_clock}" if self.unit_clock != 1 else "")
                + " NOISE=1" * self.noise
                + " ETHERNET=1" * self.ethernet
            )
        command = [str(self.binary), "--directory", str(self.soc)]
        if image is not None:
            command += ["--load", str(image)]
        for address, file in loads:
            command += ["--load", f"{address:#x}={file}"]
        return command + [str(argument) for argument in arguments]


@dataclass
class Result:
    """How a simulation ended. `code` is the value that the program wrote to sim_finish."""

    reason: str  # finish, reached, max-cycles, no-answer, model, interrupted
    code: int
    cycles: int
    seconds: float
    uart: bytes
    memory: list = field(default_factory=list)  # a bytes object for each dump
    link: dict = field(default_factory=dict)  # bytes of the second UART, if it has a line: sent, received, lost

    @property
    def ok(self):
        return self.reason == "finish" and self.code == 0

    def check(self):
        """Raises SimulationError unless the program ended with code 0. Returns self."""
        if not self.ok:
            tail = self.uart[-2000:].decode(errors="replace")
            raise SimulationError(
                f"simulation ended with {self.reason}, code {self.code}, {self.cycles} cycles; UART:\n{tail}"
            )
        return self


class Scratch:
    """A temporary folder for a run's blobs, dumps and report. options: those of heapwire-sim for them, which every run
    has."""

    def __init__(self, loads, dumps=()):
        self.folder = tempfile.TemporaryDirectory(prefix="heapwire-sim-")
        self.path = Path(self.folder.name)
        self.loads = []
        for index, (address, content) in enumerate(loads):
            if isinstance(content, (bytes, bytearray, memoryview)):
                file = self.path / f"load{index}"
                file.write_bytes(content)
                content = file
            self.loads.append((address, content))
        self.report = self.path / "report.json"
        self.dumps = [self.path / f"dump{index}" for index in range(len(dumps))]
        self.options = ["--quiet", "--with-parent", "--report", self.report]
        for (address, size), file in zip(dumps, self.dumps):
            self.options += ["--dump", f"{address:#x}:{size}={file}"]

    def result(self, process, uart, errors):
        if not self.report.is_file():
            raise SimulationError(errors.strip() or f"the simulator ended with {process.returncode}")
        report = json.loads(self.report.read_text())
        return Result(
            report["reason"],
            report["code"],
            report["cycles"],
            report["seconds"],
            uart,
            [file.read_bytes() for file in self.dumps],
            report.get("link", {}),
        )


def run(
    image,
    loads=(),
    dumps=(),
    uart_input=b"",
    max_cycles=50_000_000,
    config=None,
    data_width=None,
    arguments=(),
    listen=None,
    trace=False,
    ethernet=None,
    like="",
):
    """Runs `image` (an ELF, or None) to its end. Returns a `Result`.

    `loads`: pairs of address and bytes or file. `dumps`: pairs of address and size, read after the program has ended.
    `uart_input` is offered from the first cycle on, so that a run repeats exactly. A program that has not ended after
    `max_cycles` ends with reason `max-cycles`. `listen` is called with each piece of the UART's output as it comes.
    `trace` selects the simulator that can write waves, `ethernet` that of the SoC with a MAC."""
    build = Build.of(config, data_width, trace, ethernet, like)
    scratch = Scratch(loads, dumps)
    with scratch.folder:
        options = [*scratch.options, "--max-cycles", max_cycles]
        if uart_input:
            (scratch.path / "uart").write_bytes(uart_input)
            options += ["--uart-input", scratch.path / "uart"]
        command = build.command(image, scratch.loads, [*options, *arguments])
        with (scratch.path / "errors").open("w+b") as errors:
            process, uart = _heard(command, errors, listen or (lambda _: None))
            errors.seek(0)
            return scratch.result(process, uart, errors.read().decode(errors="replace"))


def _heard(command, errors, listen):
    """Runs a command to its end. Returns the process and its output, which `listen` gets in pieces. errors: a file."""
    pieces = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors) as process:
        try:
            while piece := process.stdout.read1():
                pieces.append(piece)
                listen(piece)
        except BaseException:
            process.kill()
            raise
    return process, b"".join(pieces)


class Simulation:
    """A simulation that keeps running, with its UART on TCP port `port` of 127.0.0.1.

    It is a context manager that ends the simulation. `end` waits for the program to end by itself, or stops it, and
    returns the `Result`. With `jtag` the SoC's JTAG pins are at `jtag_port`, as OpenOCD's remote_bitbang, and the first
    cycle waits for a client there."""

    def __init__(
        self,
        image,
        loads=(),
        max_cycles=None,
        config=None,
        data_width=None,
        arguments=(),
        jtag=False,
        ethernet=None,
        like="",
    ):
        build = Build.of(config, data_width, ethernet=ethernet, like=like)
        self.scratch = Scratch(loads)
        options = [*self.scratch.options, "--uart-port", 0]
        if jtag:
            options += ["--jtag-port", 0]
        if max_cycles is not None:
            options += ["--max-cycles", max_cycles]
        self.process = subprocess.Popen(
            build.command(image, self.scratch.loads, [*options, *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.port = self._port("uart")
        if jtag:
            self.jtag_port = self._port("jtag")

    def _port(self, name):
        line = self.process.stdout.readline().decode()
        if not line.startswith(f"{name}: tcp port "):
            errors = self.process.communicate()[1].decode(errors="replace")
            self.scratch.folder.cleanup()
            raise SimulationError(errors.strip() or f"the simulator did not open its {name} port")
        return int(line.split()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate()
        self.scratch.folder.cleanup()

    def end(self, stop=False, timeout=None):
        """Waits at most `timeout` seconds, or with `stop` not at all. Returns a Result."""
        if stop and self.process.poll() is None:
            self.process.terminate()
        output, errors = self.process.communicate(timeout=timeout)
        return self.scratch.result(self.process, output, errors.decode(errors="replace"))


def command_line(words, terminal=False):
    """Returns the command for an image and options of heapwire-sim.

    At a `terminal`, typed characters go to the UART, unless an option connects the UART to something else."""
    image, *options = words
    if terminal and not any(option.startswith("--uart-") for option in options):
        options += ["--uart-stdin"]
    return Build.of().command(image, [], options)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m sim.run IMAGE [option of heapwire-sim]...")
    try:
        command = command_line(sys.argv[1:], sys.stdin.isatty())
    except SimulationError as error:
        sys.exit(str(error))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()

"""Builds a program for the simulated SoC, runs it, and says how it ended."""

from __future__ import annotations

import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Sequence

from base.repository import ROOT
from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.program.generate import compilable, generate
from heapwire.program.program import Program, ProgramError
from heapwire.program.trap import explain
from heapwire.simulation import Parts
from heapwire.simulation import parts as default_parts
from sim import pair, tap
from sim import run as sim

TRAPPED = 113
"""The exit code of a program that trapped or called abort: EXIT_TRAP of firmware/platform/finish.h."""
LARGEST = 123
"""The largest exit code of a simulated program (docs/reference/sim.md)."""


@dataclass(frozen=True)
class Ended:
    """How a program ended. result: that of sim.run."""

    elf: Path
    result: Any

    @property
    def code(self) -> int:
        """The program's exit code. It is negative if the program returned a negative number."""
        return self.result.code - (1 << 32 if self.result.code >> 31 else 0)

    @property
    def status(self) -> int:
        """The exit code for a command that stands for the program: 0 only if all is well."""
        if self.result.reason != "finish":
            return 1
        return self.code if 0 <= self.code <= LARGEST else LARGEST

    @property
    def summary(self) -> str:
        """The exit code, the cycles of the SoC and the seconds of the simulation."""
        how = f"exit code {self.code}" if self.result.reason == "finish" else f"no end ({self.result.reason})"
        return f"{self.elf.stem}: {how} after {self.result.cycles:,} cycles, {self.result.seconds:.1f} s of simulation"

    @property
    def problem(self) -> str | None:
        """What is wrong, and what to do. None if the exit code is 0."""
        debug = f"make debug ELF={shlex.quote(str(self.elf))}"
        if self.result.reason == "max-cycles":
            return (
                f"the program has not ended after {self.result.cycles:,} cycles. What to do: if it needs more, "
                f'ARGS="--max-cycles N" gives it more; if it hangs, {debug} shows where'
            )
        if self.result.reason != "finish":
            return f"the simulation ended before the program: {self.result.reason}"
        if self.code == TRAPPED:
            trap = explain(self.elf, self.result.uart)
            how = f"the program trapped: {trap}" if trap else f"the program called abort (exit code {TRAPPED})"
            return f"{how}. What to do: {debug} shows more; a build with DEBUG=1 keeps its variables"
        return f"the program ended with exit code {self.code}" if self.code else None


def build(
    program: Program,
    say: Callable[[str], None],
    warn: Callable[[str], None],
    parts: Parts | None = None,
    machine: int = 0,
    debug: bool = False,
    **variables: str,
) -> Path:
    """Builds a program for a machine of this number and returns its ELF. `warn` gets the compiler's warnings. With
    `debug` program and libraries are compiled so that a debugger shows their variables. variables: of
    firmware/image.mk.

    Raises HeapwireError with the compiler's text if the program does not compile or link."""
    parts = parts or default_parts()
    interface = interface_module.load(parts.gen / "heapwire.json")
    folder = ROOT / "build" / "program" / parts.name
    out = folder / ("out-debug" if debug else "out")
    # The program and its stack have an eighth of main memory (firmware/platform/link.ld).
    room = interface.cluster["memoryBytes"] // 16
    if len(program.data) > room:
        raise ProgramError(f"DATA: {len(program.data):,} bytes; at most {room:,} fit beside a program")
    name = f"{program.name}-{machine}" if machine else program.name
    say(f"building {name} for {parts.name}")
    # All programs of a configuration are built in one folder, so that the firmware is compiled once.
    with firmware.alone_in(folder):
        generated = generate(program, interface, out / "generated" / "program", machine)
        sources = [*compilable(program.sources, out / "named"), *compilable(generated, out / "generated" / "named")]
        if debug:
            variables["OPTIMIZE"] = "-Og"
        elf = firmware.build("program", parts, out, sources=sources, warn=warn, **variables)
        return elf.rename(folder / f"{name}.elf")


def run(elf: Path, max_cycles: int, listen: Callable[[bytes], None], parts: Parts | None = None) -> Ended:
    """Runs a program to its end. `listen` gets what it prints, as it comes.

    Raises ProgramError if the simulator is not built."""
    try:
        return Ended(elf, sim.run(elf, max_cycles=max_cycles, listen=listen, **(parts or default_parts()).choice))
    except sim.SimulationError as error:
        raise ProgramError(str(error)) from error


def run_served(elf: Path, max_cycles: int, client: Sequence[str], parts: Parts | None = None) -> tuple[Ended, int]:
    """Runs a program whose UART is a TCP port, and a client with 127.0.0.1:PORT as its last argument. Stops the program
    when the client ends. Returns how the program ended, and the client's exit code.

    Raises ProgramError if the simulator is not built, or if there is no such client."""
    try:
        with sim.Simulation(elf, max_cycles=max_cycles, **(parts or default_parts()).choice) as simulation:
            code = subprocess.run([*client, f"127.0.0.1:{simulation.port}"]).returncode
            return Ended(elf, simulation.end(stop=True)), code
    except (sim.SimulationError, OSError) as error:
        raise ProgramError(str(error)) from error


def run_networked(elf: Path, max_cycles: int, client: Sequence[str]) -> int:
    """Runs a program of the SoC with a MAC, and a client in the network that they share (sim.tap), until the client
    ends. What the program prints goes to standard error. Returns the client's exit code, 1 if the program ended before.

    Raises ProgramError if this host cannot make such a network, or if the program trapped."""
    if problem := tap.why_not():
        raise ProgramError(f"{problem}. What to do: leave out ETHERNET=1, so that the client is on the UART")
    pieces = []
    with subprocess.Popen(tap.inside(elf, "--max-cycles", max_cycles, "--", *client), stderr=subprocess.PIPE) as both:
        while piece := both.stderr.read1():
            pieces.append(piece)
            print(piece.decode(errors="replace"), end="", file=sys.stderr, flush=True)
    if trap := explain(elf, b"".join(pieces)):
        raise ProgramError(
            f"the program trapped: {trap}. What to do: make debug ELF={shlex.quote(str(elf))} shows more"
        )
    return both.returncode


def run_joined(elfs: Sequence[Path], max_cycles: int, parts: Parts | None = None) -> list[Ended]:
    """Runs two programs to their ends, on two machines whose second UARTs are joined. They have no MAC.

    Raises ProgramError as soon as one of them has ended badly: with the last lines that it printed."""
    try:
        choice = (parts or default_parts()).choice
        machine = {name: choice[name] for name in ("config", "data_width") if name in choice}
        results = pair.run_pair(elfs, max_cycles=max_cycles, **machine)
    except sim.SimulationError as error:
        raise ProgramError(str(error)) from error
    return [Ended(elf, result) for elf, result in zip(elfs, results)]

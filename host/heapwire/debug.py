"""A debugging session: unmodified GDB and OpenOCD at the core, simulated or on a board.

GDB starts OpenOCD as its remote end through a pipe, so that no port can be taken. OpenOCD ends with GDB. The simulated
core is halted from its first instructions on, however long GDB takes to connect."""

from __future__ import annotations

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from base.errors import HeapwireError
from base.repository import ROOT
from sim import run as sim

BOARDS = ROOT / "boards" / "openocd"
LOGS = ROOT / "build" / "debug"
#: Files in BOARDS that are parts of board files, not boards.
PARTS = ("heapwire",)

IR_BITS, DMI_BITS = 5, 41
DMI, DM_CONTROL, WRITE = 0x11, 0x10, 2
ACTIVE, HALT = 1, 1 << 31


def boards() -> list[str]:
    """Returns the boards that have an OpenOCD file."""
    return sorted(file.stem for file in BOARDS.glob("*.cfg") if file.stem not in PARTS)


def openocd(config: Path, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> list[str]:
    """Returns OpenOCD's command line, with GDB at the other end of a pipe. `before` and `after` are commands around
    `config`."""
    LOGS.mkdir(parents=True, exist_ok=True)
    before = (
        "gdb_port pipe",
        "tcl_port disabled",
        "telnet_port disabled",
        f"log_output {{{LOGS / 'openocd.log'}}}",
        *before,
    )
    return ["openocd", *_each("-c", before), "-f", str(config), *_each("-c", after)]


def _each(option: str, values: tuple[str, ...]) -> list[str]:
    return [part for value in values for part in (option, value)]


def gdb(elf: Path | None, remote: list[str], *arguments: str, setting: tuple[str, ...] = ()) -> list[str]:
    """Returns GDB's command line: `elf` for its symbols, `remote` at the other end of its pipe, then `arguments`."""
    # OpenOCD must not receive the terminal's Ctrl-C, which is for GDB.
    setting = (
        "set confirm off",
        "set pagination off",
        "set architecture riscv:rv32",
        "set remotetimeout 60",
        "maintenance set internal-error corefile no",
        *setting,
        f"source {BOARDS / 'heapwire.gdb'}",
        f"target extended-remote | setsid {shlex.join(remote)}",
    )
    return ["gdb-multiarch", "-q", "-nx", *([str(elf)] if elf else []), *_each("-ex", setting), *arguments]


def halting_sequence() -> bytes:
    """Returns the remote_bitbang commands that halt a core: a TAP reset, then two writes of `dmcontrol`."""
    commands: list[str] = []

    def clock(tms: int, tdi: int = 0) -> None:
        commands.extend(str(tck << 2 | tms << 1 | tdi) for tck in (0, 1))

    def scan(path: tuple[int, ...], value: int, bits: int) -> None:
        for tms in path:
            clock(tms)
        for bit in range(bits):
            clock(int(bit == bits - 1), value >> bit & 1)
        for tms in (1, *[0] * 12):
            clock(tms)

    for tms in (1, 1, 1, 1, 1, 0):
        clock(tms)
    scan((1, 1, 0, 0), DMI, IR_BITS)
    for control in (ACTIVE, ACTIVE | HALT):
        scan((1, 0, 0), DM_CONTROL << 34 | control << 2 | WRITE, DMI_BITS)
    return "".join(commands).encode()


def halt_at_start(port: int) -> None:
    """Halts the core of a simulation that waits for its first debugger at `port`."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        link.sendall(halting_sequence() + b"R")
        if link.recv(1) not in (b"0", b"1"):
            raise HeapwireError("the simulator closed its JTAG port")


@contextmanager
def simulated(elf: Path, **options: object) -> Iterator[tuple[object, list[str]]]:
    """Yields a simulation of `elf`, and the command line of a GDB that finds it halted before its first instruction."""
    with sim.Simulation(elf, jtag=True, **options) as running:
        halt_at_start(running.jtag_port)
        pid = LOGS / f"openocd-{running.jtag_port}.pid"
        remote = openocd(
            ROOT / "sim" / "openocd.cfg", (f"set JTAG_PORT {running.jtag_port}",), ("init", "heapwire_reset_init")
        )
        remote = ["sh", "-c", 'echo $$ > "$0"; exec "$@"', str(pid), *remote]
        Thread(target=_end_openocd_after, args=(running.process, pid), daemon=True).start()
        # The simulated memory holds the ELF, so that GDB can take read-only sections from the file and not over JTAG.
        try:
            yield running, gdb(elf, remote, setting=("set trust-readonly-sections on",))
        finally:
            pid.unlink(missing_ok=True)


def _end_openocd_after(simulator: subprocess.Popen, pid: Path) -> None:
    """Ends OpenOCD, and so GDB, when the simulator ends. OpenOCD would keep asking the simulator otherwise."""
    simulator.wait()
    with suppress(OSError, ValueError):
        os.kill(int(pid.read_text()), signal.SIGTERM)


def session(elf: Path, arguments: tuple[str, ...] = (), loads: tuple[tuple[int, Path], ...] = ()) -> int:
    """Debugs `elf` in the simulator, from `main` on, until GDB ends. Says how the program ended, and returns GDB's exit
    code. `loads` are files, by address, that are in memory before the first cycle."""
    with simulated(elf, loads=loads) as (running, command):
        print(f"UART: nc 127.0.0.1 {running.port}; OpenOCD's log: {LOGS / 'openocd.log'}", file=sys.stderr)
        code = _interactive([*command, *(arguments or ("-ex", "tbreak main", "-ex", "continue"))])
        print(_ended(running), file=sys.stderr)
        return code


def _ended(running: object) -> str:
    """Says how a simulation ended, or that it had not ended."""
    try:
        result = running.end(stop=True)
    except sim.SimulationError as error:
        return str(error)
    how = {
        "finish": f"ended with code {result.code}",
        "interrupted": "had not ended",
        "model": "broke a rule of the memory, which ended the simulation",
    }
    return f"The program {how[result.reason]}, after {result.cycles:,} cycles."


def board_session(
    board: str, elf: Path | None, arguments: tuple[str, ...] = (), cable: str | None = None, devices: Path | None = None
) -> int:
    """Debugs a board, halted where it is. Returns GDB's exit code. `cable` selects one of several cables, as for `make
    load`. `devices` replaces the folder in which the kernel lists USB devices."""
    if board not in boards():
        raise HeapwireError(f"no OpenOCD file for board {board!r} in {BOARDS}; there are {', '.join(boards())}")
    config, adapter = BOARDS / f"{board}.cfg", _adapter(board, cable, devices)
    # Probe without GDB first: GDB would hide why OpenOCD found no core.
    probe = subprocess.run(
        [
            "openocd",
            "-c",
            "gdb_port disabled; tcl_port disabled; telnet_port disabled",
            "-c",
            adapter,
            "-f",
            str(config),
            "-c",
            "init; shutdown",
        ],
        capture_output=True,
        text=True,
    )
    if probe.returncode or "examination failed" in probe.stderr:
        raise HeapwireError(
            f"OpenOCD finds no core on board {board}: does its configuration have a debugger (`tiny` has none)?"
            f"\n{probe.stderr.strip()}"
        )
    return _interactive(gdb(elf, openocd(config, (adapter,)), *arguments))


def _adapter(board: str, cable: str | None, devices: Path | None) -> str:
    """Returns OpenOCD's command that selects the cable. Without it OpenOCD would halt the first board that it finds."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    from boards import boards, program

    return program.adapter(program.choose(boards()[board], cable, program.cables(devices or program.USB_DEVICES)))


def _interactive(command: list[str]) -> int:
    """Runs GDB on this terminal and leaves Ctrl-C to it."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.run(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)).returncode
    except FileNotFoundError as error:
        raise HeapwireError(f"{error.filename} is not installed. What to do: make setup") from error
    finally:
        signal.signal(signal.SIGINT, before)

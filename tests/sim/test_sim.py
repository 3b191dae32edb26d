"""The simulated SoC from the outside: boot, images, UART, and ends of a run."""

import random
import socket
import subprocess

import pytest

from sim import trace
from sim.run import Build, Simulation, SimulationError, run
from tests.common import bare
from tests.common.run import symbols

LOADED, WRITTEN, CODE, COUNT = 0x42000000, 0x43000000, 0x44000000, 5000
TURN = 20_000  # cycles


@pytest.fixture(scope="module")
def build():
    return Build.of()


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    return lambda name, *sources: bare.compile(build, folder / f"{name}.elf", *sources)


@pytest.fixture(scope="module")
def echo(program):
    return program("echo", "start.S", "echo.c")


def test_boots_loads_echoes_and_dumps(echo):
    data = random.Random(1).randbytes(COUNT)
    result = run(echo, loads=[(LOADED, data)], dumps=[(WRITTEN, COUNT)], uart_input=b"some words\n")
    assert result.check().uart == b"hello\nsome words\n"
    assert result.memory[0] == bytes(255 - byte for byte in data)


def test_repeats_to_the_cycle(echo):
    assert run(echo, uart_input=b"x\n").cycles == run(echo, uart_input=b"x\n").cycles


@pytest.mark.parametrize("code, exit", [(0, 0), (7, 7), (200, 123)])
def test_exit_code(echo, build, tmp_path, code, exit):
    file = tmp_path / "code"
    file.write_bytes(bytes([code]))
    result = run(echo, loads=[(CODE, file)], uart_input=b"\n")
    assert (result.reason, result.code, result.ok) == ("finish", code, code == 0)
    process = subprocess.run(build.command(echo, [(CODE, file)], ["--uart-stdin"]), input=b"\n", capture_output=True)
    assert process.returncode == exit
    assert b"M cycles/s" in process.stderr


def test_a_program_that_hangs_is_stopped(echo):
    result = run(echo, max_cycles=30_000)
    assert (result.reason, result.cycles, result.ok) == ("max-cycles", 30_000, False)
    with pytest.raises(SimulationError, match="(?s)max-cycles.*hello"):
        run(echo, max_cycles=30_000).check()


def test_a_run_ends_at_a_call(echo):
    """What `make trace` finds before it writes waves."""
    cycle = trace.call(echo, "main", 1, trace=False)
    result = run(echo, arguments=["--until", f"{symbols(echo)['main']:#x}:1"])
    assert (result.reason, result.code, result.cycles) == ("reached", 0, cycle) and cycle > 100
    with pytest.raises(SimulationError, match="main is not called 2 times: the run ended with max-cycles after 40,000"):
        trace.call(echo, "main", 2, ["--max-cycles", 40_000], trace=False)
    with pytest.raises(SimulationError, match="no function mian in .*, which has main. What to do: "):
        trace.call(echo, "mian", 1, trace=False)


def test_a_trap_without_handler_ends_the_run(program):
    result = run(program("trap", "trap.S"), max_cycles=1_000_000)
    assert result.code == 112
    assert b"boot: trap, mcause 00000002 mepc 40000000" in result.uart


def test_uart_over_tcp(echo):
    with Simulation(echo) as simulation:
        with socket.create_connection(("127.0.0.1", simulation.port), timeout=60) as link:
            stream = link.makefile("rwb")
            assert stream.readline() == b"hello\n"
            stream.write(b"over tcp\n")
            stream.flush()
            assert stream.readline() == b"over tcp\n"
        assert simulation.end(timeout=60).ok


def test_a_program_that_does_not_answer_in_its_turn_is_stopped(echo):
    """Its turn begins when the client's ends, and a newline makes it busy for longer than a turn may take."""
    with Simulation(echo, arguments=["--uart-turns", TURN]) as simulation:
        with socket.create_connection(("127.0.0.1", simulation.port), timeout=60) as link:
            stream = link.makefile("rwb")
            for greeting in (b"hello\n", b"", b""):
                stream.write(b"f" * 200 + b"\0")
                stream.flush()
                assert stream.read(len(greeting) + 201) == greeting + b"f" * 200 + b"\0"
            stream.write(b"\n\0")
            stream.flush()
            assert stream.read() == b"\n"
        result = simulation.end(timeout=60)
    assert (result.reason, result.ok) == ("no-answer", False) and 2 * TURN < result.cycles < 4 * TURN


def test_a_program_that_goes_on_without_its_client_is_stopped(echo):
    with Simulation(echo, arguments=["--uart-turns", TURN]) as simulation:
        socket.create_connection(("127.0.0.1", simulation.port), timeout=60).close()
        result = simulation.end(timeout=60)
    assert result.reason == "no-answer" and TURN < result.cycles < TURN + 1000


def test_bytes_sent_before_a_client_comes_are_kept(echo):
    with Simulation(echo) as simulation:
        for text in (b"hello\n", b""):
            with socket.create_connection(("127.0.0.1", simulation.port), timeout=60) as link:
                assert link.makefile("rb").readline() == text if text else True
        assert simulation.end(stop=True, timeout=60).reason == "interrupted"


@pytest.mark.parametrize(
    "loads, message",
    [
        ([(0x10000000, b"x")], "not in main memory"),
        ([(0x4FFFFFFF, b"xx")], "not in main memory"),
        ([(LOADED, "/nonexistent")], "No such file"),
    ],
)
def test_what_cannot_be_loaded_is_refused(echo, loads, message):
    with pytest.raises(SimulationError, match=message):
        run(echo, loads=loads)


def test_a_file_that_is_no_elf_is_refused(build):
    with pytest.raises(SimulationError, match="not an ELF"):
        run(build.soc / "soc.json")


@pytest.mark.parametrize(
    "windows, message",
    [
        (["5"], "expected FIRST:LAST"),
        (["5:4"], "FIRST is after LAST"),
        (["1:5", "5:9"], "not behind"),
        (["1:x"], "not a number"),
        (["1:2"], "for --trace"),
    ],
)
def test_windows_of_waves_that_do_not_follow_each_other_are_refused(echo, windows, message):
    with pytest.raises(SimulationError, match=message):
        run(echo, arguments=[word for window in windows for word in ("--trace-window", window)])


def test_a_simulator_that_is_not_built_says_what_to_do():
    with pytest.raises(SimulationError, match="make sim CONFIG=nosuch"):
        run(None, config="nosuch")

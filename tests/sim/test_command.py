"""`python -m sim.run`: litex_sim's flags, and what the simulator receives for them."""
import subprocess
import sys

import pytest

from sim import run
from sim.run import ROOT, Build


@pytest.fixture(autouse=True)
def simulators(tmp_path, monkeypatch):
    """Makes fake simulators that only report."""
    def binary(build):
        file = tmp_path / f"{build.name}{'-trace' * build.trace}"
        file.write_text('#!/bin/sh\nwhile [ "$1" != --report ]; do shift; done\n'
                        'echo \'{"reason": "finish", "code": 3, "exit": 3, "cycles": 500000, "seconds": 2.0}\' >"$2"\nexit 3\n')
        file.chmod(0o755)
        return file
    monkeypatch.setattr(Build, "binary", property(binary))
    monkeypatch.setattr(Build, "facts", lambda build: {"clockHz": 100_000_000})
    for name in ("CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "LIKE", "STOCK"):
        monkeypatch.delenv(name, raising=False)


def options(*words, **facts):
    return run.command_line(["program.elf", *words], **facts).command[3:]


def test_without_flags_it_is_heapwire_sim():
    assert options("--uart-port", "4000", "--quiet") == ["--load", "program.elf", "--uart-port", "4000", "--quiet"]


@pytest.mark.parametrize("flag", ["--trace", "--trace-fst"])
def test_waves(flag, tmp_path):
    line = run.command_line(["program.elf", flag])
    assert line.command[0].endswith("-trace") and line.waves == ROOT / "build" / "trace" / "soc.fst"
    assert line.command[5:] == ["--trace", str(line.waves), "--trace-start", "0"]
    assert options(flag, "--trace-start", "1e3", "--trace-end", "2000", "--trace-file", str(tmp_path / "x.fst"), "--max-cycles", "9")[2:] == [
        "--max-cycles", "9", "--trace", str(tmp_path / "x.fst"), "--trace-start", "1000", "--trace-end", "2000"]


def test_a_window_without_waves_is_refused(capsys):
    with pytest.raises(SystemExit):
        options("--trace-end", "5")
    assert "--trace-start and --trace-end are for --trace" in capsys.readouterr().err


def test_the_terminal_is_the_uarts_unless_something_else_is():
    assert "--uart-stdin" in options(terminal=True) and "--uart-stdin" not in options()
    assert "--uart-stdin" not in options("--non-interactive", terminal=True)
    assert "--uart-stdin" not in options("--uart-input", "x", terminal=True)


def test_speed_is_told(capsys):
    assert run._run_and_tell(run.command_line(["program.elf", "--sim-speed"])) == 3
    assert capsys.readouterr().err == "sim.run: 0.250 M cycles a second, 400 times slower than 100 MHz\n"


def test_units_at_half_of_the_clock_are_another_simulator(monkeypatch):
    monkeypatch.setenv("UNIT_CLOCK", "2")
    assert Build.of("tiny", 64).name == "tiny-64-clock2"


def test_so_is_a_board_unless_a_configuration_is_named(monkeypatch):
    monkeypatch.setenv("LIKE", "ulx3s")
    assert Build.of().name == "like-ulx3s" and Build.of("tiny", 64).name == "tiny-64"
    monkeypatch.setenv("STOCK", "1")
    assert Build.of().name == "like-ulx3s-stock" and Build.of("tiny", 64).name == "tiny-64"


def test_what_is_not_built_is_told(monkeypatch):
    monkeypatch.setattr(Build, "binary", run.ROOT / "nowhere")
    with pytest.raises(run.SimulationError, match="What to do: make sim CONFIG=tiny DATA_WIDTH=64$"):
        Build.of("tiny", 64).command("program.elf", [], [])
    monkeypatch.setenv("LIKE", "ulx3s")
    with pytest.raises(run.SimulationError, match="What to do: make sim LIKE=ulx3s$"):
        Build.of().command("program.elf", [], [])
    monkeypatch.setenv("STOCK", "1")
    with pytest.raises(run.SimulationError, match="What to do: make sim LIKE=ulx3s STOCK=1$"):
        Build.of().command("program.elf", [], [])


def test_usage():
    done = subprocess.run([sys.executable, "-m", "sim.run", "--trace"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("usage: python -m sim.run IMAGE")

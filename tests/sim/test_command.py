"""`python -m sim.run`: what the simulator receives for its words."""

import pytest

from sim import run
from sim.run import Build
from tests.common.run import python


@pytest.fixture(autouse=True)
def simulators(tmp_path, monkeypatch):
    """Makes files in the place of simulators."""

    def binary(build):
        file = tmp_path / build.name
        file.touch()
        return file

    monkeypatch.setattr(Build, "binary", property(binary))
    for name in ("CONFIG", "DATA_WIDTH", "UNIT_CLOCK", "LIKE", "ETHERNET"):
        monkeypatch.delenv(name, raising=False)


def options(*words, **facts):
    return run.command_line(["program.elf", *words], **facts)[3:]


def test_without_flags_it_is_heapwire_sim():
    assert options("--uart-port", "4000", "--quiet") == ["--load", "program.elf", "--uart-port", "4000", "--quiet"]


def test_the_terminal_is_the_uarts_unless_something_else_is():
    assert "--uart-stdin" in options(terminal=True) and "--uart-stdin" not in options()
    assert "--uart-stdin" not in options("--uart-input", "x", terminal=True)


def test_units_at_half_of_the_clock_are_another_simulator(monkeypatch):
    monkeypatch.setenv("UNIT_CLOCK", "2")
    assert Build.of("tiny", 64).name == "tiny-64-clock2"


def test_so_is_a_board_unless_a_configuration_is_named(monkeypatch):
    monkeypatch.setenv("LIKE", "ulx3s")
    assert Build.of().name == "like-ulx3s" and Build.of("tiny", 64).name == "tiny-64"
    monkeypatch.setenv("LIKE", "ulx3s+stock")
    assert Build.of().name == "like-ulx3s-stock" and Build.of("tiny", 64).name == "tiny-64"


def test_so_is_the_soc_with_a_mac(monkeypatch):
    assert Build.of("tiny", 64, ethernet=True).name == "tiny-64-eth"
    monkeypatch.setenv("ETHERNET", "1")
    assert Build.of("tiny", 64).name == "tiny-64-eth" and Build.of("tiny", 64, ethernet=False).name == "tiny-64"
    monkeypatch.setenv("LIKE", "ulx3s+stock")
    assert Build.of().name == "like-ulx3s-stock-eth"


def test_what_is_not_built_is_told(monkeypatch):
    monkeypatch.setattr(Build, "binary", run.ROOT / "nowhere")
    with pytest.raises(run.SimulationError, match="What to do: make sim CONFIG=tiny DATA_WIDTH=64$"):
        Build.of("tiny", 64).command("program.elf", [], [])
    with pytest.raises(run.SimulationError, match="What to do: make sim CONFIG=tiny DATA_WIDTH=64 ETHERNET=1$"):
        Build.of("tiny", 64, ethernet=True).command("program.elf", [], [])
    monkeypatch.setenv("LIKE", "ulx3s")
    with pytest.raises(run.SimulationError, match="What to do: make sim LIKE=ulx3s$"):
        Build.of().command("program.elf", [], [])
    monkeypatch.setenv("LIKE", "ulx3s+stock")
    with pytest.raises(run.SimulationError, match=r"What to do: make sim LIKE=ulx3s\+stock$"):
        Build.of().command("program.elf", [], [])


def test_usage():
    done = python("sim.run", "--trace")
    assert done.returncode == 1 and done.stderr.startswith("usage: python -m sim.run IMAGE")


@pytest.mark.parametrize("image, missing", [("nosuch.elf", True), ("build/firmware/nosuch.elf", False)])
def test_waves_of_a_program_that_is_not_there(image, missing):
    """Only a program that make builds may be missing before the build."""
    done = python("sim.trace", "--image", image, "--parse-only")
    assert done.returncode == int(missing) and ("nosuch.elf is not there. What to do: " in done.stderr) == missing

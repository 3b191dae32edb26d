"""Skyway by Cereal's units on the simulated SoC against software. Streams and objects are the same, and the units do
all of the work."""

import re

import pytest

from sim.run import Build, run
from tests.soc.program import program

CONFIG = "skyway-x2"
GRAPHS = ("list", "tree", "array", "values", "small")
THROUGH = ("list", "tree", "array")


def numbers(name: str) -> dict[str, int]:
    """Runs a program. Returns the numbers that it prints, by name."""
    if not Build.of(CONFIG).binary.is_file():
        pytest.fail(f"there is no simulator. What to do: make sim CONFIG={CONFIG}")
    result = run(program(name, config=CONFIG), config=CONFIG, max_cycles=400_000_000).check()
    found = {what: int(number) for what, number in re.findall(r"(\w+) (\d+)", result.uart.decode())}
    print(found)
    return found


def test_units_against_software():
    cycles = numbers("skyway_units")
    assert {
        f"{graph}_{way}_{by}" for graph in GRAPHS for way in ("send", "receive") for by in ("sw", "hw")
    } <= cycles.keys()
    assert cycles["copy_fallbacks"] == 0


@pytest.mark.full
def test_roots_larger_than_their_buffer():
    """The unit stops in the first root, and software repeats its work. Four roots of two to four buffers each take
    hardly longer than with software alone (lists take 4 % more)."""
    cycles = numbers("skyway_through")
    for graph in THROUGH:
        assert cycles[f"{graph}_through_hw"] <= 1.05 * cycles[f"{graph}_through_sw"]


@pytest.mark.full
def test_commands_in_flight_of_another_thread():
    assert numbers("skyway_threads") == {"shared": 1000, "commands": 1}

"""Skyway by Cereal's units on the simulated SoC, against software: the same streams, the same objects, and units did all of it."""
import re

import pytest

from sim.run import Build, run
from tests.soc.program import program

CONFIG = "skyway-x2"
GRAPHS = ("list", "tree", "array", "values", "small")
THROUGH = ("list", "tree", "array")


def test_units_against_software():
    if not Build.of(CONFIG).binary.is_file():
        pytest.fail(f"there is no simulator. What to do: make sim CONFIG={CONFIG}")
    result = run(program("skyway_units", config=CONFIG), config=CONFIG, max_cycles=400_000_000).check()
    cycles = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.uart.decode())}
    print(cycles)
    assert {f"{graph}_{way}_{by}" for graph in GRAPHS for way in ("send", "receive") for by in ("sw", "hw")} <= cycles.keys()
    # The unit stops in the first root, and software does again what it did: hardly more than software alone, for four roots of two to four buffers each.
    for graph in THROUGH:
        assert cycles[f"{graph}_through_hw"] <= 1.04 * cycles[f"{graph}_through_sw"]


def test_commands_in_flight_of_another_thread():
    result = run(program("skyway_threads", config=CONFIG), config=CONFIG, max_cycles=20_000_000).check()
    assert dict(line.split() for line in result.uart.decode().splitlines()) == {"shared": "1000", "commands": "1"}

"""Skyway by Cereal's units on the simulated SoC, against software: the same streams, the same objects, and units did all of it."""
import re

import pytest

from sim.run import Build, run
from tests.soc.program import program

CONFIG = "skyway"
GRAPHS = ("list", "tree", "array", "values", "small")


@pytest.mark.full
def test_units_against_software():
    if not Build.of(CONFIG).binary.is_file():
        pytest.fail(f"there is no simulator. What to do: make sim CONFIG={CONFIG}")
    result = run(program("skyway_units", config=CONFIG), config=CONFIG, max_cycles=400_000_000).check()
    cycles = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.uart.decode())}
    print(cycles)
    assert {f"{graph}_{way}_{by}" for graph in GRAPHS for way in ("send", "receive") for by in ("sw", "hw")} <= cycles.keys()

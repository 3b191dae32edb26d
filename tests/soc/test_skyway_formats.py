"""What it costs a sender on the simulated SoC to adjust objects to another format."""

import re

import pytest

from sim.run import run
from tests.soc.program import program

pytestmark = pytest.mark.full


def test_only_streams_for_other_formats_pay():
    result = run(program("skyway_formats"), max_cycles=400_000_000).check()
    cycles = {what: int(number) for what, number in re.findall(r"(\w+) (\d+)", result.uart.decode())}
    print(cycles)
    for graph in ("list", "tree", "array", "values"):
        assert cycles[f"{graph}_own"] < cycles[f"{graph}_wide"] and cycles[f"{graph}_own"] < cycles[f"{graph}_narrow"]
    # Values are copied as they are.
    assert cycles["values_wide"] < 2 * cycles["values_own"]

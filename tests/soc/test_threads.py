"""Threads on the simulated SoC."""
import re

from sim.run import run
from tests.soc.program import program


def test_threads():
    result = run(program("threads"), max_cycles=10_000_000).check()
    switches, preemptions = map(int, re.findall(rb"\d+", result.uart))
    assert switches > preemptions > 1000

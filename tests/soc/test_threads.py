"""Threads on the simulated SoC."""

import re

from sim.run import run
from tests.soc.program import program


def test_threads():
    result = run(program("threads"), max_cycles=10_000_000).check()
    switches, preemptions = map(int, re.findall(rb"\d+", result.uart))
    assert switches > preemptions > 1000


def test_threads_that_are_cut_off_share_a_graph():
    """The graph has 12 nodes and their array. In each of 40 phases every object belongs to one stream and is in the
    table of the other."""
    result = run(program("skyway_preempt"), max_cycles=20_000_000).check()
    found = dict(zip(*[iter(result.uart.decode().split())] * 2))
    assert int(found["shared"]) == 40 * 13 and int(found["cut"]) > 500, found

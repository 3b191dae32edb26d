"""The managed heap against the real unit: adoption, pauses, random steps."""

import itertools
import random
import re
import struct

import pytest

from heapwire import interface as interface_module
from heapwire.schema import compile_proto
from heapwire.workload.case import Case
from heapwire.workload.group import Group, pack
from heapwire.workload.place import load_base
from sim.run import run
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS
from tests.soc.program import program

NAME = "test.Everything"
PROTO = PROTOS / "everything.proto"
MESSAGES, LONGEST = 30, 1300
BUFFER, ARRAY = 0, 1
FULL = pytest.mark.full


@pytest.fixture(scope="module")
def cls():
    return compile_proto(PROTO).message_class(NAME)


def counts(name, messages, *parameters, max_cycles, accessors=False):
    """Returns the counts that a test program prints at its end. accessors: it uses those of the messages."""
    interface = interface_module.load()
    base, half = load_base(interface), interface.cluster["memoryBytes"] // 8 * 3 // 2
    group = Group(
        "everything",
        compile_proto(PROTO),
        [Case(f"case.{i}", NAME, message.SerializeToString()) for i, message in enumerate(messages)],
    )
    loads = [(base, pack(group, interface)), (base + half, struct.pack(f"<{len(parameters)}I", *parameters))]
    result = run(program(name, group.schema if accessors else None), loads=loads, max_cycles=max_cycles).check()
    return {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.uart.decode())}


def random_messages(cls):
    """Returns small messages, some with messages in them. None takes more than a part of the heaps below."""
    messages = []
    for seed in itertools.count():
        message = cls()
        fill(message, random.Random(seed), depth=3 if seed % 15 else 2)
        if message.ByteSize() <= LONGEST:
            messages.append(message)
        if len(messages) == MESSAGES:
            return messages


@pytest.mark.parametrize("way", [BUFFER, ARRAY], ids=["buffer", "array"])
@pytest.mark.parametrize(
    "stress, heap, times, kept",
    [
        pytest.param(0, 64 << 10, 1, 6, id=""),
        pytest.param(1, 40 << 10, 1, 2, id="stress"),
        pytest.param(0, 192 << 10, 10, 32, id="full", marks=FULL),
        pytest.param(1, 64 << 10, 10, 4, id="stress-full", marks=FULL),
    ],
)
def test_the_unit_builds_more_than_the_heap_holds(cls, way, stress, heap, times, kept):
    did = counts(
        "heap_adoption",
        random_messages(cls),
        way,
        stress,
        heap,
        times,
        kept,
        max_cycles=60_000_000 if times == 1 else 4_000_000_000,
        accessors=True,
    )
    assert did["built"] >= times * heap and did["checked"] > did["messages"] // 2
    assert did["equal"] >= did["checked"] and did["differ"] >= did["checked"] // 2
    assert did["young"] and did["full"] and did["reloaded"] and did["restarts"]
    if stress:
        assert did["young"] > did["messages"]


def test_a_message_that_eden_cannot_hold(cls):
    """A field of 298 KB, as the longest of HyperProtoBench. The unit builds it in the large space."""
    large = cls(a_string="s" * 298_000, an_int32=5, child=cls(strings=["a", "b"] * 50), int32s=range(40))
    did = counts("heap_large", [large, cls(a_string="small", int32s=[1, 2])], max_cycles=80_000_000)
    assert did["large_bytes"] > 298_000 and did["full"]


def test_a_collection_waits_for_a_command_in_flight(cls):
    long = cls(a_string="s" * 60_000, an_int32=5)  # takes several times as long as another thread needs to look
    did = counts("heap_pause", [long, *random_messages(cls)[1:9]], max_cycles=60_000_000)
    assert did["events"] == 20 and did["longest_wait"] > 500 and did["waited"] and did["preemptions"]


@pytest.mark.parametrize("way", [BUFFER, ARRAY], ids=["buffer", "array"])
@pytest.mark.parametrize("software_only", [False, pytest.param(True, marks=FULL)], ids=["unit", "software"])
@pytest.mark.parametrize("steps", [100, pytest.param(10_000, marks=FULL)])
def test_random_steps(cls, way, steps, software_only):
    """The steps are those of each of two threads, and the walker runs after every collection: 20,000 steps in `make
    test-full`, 200 in `make test`."""
    limit = 40_000_000 if steps == 100 else 4_000_000_000
    did = counts("heap_steps", random_messages(cls), steps, way, software_only, max_cycles=limit)
    units = interface_module.load().cluster["units"]
    assert bool(did["evacuated"]) == (bool(units["evacuation"]) and not software_only)
    assert did["commands"] > steps // 4 and did["in_flight"] > steps // 10 and did["compared"] > steps // 8
    assert did["young"] > steps // 50 and did["full"] and did["preemptions"] > steps // 2
    assert did["met"] > steps // 100

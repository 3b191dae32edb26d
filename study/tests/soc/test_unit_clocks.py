"""Units whose clocks stop while they sleep behave like units whose clocks never stop."""

import random

import pytest

from heapwire import interface as interface_module
from heapwire.schema import compile_proto
from heapwire.simulation import parts
from heapwire.workload.case import Case
from heapwire.workload.group import Group, pack
from heapwire.workload.place import load_base
from sim.run import ROOT, Build, run
from study.bench import built
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS

NAME = "test.Everything"


def protobuf_workload():
    """Returns every kind of field, for the engine and the codec."""
    schema = compile_proto(PROTOS / "everything.proto")
    messages = []
    for seed in range(3):
        message = schema.message_class(NAME)()
        fill(message, random.Random(seed), depth=2)
        messages.append(Case(f"random.{seed}", NAME, message.SerializeToString()))
    interface = interface_module.load()
    return [(load_base(interface), pack(Group("everything", schema, messages), interface))]


RUNS = pytest.mark.parametrize(
    "program, loads, cycles", [("memory", list, 700_000), ("protobuf", protobuf_workload, 3_000_000)]
)


@RUNS
def test_sleep_costs_no_cycle(program, loads, cycles):
    image = built.image(program, parts(), ROOT / "build" / "test" / "study" / Build.of().name / program)
    images = loads()
    asleep, awake = (
        run(image, loads=images, max_cycles=cycles, arguments=arguments) for arguments in ([], ["--all-clocks"])
    )
    assert b'"engine":"hw"' in asleep.uart
    assert (asleep.reason, asleep.code, asleep.cycles) == (awake.reason, awake.code, awake.cycles)
    assert asleep.uart == awake.uart
    assert all(b'"ok":true' in line for line in asleep.uart.splitlines() if b'"engine":"hw"' in line)


@pytest.mark.full
@RUNS
def test_nor_at_half_of_the_clock(program, loads, cycles, monkeypatch):
    """The simulator is that of `make sim firmware UNIT_CLOCK=2`, which `make test-full` builds."""
    monkeypatch.setenv("UNIT_CLOCK", "2")
    test_sleep_costs_no_cycle(program, loads, cycles)

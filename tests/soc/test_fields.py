"""The field instructions on the simulated SoC: messages by generated code against the software codec."""

import random
import re

import pytest

from heapwire import interface as interface_module
from heapwire.measure.messages import data_folder, real_groups
from heapwire.schema import compile_proto
from heapwire.workload.case import Case
from heapwire.workload.group import Group, pack
from heapwire.workload.place import load_base
from sim.run import run
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS
from tests.soc.program import program


def everything() -> Group:
    """Returns every kind of field, in messages of random fields."""
    schema = compile_proto(PROTOS / "everything.proto")
    cls = schema.message_class("test.Everything")
    messages = [
        cls(),
        cls(strings=["", "a", "b" * 100]),
        cls(int32s=range(-3, 300, 7), uint32s=range(200), sint64s=[-1, 1 << 62]),
    ]
    for seed in range(5):
        message = cls()
        fill(message, random.Random(seed), depth=2)
        messages.append(message)
    return Group(
        "everything",
        schema,
        [
            Case(f"case.{i}", "test.Everything", message.SerializeToString(deterministic=True))
            for i, message in enumerate(messages)
        ],
    )


def media() -> Group:
    """Returns JSBS MediaContent, or the demo's messages if the former is not available."""
    folder = data_folder()
    groups = [group for group in (real_groups(folder) if folder else []) if group.name == "jsbs"]
    return groups[0] if groups else demo_group()


def demo_group() -> Group:
    from heapwire.workload.messages import demo_cases

    schema, cases = demo_cases()
    return Group("demo", schema, [case for case in cases if len(case.data) < 5000])


@pytest.mark.parametrize(
    "group", [media, pytest.param(everything, marks=pytest.mark.full)], ids=lambda group: group.__name__
)
def test_messages_field_by_field(group):
    interface = interface_module.load()
    if not interface.cluster["units"]["protobuf_fields"]:
        pytest.skip("a configuration without the instructions")
    cases = group()
    loads = [(load_base(interface), pack(cases, interface))]
    result = run(program("fields", cases.schema), loads=loads, max_cycles=60_000_000)
    print(result.uart.decode())
    did = {
        name: int(number) for name, number in re.findall(r"(\w+) (\d+)", result.check().uart.decode().splitlines()[-1])
    }
    assert did["interrupts"] > 100 and did["broken"] and did["failures"] and did["refused"] > 50
    assert did["fallbacks"] == 0

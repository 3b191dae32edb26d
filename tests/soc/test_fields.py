"""The field instructions on the simulated SoC: messages by generated code against the software codec."""

import os
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
from tests.common.managed import Expected, random_data
from tests.common.random_messages import fill
from tests.common.schemas import random_schemas
from tests.host.conftest import PROTOS
from tests.soc.program import program

SCHEMAS, MESSAGES, LONGEST = 4, 40, 400
"""Random schemas in one image, messages of them, and the bytes of the longest one."""


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


def random_group(seed: int) -> Group:
    """Returns messages of random schemas, as serializers write them (the first is one) and unusual ones."""
    dice = random.Random(seed)
    schema, cases = random_schemas(dice, SCHEMAS), []
    while len(cases) < MESSAGES:
        name, kind = dice.choice(schema.type_names()), dice.choice(("tame", "wild") if cases else ("tame",))
        data = random_data(dice, schema, name, kind, depth=dice.choice([1, 2, 3]))
        expected = Expected(schema, name, data)
        if 0 < len(data) <= LONGEST and expected.complete and expected.comparable:
            cases.append(Case(f"{kind}.{len(cases)}", name, data))
    return Group(f"random{seed}", schema, cases)


def counts(name: str, group: Group) -> dict[str, int]:
    """Runs a program with a group's messages, and returns what it counted."""
    interface = interface_module.load()
    if not interface.cluster["units"]["protobuf_fields"]:
        pytest.skip("a configuration without the instructions")
    loads = [(load_base(interface), pack(group, interface))]
    result = run(program(name, group.schema), loads=loads, max_cycles=60_000_000)
    print(result.uart.decode())
    last = result.check().uart.decode().splitlines()[-1]
    return {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", last)}


@pytest.mark.parametrize(
    "group", [media, pytest.param(everything, marks=pytest.mark.full)], ids=lambda group: group.__name__
)
def test_messages_field_by_field(group):
    did = counts("fields", group())
    assert did["interrupts"] > 100 and did["broken"] and did["failures"] and did["refused"] > 50
    assert did["fallbacks"] == 0


@pytest.mark.parametrize("seed", range(12 if os.environ.get("HEAPWIRE_FULL") else 1))
def test_random_schemas_field_by_field(seed):
    """The codec completes few of the whole messages: those with what the instructions cannot do."""
    did = counts("fields_random", random_group(seed))
    assert did["cases"] == MESSAGES and did["fallbacks"] < MESSAGES and did["refused"] > 50

"""Changes of messages in arenas: what setters make lies there, too. The driver looks after each change whether an arena
refers to the heap."""

import json
import random

import pytest

from heapwire.records.status import DriverStatus
from tests.accessors.script import Builder, encoded, printed, step, word
from tests.accessors.test_accessors import ALLOCATING, CASES, COUNT, EVERYTHING, messages
from tests.accessors.types_source import INSERT, MUTABLE, PUT, SET

OTHER_MEMORY = f"0 {int(DriverStatus.OTHER_MEMORY)}"
TYPE = "test.Everything"


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize("proto, name", CASES)
def test_messages_are_built_in_arenas(driver, proto, name, arguments):
    """From nothing, and out of a message that was read, beside one in the heap. Collections do not touch them."""
    built, dice = driver(proto), random.Random(50)
    kind = built.schema.message_class(name)
    for message in messages(built, name, 4 if arguments else max(COUNT // 4, 10), 51):
        commands = Builder(dice, beside=True).message(message)
        if not message.DESCRIPTOR.fields or commands == word(0):
            continue
        data = message.SerializePartialToString(deterministic=True)
        script = [built.in_arenas(name) if kind().IsInitialized() else built.in_arenas(name, data) + step("X", 0)]
        script += [built.new(message, dice), step("B", 0) + commands, step("C", 1), step("G", 0), step("E", 0, 1)]
        shown = [step("S", 0), step("S", 1), step("V", 0, 1 << 16), step("V", 1, 1 << 16)]
        lines = built.run(*script, *shown, arguments=arguments)[-8:]
        assert lines[:2] == ["1 0", ""]
        assert json.loads(lines[2]) == printed(message)
        assert lines[3].split()[0] == "1" and lines[3].split()[3] == "0"
        assert lines[4] == lines[5] and lines[6] == lines[7]


@pytest.mark.parametrize(
    "command",
    [
        *ALLOCATING,
        word(202, MUTABLE, 0),
        word(39, INSERT, 0, 2) + b"de",
        word(41, INSERT, 0, 0),
        word(100, PUT, 3) + b"new" + word(7),
        word(100, PUT, 200) + b"n" * 200 + word(7),
        word(101, PUT, 7, 0, 0),
    ],
)
def test_full_arenas_leave_the_message_as_it_was(driver, command):
    """With every room from none to enough, of a message that has fields and full lists, and of an empty one."""
    built = driver(EVERYTHING)
    message = built.schema.message_class(TYPE)(
        a_string="x",
        strings=["p"] * 4,
        int32s=[1, 2, 3, 4],
        doubles=[1, 2],
        children=[{}, {}, {}, {}],
        by_name={"a": 1, "b": 2},
        choice_number=7,
    )
    for data in (message.SerializeToString(), b""):
        lines = built.run(built.in_arenas(TYPE, data), step("G", 0), step("H", 0) + command + word(0), step("G", 0))
        assert int(lines[2]) > 0 or command[:4] == word(11)
        assert lines[1] != lines[3]


def test_a_message_refers_to_its_own_memory_alone(driver):
    """Neither the heap to an arena, nor an arena to the heap; and nothing is made for arenas that are not in force."""
    built = driver(EVERYTHING)
    kind = built.schema.message_class(TYPE)
    child = [field.number for field in sorted(kind.DESCRIPTOR.fields, key=lambda field: field.number)].index(11)
    text, number = word(9, SET, 3) + b"abc", word(5, SET, 6, 0)
    lines = built.run(
        built.in_arenas(TYPE),
        built.in_arenas(TYPE, empty=False),
        built.new(kind(), random.Random(1)),
        step("Y", 0, child, 2),
        step("Y", 2, child, 0),
        step("G", 0),
        step("G", 2),
        step("Y", 0, child, 1),
        step("J", 0),
        step("B", 0) + text,
        step("Y", 0, child, 1),
        step("M", 0, 2),
        step("B", 0) + number,
        step("J", 1),
        step("B", 0) + text + word(0),
    )
    assert lines[3:5] == [OTHER_MEMORY] * 2
    assert json.loads(lines[5]) == json.loads(lines[6]) == printed(kind())
    assert lines[7] == "1 0" and lines[9:11] == [OTHER_MEMORY] * 2 and lines[11] == "1 0"
    assert lines[12] == lines[14] == "1 0"


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize("proto, name", CASES)
def test_merges_across_memories(driver, proto, name, arguments):
    """Everything is copied, unknown fields too."""
    built = driver(proto)
    for message, other in zip(messages(built, name, 4, 52), messages(built, name, 4, 53)):
        data, more = (each.SerializePartialToString(deterministic=True) for each in (message, other))
        merged = type(message).FromString(data)
        merged.MergeFrom(other)
        steps = [built.in_arenas(name, data), built.wire(other), step("K", 1, 4) + b"\xfa\x3f\x01a"]
        steps += [step("M", 0, 1), step("M", 1, 0), step("C", 1), step("O", 0), step("E", 0, 6 - 4)]
        lines = built.run(*steps, built.wire(merged), step("K", 3, 4) + b"\xfa\x3f\x01a", step("E", 0, 3))
        assert lines[2:5] == ["1 0"] * 3
        assert lines[7].split()[0] == lines[10].split()[0] == "1"


@pytest.mark.parametrize("count", [8, 40])
def test_a_map_in_the_place_of_another(driver, count):
    """Arenas are emptied, and a map with other keys comes to lie where one was that had been asked."""
    built = driver(EVERYTHING)
    kind = built.schema.message_class(TYPE)
    first, second = (kind(by_name={f"{name}{i:02}": i for i in range(count)}) for name in ("old", "new"))
    steps = [
        built.in_arenas(TYPE, each.SerializeToString()) + step("G", i) * 3 for i, each in enumerate((first, second))
    ]
    lines = built.run(*steps)
    for line, each in ((lines[3], first), (lines[7], second)):
        size, shown = json.loads(line)["100 map"]
        assert size == count and sorted(shown) == sorted([1, key.encode().hex(), i] for key, i in each.by_name.items())


def test_keys_are_put_and_removed_in_arenas(driver):
    built = driver(EVERYTHING)
    item = built.schema.descriptor(TYPE).fields_by_name["by_name"]
    key = item.message_type.fields_by_number[1]
    puts = b"".join(word(100, PUT) + encoded(key, f"key {i % 50}") + word(i) for i in range(120)) + word(0)
    lines = built.run(built.in_arenas(TYPE), step("B", 0) + puts, step("G", 0))
    size, shown = json.loads(lines[2])["100 map"]
    assert size == 50 and {value for _, _, value in shown} == set(range(70, 120))

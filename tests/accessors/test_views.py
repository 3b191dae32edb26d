"""Accessors of messages whose strings stayed in the input, beside messages that have byte strings."""

import json
import random

import pytest

from tests.accessors.script import encoded, printed, step, word
from tests.accessors.test_accessors import CASES, COUNT, EVERYTHING, changes, messages
from tests.accessors.types_source import PUT, REMOVE


@pytest.mark.parametrize("arguments", [(), ("stress",), ("stress", "array")])
@pytest.mark.parametrize("proto, name", CASES)
def test_a_message_of_views_is_like_any_other(driver, proto, name, arguments):
    """Getters, equals, hash codes and the software serializer do not tell them from byte strings, also when objects and
    input move."""
    built = driver(proto)
    for seed, message in enumerate(messages(built, name, max(COUNT // (10 if arguments else 4), 4), 30)):
        made = [built.new(message, random.Random(seed)), built.viewed(message, True), built.viewed(message, False)]
        pairs = [step("E", *pair) for pair in ((0, 1), (1, 0), (1, 2), (2, 0))]
        shown = [step(what, i) for i in (1, 2) for what in "GS"]
        lines = built.run(*made, *pairs, step("C", 1), *shown, arguments=arguments)
        assert lines[:3] == ["1 0"] * 3
        answers = [line.split() for line in lines[3:7]]
        assert {tuple(answer) for answer in answers} == {("1", answers[0][1], answers[0][1], "0")}
        data = message.SerializePartialToString(deterministic=True)
        for shown, written in zip(lines[8::2], lines[9::2], strict=True):
            assert json.loads(shown) == printed(message)
            assert written == f'0 "{data.hex()}"' or written.split()[0] == str(
                built.interface.status["MISSING_REQUIRED"]
            )


@pytest.mark.parametrize("proto, name", CASES)
def test_a_setter_replaces_a_view(driver, proto, name):
    """A field changes, and changes back: then the message has a byte string beside its views."""
    built, dice = driver(proto), random.Random(31)
    for message in messages(built, name, COUNT // 4, 32):
        script = [built.viewed(message, True), built.wire(message)]
        for change, undo in changes(message, dice):
            for commands in (change, undo):
                script += [step("B", 0) + commands + word(0), step("E", 0, 1)]
        lines = built.run(*script, step("G", 0))
        assert [line.split()[0] for line in lines[3:-1:2]] == ["0", "1"] * (len(lines[2:-1]) // 4)
        assert json.loads(lines[-1]) == printed(message)


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize("entries", [3, 40])
def test_keys_of_maps_are_found(driver, entries, arguments):
    """Also with an index, and also the empty key. Put and remove meet views, too."""
    built = driver(EVERYTHING)
    item = built.schema.descriptor("test.Everything").fields_by_name["by_name"]
    key_field = item.message_type.fields_by_number[1]
    names = {f"{'key' * (i % 7)}{i or ''}": i for i in range(entries)}
    message = built.schema.message_class("test.Everything")(by_name=names)

    def key(name):
        return encoded(key_field, name)

    changed = word(100, PUT) + key("key1") + word(99) + word(100, PUT) + key("new") + word(7)
    changed += word(100, REMOVE) + key("keykey2") + word(0)
    script = [built.viewed(message, owned) for owned in (True, False)]
    script += [step("G", 0), step("G", 0), step("B", 0) + changed, step("B", 1) + changed]
    lines = built.run(*script, step("G", 0), step("E", 0, 1), arguments=arguments)
    before, after = (sorted(json.loads(lines[i])["100 map"][1]) for i in (3, 6))

    def shown(names):
        return sorted([1, name.encode().hex(), value] for name, value in names.items())

    assert before == shown(names)
    assert after == shown({name: i for name, i in names.items() if name != "keykey2"} | {"key1": 99, "new": 7})
    assert lines[7].split()[0] == "1"

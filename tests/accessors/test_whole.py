"""Operations on a whole message: serializing, required fields, unknown fields. Also maps by key."""

import json
import random

import pytest

from tests.accessors.script import encoded, step, word
from tests.accessors.test_accessors import CASES, COUNT, EVERYTHING, messages
from tests.accessors.types_source import ADD, MUTABLE_AT, PUT, REMOVE, SET


@pytest.mark.parametrize("proto, name", CASES)
def test_what_is_built_is_serialized_as_the_official_library_does(driver, proto, name):
    """The bytes are the same, even for maps: their entries are added in the library's order."""
    built = driver(proto)
    steps, expected = [], []
    for index, message in enumerate(messages(built, name, COUNT, 12)):
        steps += [built.new(message, random.Random(index)), step("S", index)]
        data = message.SerializePartialToString(deterministic=True)
        expected.append(f'0 "{data.hex()}"')
    assert built.run(*steps)[1::2] == expected


def test_required_fields(driver):
    built = driver("shop/defaults.proto")
    kind = built.schema.message_class("shop.Defaults")
    whole, bare, inside = kind(needed=1), kind(an_int64=1), kind(needed=2, inner=kind())
    lines = built.run(
        *(built.new(message, random.Random(1)) for message in (whole, bare, inside)),
        *(step(what, i) for i in range(3) for what in "GS"),
    )
    answers = [(json.loads(shown)["?init"], written.split()[0]) for shown, written in zip(lines[3::2], lines[4::2])]
    missing = str(built.interface.status["MISSING_REQUIRED"])
    assert answers == [(1, "0"), (0, missing), (0, missing)]


def test_unknown_fields(driver):
    """Unknown fields from the wire are kept. They can be set, serialized again and compared."""
    built = driver(EVERYTHING)
    known, more, other = b"\x28\x05", b"\xf2\x3f\x03abc", b"\xfd\x3f1234"
    kind = built.index("test.Everything")

    def wire(data):
        return step("P", kind, len(data)) + data

    compared, shown = step("E", 0, 2), [step("S", 2), step("G", 2)]
    made = [wire(known + more), wire(more + known), wire(known), step("E", 0, 1), compared]
    added = [step("K", 2, len(more)) + more, compared, *shown, step("K", 2, len(other)) + other, compared]
    lines = built.run(*made, *added, step("K", 0, 0), step("S", 0), arguments=["stress"])
    equal = [lines[i].split()[0] for i in (3, 4, 6, 10)]
    assert equal == ["1", "0", "1", "0"]
    hashes = lines[3].split()[1:3]
    assert hashes[0] == hashes[1]
    assert lines[7] == f'0 "{(known + more).hex()}"' and json.loads(lines[8])["?unknown"] == more.hex()
    assert lines[5] == lines[9] == lines[11] == "1 0" and lines[12] == f'0 "{known.hex()}"'


def test_maps_are_sets_of_the_last_entry_of_each_key(driver):
    """The order of entries does not matter, nor do entries that a later one with the same key replaces. Values and keys
    do."""
    built = driver(EVERYTHING)
    kind = built.index("test.Everything")

    def entry(key, value):
        body = (b"\x0a" + bytes([len(key)]) + key if key is not None else b"") + (
            b"\x10" + bytes([value]) if value is not None else b""
        )
        return b"\xa2\x06" + bytes([len(body)]) + body

    def wire(*entries):
        data = b"".join(entry(*e) for e in entries)
        return step("P", kind, len(data)) + data

    same = [wire((b"a", 1), (b"b", 2)), wire((b"b", 2), (b"a", 1)), wire((b"a", 7), (b"b", 3), (b"a", 1), (b"b", 2))]
    others = [wire((b"a", 1)), wire((b"a", 1), (b"b", 3)), wire((b"a", 1), (b"c", 2))]
    others += [wire((b"a", 1), (b"b", 2), (b"", 0)), wire()]
    count = len(same) + len(others)
    lines = built.run(*same, *others, *(step("E", i, j) for i in range(3) for j in range(count)), step("G", 2))
    pairs = [line.split() for line in lines[count:-1]]
    assert [int(pair[0]) for pair in pairs] == [int(j < 3) for _ in range(3) for j in range(count)]
    assert all(pair[1] == pair[2] for pair in pairs if pair[0] == "1")
    assert json.loads(lines[-1])["100 map"] == [2, [[1, "61", 1], [1, "62", 2]]]
    defaults = built.run(wire((None, None)), wire((b"", 0)), step("E", 0, 1), step("G", 0))
    assert defaults[2].split()[0] == "1" and json.loads(defaults[3])["100 map"] == [1, [[1, "", 0]]]


def test_keys_are_put_and_removed(driver):
    """All entries of a key are removed. Each allocation on the way fails in turn and changes nothing."""
    built = driver(EVERYTHING)
    message = built.schema.message_class("test.Everything")(by_name={"a": 1, "b": 2, "c": 3})
    key = word(1) + b"b"
    lines = built.run(
        built.new(message, random.Random(1)),
        step("B", 0, 100, ADD, 1, SET) + key + word(2, SET, 9, 0, 0),
        step("G", 0),
        step("B", 0, 100, REMOVE) + key + word(0),
        step("G", 0),
        step("F", 0, 100, PUT) + key + word(5, 0),
        step("F", 0, 101, PUT, 7, 0, 5, SET, 1, 0, 0),
        step("G", 0),
    )
    before, after, last = (json.loads(lines[i]) for i in (2, 4, 7))
    assert len(before["100"]) == 4 and before["100 map"][0] == 3 and [1, "62", 9] in before["100 map"][1]
    assert len(after["100"]) == 2 and sorted(entry[1] for entry in after["100 map"][1]) == ["61", "63"]
    assert int(lines[5]) > 0 and int(lines[6]) > 0
    assert [1, "62", 5] in last["100 map"][1] and last["101 map"][0] == 1 and last["101 map"][1][0][2]["5"] == [1, 1]


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize(
    "proto, name, field", [(EVERYTHING, "test.Everything", "by_name"), ("shop/order.proto", "shop.Order", "by_shelf")]
)
def test_long_maps_are_changed_in_every_way(driver, proto, name, field, arguments):
    """Maps long enough for an index beside them. Each change is followed by look-ups of all keys."""
    built, dice = driver(proto), random.Random(7)
    item = built.schema.descriptor(name).fields_by_name[field]
    key_field, value_field = (item.message_type.fields_by_number[number] for number in (1, 2))
    entries, steps, expected = [], [], []

    def encoded_key(key):
        return encoded(key_field, f"key {key}" if field == "by_name" else key)

    def value(number):
        return word(0) if value_field.message_type else word(number)

    def put(key, number):
        last = max((i for i, entry in enumerate(entries) if entry[0] == key), default=None)
        if last is None:
            entries.append([key, number])
        else:
            entries[last][1] = number
        return word(item.number, PUT) + encoded_key(key) + value(number)

    def remove(*_):
        key = dice.choice(entries)[0]
        entries[:] = [entry for entry in entries if entry[0] != key]
        return word(item.number, REMOVE) + encoded_key(key)

    def add(key, number):
        entries.append([key, number])
        return word(item.number, ADD, 1, SET) + encoded_key(key) + word(2, SET) + value(number) + word(0)

    def rekey(key, _):
        index = dice.randrange(len(entries))
        entries[index][0] = key
        return word(item.number, MUTABLE_AT, index, 1, SET) + encoded_key(key) + word(0)

    for number in range(60 if arguments else 200):
        change = dice.choice([put, put, put, add, rekey, remove] if len(entries) > 30 else [put])
        steps += [step("B", 0) + change(dice.randrange(80), number) + word(0), step("G", 0)]
        expected.append(sorted({key: shown for key, shown in entries}.items()))
    empty = built.schema.message_class(name)()
    lines = built.run(built.new(empty, dice), *steps, step("E", 0, 0), arguments=arguments)
    for line, wanted in zip(lines[2:-1:2], expected, strict=True):
        size, shown = json.loads(line)[f"{item.number} map"]
        keys = [int(bytes.fromhex(key)[4:]) if field == "by_name" else key for _, key, _ in shown]
        assert size == len(wanted) and all(there for there, _, _ in shown)
        assert sorted(keys) == [key for key, _ in wanted]
        if field == "by_name":
            assert sorted(zip(keys, (got for _, _, got in shown))) == wanted
    assert lines[-1].split()[0] == "1"

"""Operations on a whole message: reading and writing, copies, text, streams, required fields, unknown fields. Also maps
by key."""

import json
import random

import pytest
from google.protobuf import text_format

from heapwire.records.status import DriverStatus
from heapwire.workload.digest import as_on_the_wire, digest
from tests.accessors.script import encoded, printed, step, word
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


def read(built, name, data):
    return step("R", built.index(name), len(data)) + data


@pytest.mark.parametrize("arguments", [(), ("stress",)])
@pytest.mark.parametrize("proto, name", CASES)
def test_a_program_copies_merges_and_writes(driver, proto, name, arguments):
    """A copy equals the message and shares no change with it. Merging is that of the official library; what was cleared
    is an empty message."""
    built = driver(proto)
    kind = built.schema.message_class(name)
    count = 4 if arguments else max(COUNT // 4, 10)
    for message, other in zip(messages(built, name, count, 13), messages(built, name, count, 14)):
        merged = type(message).FromString(message.SerializePartialToString())
        merged.MergeFrom(other)
        lines = built.run(
            built.wire(message),
            built.wire(other),
            step("O", 0),
            step("E", 0, 2),
            step("M", 2, 1),
            step("V", 2, 1 << 16),
            step("G", 0),
            step("G", 1),
            step("X", 2),
            step("Z", built.index(name)),
            step("G", 2),
            arguments=arguments,
        )
        assert lines[2] == "1 0" and lines[3].split()[0] == "1" and lines[4] == "1 0"
        status, written = lines[5].split()
        if merged.IsInitialized():
            written = kind.FromString(bytes.fromhex(written.strip('"')))
            assert status == "0" and same(written) == same(merged)
        else:
            assert status == str(built.interface.status["MISSING_REQUIRED"])
        assert [json.loads(line) for line in lines[6:8]] == [printed(message), printed(other)]
        assert lines[8] == "1 0" and lines[9] == lines[10]


def same(message):
    return message.SerializePartialToString(deterministic=True)


def test_unknown_fields_are_copied_and_merged(driver):
    built = driver(EVERYTHING)
    one, two = b"\xf2\x3f\x03abc", b"\xfd\x3f1234"
    made = [read(built, "test.Everything", data) for data in (one, two)]
    changes = [step("O", 0), step("M", 2, 1), step("V", 2, 100), step("X", 2), step("V", 2, 100)]
    lines = built.run(*made, *changes, arguments=["stress"])
    assert lines[4] == f'0 "{(one + two).hex()}"' and lines[6] == '0 ""'


@pytest.mark.parametrize("proto, name", CASES)
def test_text_is_what_the_official_library_parses(driver, proto, name):
    built = driver(proto)
    kind = built.schema.message_class(name)
    for message in messages(built, name, COUNT, 15):
        whole = built.run(built.wire(message), step("T", 0, 1 << 20), step("T", 0, 10), step("T", 0, 0))[1:]
        status, length, text = whole[0].split(" ")
        text = bytes.fromhex(text.strip('"'))
        assert status == "0" and int(length) == len(text)
        parsed = text_format.Parse(text.decode(), kind(), allow_unknown_field=False)
        assert str(parsed) == str(message)
        assert whole[1] == f'0 {length} "{text[:9].hex()}"' and whole[2] == f'0 {length} ""'


def test_text_has_a_field_a_line(driver):
    built = driver("shop/order.proto")
    kind = built.schema.message_class("shop.Order")
    order = kind(number=-5, state=1, lines=[{"article": 'a"\n\x01\u00e9', "count": 2}, {}])
    order.by_shelf[3].count = 1
    text = bytes.fromhex(built.run(built.wire(order), step("T", 0, 999))[1].split(" ")[2].strip('"')).decode()
    # The library may write other characters for the same bytes.
    assert text_format.Parse(text, kind()) == order
    assert [line.split(":")[0] for line in text.splitlines()] == [
        line.split(":")[0] for line in text_format.MessageToString(order).splitlines()
    ]


def test_what_cannot_be_read_or_written_is_an_error(driver):
    built = driver(EVERYTHING)
    status = built.interface.status
    lines = built.run(
        read(built, "test.Everything", b"\x28\x05\x28"),
        step("V", 0, 100),
        read(built, "test.Everything", b"\x28\x05\x28\x06"),
        step("V", 1, 1),
        step("V", 1, 2),
        step("U", 1, 2),
        step("U", 1, 3),
        step("M", 1, 0),
        step("X", 0),
    )
    missing = DriverStatus.NULL_MESSAGE.value
    assert lines[0] == f"0 2 {status['TRUNCATED']}" and lines[1] == f'{missing} ""'
    assert lines[2] == "1 0 0" and lines[3] == f'{status["OUTPUT_FULL"]} ""' and lines[4] == '0 "2806"'
    assert lines[5] == f'{status["OUTPUT_FULL"]} ""' and lines[6] == '0 "022806"'
    assert lines[7] == "1 0" and lines[8] == f"0 {missing}"


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_delimited_messages_from_a_stream_that_fills(driver, piece):
    """Messages come in order, whatever the pieces. A malformed one is left out, a bad length ends the stream."""
    built = driver(EVERYTHING)
    name, status = "test.Everything", built.interface.status
    made = [message for message in messages(built, name, 12, 16) if message.ByteSize() < 900][:8]
    wires = [message.SerializePartialToString(deterministic=True) for message in made]

    def prefix(length):
        return bytes([length & 0x7F | 0x80, length >> 7]) if length > 127 else bytes([length])

    def run(data, size=1000):
        (line,) = built.run(step("Q", built.index(name), size, piece, len(data)) + data)
        return line.split()

    stream = b"".join(prefix(len(wire)) + wire for wire in wires)
    on_the_wire = as_on_the_wire(built.schema).message_class(name)
    digests = [f"{digest(on_the_wire.FromString(wire)):08x}" for wire in wires]
    assert run(stream + prefix(500) + bytes(100)) == digests
    assert run(b"\x03\x28\x05\x28" + stream + b"\x00") == [f"{status['TRUNCATED']}@2", *digests, "00000004"]
    bad = f"{status['BAD_LENGTH']}@{len(stream)}"
    for length in (b"\xe7\x07", b"\xff\xff\xff\xff\x1f", b"\x80\x80\x80\x80\x80\x01"):
        assert run(stream + length + bytes(2000)) == [*digests, bad]


def test_messages_are_written_delimited(driver):
    built = driver(EVERYTHING)
    message = built.schema.message_class("test.Everything")(a_string="x" * 200)
    data = message.SerializeToString()
    length = bytes([len(data) & 0x7F | 0x80, len(data) >> 7])
    assert built.run(built.wire(message), step("U", 0, len(data) + 2))[1] == f'0 "{(length + data).hex()}"'


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
@pytest.mark.parametrize("length", [4, 15, 30])
@pytest.mark.parametrize(
    "proto, name, field", [(EVERYTHING, "test.Everything", "by_name"), ("shop/order.proto", "shop.Order", "by_shelf")]
)
def test_maps_are_changed_in_every_way(driver, proto, name, field, length, arguments):
    """Maps with marks of their keys beside them, and maps long enough for an index. Keys have the same ends, or the
    same beginnings. Each change is followed by look-ups of all keys."""
    built, dice = driver(proto), random.Random(7)
    item = built.schema.descriptor(name).fields_by_name[field]
    key_field, value_field = (item.message_type.fields_by_number[number] for number in (1, 2))
    entries, steps, expected = [], [], []

    def encoded_key(key):
        text = f"key {key}" if key % 2 else f"{key:03} is a key"
        return encoded(key_field, text if field == "by_name" else key)

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
        change = dice.choice([put, put, put, add, rekey, remove] if len(entries) > length else [put])
        key = dice.randrange(2 * length + 20)
        times = dice.randrange(1, 3)
        steps += [step("B", 0) + change(key, number) + word(0), *[step("G", 0)] * times]
        expected += [sorted({key: shown for key, shown in entries}.items())] * times
    empty = built.schema.message_class(name)()
    lines = built.run(built.new(empty, dice), *steps, step("E", 0, 0), arguments=arguments)
    for line, wanted in zip([line for line in lines if line.startswith("{")], expected, strict=True):
        size, shown = json.loads(line)[f"{item.number} map"]
        keys = [int(bytes.fromhex(key).strip(b"keyisa ")) if field == "by_name" else key for _, key, _ in shown]
        assert size == len(wanted) and all(there for there, _, _ in shown)
        assert sorted(keys) == [key for key, _ in wanted]
        if field == "by_name":
            assert sorted(zip(keys, (got for _, _, got in shown))) == wanted
    assert lines[-1].split()[0] == "1"

"""The codec against the official library: random schemas with every kind of field, random messages in every
encoding. A failure prints its case, which `HEAPWIRE_CASE=schema:message pytest tests/firmware/test_differential.py`
runs again."""

import os
import random

import pytest
from google.protobuf.message import DecodeError

from heapwire.compare import first_difference
from heapwire.conformance.codec import Codec, Request
from heapwire.graph import GraphError, GraphReader
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.records.codec import Steps
from heapwire.schema import compile_proto, compile_schema
from heapwire.workload.digest import as_on_the_wire
from tests.common.schemas import random_schema
from tests.common.unusual import UnusualWriter
from tests.common.wire import Writer, damage, varint

PER_SCHEMA = 50
SCHEMAS = 12
FULL = 2000
MOST = 20_000
"""Bytes of the longest message. A few random ones are far longer and would take long."""
ONLY = os.environ.get("HEAPWIRE_CASE")


class Case:
    """A schema by its number, and the program with the schema loaded."""

    def __init__(self, seed, programs, interface):
        self.seed = seed
        self.schema = random_schema(random.Random(seed))
        names = [name for name in self.schema.type_names()]
        self.compiled = compile_schema([self.schema.descriptor(name) for name in names], interface)
        self.codec = Codec(programs / "codec", self.compiled, interface)
        self.names = names
        self.on_the_wire = as_on_the_wire(self.schema)

    def is_entry(self, field):
        """Returns whether a field of the library's `on_the_wire` schema is a map."""
        return (
            self.schema.descriptor(field.containing_type.full_name)
            .fields_by_number[field.number]
            .message_type.GetOptions()
            .map_entry
        )

    def messages(self, count, writer=Writer, **options):
        """Yields (type name, bytes) pairs. Those with the same number are the same in every run."""
        for index in range(count):
            dice = random.Random(f"{self.seed} {index} {sorted(options.items())}")
            name = dice.choice(self.names)
            data = writer(dice, **options).message(self.schema.descriptor(name))
            if len(data) <= MOST:
                yield index, name, data

    def where(self, index, name, data):
        return f"HEAPWIRE_CASE={self.seed}:{index} type {name} bytes {data.hex()}\n{self.schema.files.file[0]}"


def seeds(count):
    return [int(ONLY.split(":")[0])] if ONLY else range(count)


def wanted(cases):
    return [case for case in cases if not ONLY or case[0] == int(ONLY.split(":")[1])]


def parsed(schema, name, data):
    """Returns the official library's message, or None if it refuses the bytes."""
    try:
        return schema.message_class(name).FromString(data)
    except DecodeError:
        return None


def is_whole(case, name, data):
    """Returns whether every message has its required fields. This includes map entries that a later one replaces."""
    message = case.on_the_wire.message_class(name).FromString(data)
    give_values(message, case)
    return message.IsInitialized()


def give_values(message, case):
    """Gives an empty value to map entries without a value."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for inner in value if field.is_repeated else [value]:
                if case.is_entry(field) and inner.DESCRIPTOR.fields_by_name["value"].message_type is not None:
                    inner.value.SetInParent()
                give_values(inner, case)


def check_graph(answer, message, index):
    reader = GraphReader(answer.runtime, answer.fixed, answer.flexible)
    return first_difference(reader.read(answer.root, index), message)


def check_wild(case, index, name, data, answer):
    message = parsed(case.schema, name, data)
    if message is None:
        assert answer.status != "OK"
        return
    if not message.IsInitialized():
        assert answer.status == "MISSING_REQUIRED"
        return
    assert (answer.status, answer.offset) == ("OK", 0)
    assert check_graph(answer, message, case.compiled.index(name)) is None
    whole = is_whole(case, name, data)
    assert answer.serialize_status == ("OK" if whole else "MISSING_REQUIRED")
    if not whole:
        return
    again = parsed(case.schema, name, answer.serialized)
    # Compare the bytes, because NaNs are not equal to themselves.
    assert again is not None and again.SerializeToString(deterministic=True) == message.SerializeToString(
        deterministic=True
    )


def check(case, check_one, cases, **request):
    cases = wanted(cases)
    answers = case.codec.run(
        [Request(name, data, flags=Steps.DUMP | Steps.SERIALIZE, **request) for _, name, data in cases]
    )
    for (index, name, data), answer in zip(cases, answers):
        try:
            check_one(case, index, name, data, answer)
        except (AssertionError, GraphError) as error:
            pytest.fail(f"{error}\n{case.where(index, name, data)}")


@pytest.mark.parametrize("full", [False, pytest.param(True, marks=pytest.mark.full)])
def test_wild_messages(programs, interface, full):
    """Anything that the wire format allows gives equal objects, and their serialization reads as the same message. Keys
    and lengths that are too long for the library, also in unknown fields, are refused."""
    for seed in seeds(FULL if full else SCHEMAS):
        case = Case(seed, programs, interface)
        check(case, check_wild, list(case.messages(PER_SCHEMA, wild=True, longest=10 if seed % 4 == 3 else 5)))


def check_relayed(case, index, name, data, answer):
    if answer.status != "FIELD_NUMBER_ZERO":
        check_wild(case, index, name, data, answer)


@pytest.mark.parametrize("full", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_library_reads_what_is_relayed(programs, interface, full):
    """Messages with unusual unknown fields, right and wrong. Both sides accept the same ones, but for the field number
    0 (docs/reference/upb.md). What the codec then writes is the same message to the library."""
    for seed in seeds(FULL if full else SCHEMAS):
        case = Case(seed, programs, interface)
        check(case, check_relayed, list(case.messages(PER_SCHEMA, UnusualWriter, wild=True)))


def check_canonical(case, index, name, data, answer):
    message = parsed(case.schema, name, data)
    assert message is not None and (answer.status, answer.serialize_status) == ("OK", "OK")
    expected = message.SerializeToString(deterministic=True)
    again = parsed(case.schema, name, answer.serialized)
    assert again.SerializeToString(deterministic=True) == expected
    if not any(has_map(case.schema.descriptor(n)) for n in case.names):
        assert answer.serialized == expected


def has_map(descriptor):
    return any(f.message_type is not None and f.message_type.GetOptions().map_entry for f in descriptor.fields)


@pytest.mark.parametrize("full", [False, pytest.param(True, marks=pytest.mark.full)])
def test_what_serializers_write_is_written_again(programs, interface, full):
    """The bytes are the same if the message has no map, which would leave a choice."""
    for seed in seeds(FULL if full else SCHEMAS):
        case = Case(seed, programs, interface)
        check(case, check_canonical, list(case.messages(PER_SCHEMA, wild=False)))


@pytest.mark.parametrize("full", [False, pytest.param(True, marks=pytest.mark.full)])
def test_incomplete_and_broken_messages_fail_as_the_model_does(programs, interface, full):
    """Status and offset agree, for damaged messages, broken UTF-8 and missing required fields."""
    seen = set()
    for seed in seeds(FULL // 4 if full else SCHEMAS):
        case = Case(seed, programs, interface)
        runtime = model_runtime(interface, case.compiled, 0x42000040, 0x40001000)
        size = 1 << 22
        model = Deserializer(
            runtime, Region("fixed", 0x48000000, bytearray(size)), Region("flexible", 0x4C000000, bytearray(size))
        )
        cases = list(case.messages(PER_SCHEMA, wild=True, complete=seed % 3 > 0, broken=True))
        if seed % 2:
            cases = [(index, name, damage(data, random.Random(index))) for index, name, data in cases]

        def check_one(case, index, name, data, answer):
            outcome = model.run(data, case.compiled.index(name))
            assert (answer.status, answer.offset) == (outcome.status, outcome.offset)
            seen.add(answer.status)

        check(case, check_one, cases)
    assert ONLY or {"OK", "TRUNCATED", "BAD_LENGTH", "INVALID_UTF8", "MISSING_REQUIRED", "BAD_GROUP"} <= seen


def test_damaged_objects_end_in_a_status(programs, interface):
    """A few words of the objects are overwritten. The serializer ends within its output, and reads nothing outside its
    bounds (guard words, ASan)."""
    seen = set()
    for seed in seeds(SCHEMAS):
        case = Case(seed, programs, interface)
        cases = [case_of for case_of in case.messages(PER_SCHEMA, wild=False) if case_of[2]]
        requests = [
            Request(name, data, flags=Steps.SERIALIZE | Steps.DAMAGE, fixed=1 << 15, flexible=1 << 15, output=1 << 13)
            for _, name, data in cases
        ]
        seen |= {answer.serialize_status for answer in case.codec.run(requests * 20)}
    assert {"OK", "BAD_OBJECT", "OUTPUT_FULL"} <= seen


def test_outputs_that_just_suffice(programs, interface):
    """Exactly the message's number of bytes is enough; one byte less is not."""
    tried = 0
    for seed in seeds(SCHEMAS):
        case = Case(seed, programs, interface)
        cases = list(case.messages(10, wild=False))
        lengths = [
            len(answer.serialized) for answer in case.codec.run([Request(name, data) for _, name, data in cases])
        ]
        for short in range(3):
            fitting = [(name, data, length) for (_, name, data), length in zip(cases, lengths) if length >= short]
            answers = case.codec.run([Request(name, data, output=length - short) for name, data, length in fitting])
            assert {answer.serialize_status for answer in answers} <= {"OUTPUT_FULL" if short else "OK"}
            tried += len(answers)
    assert tried > 20 * SCHEMAS


def test_depth_counts_what_is_open_within_the_root(programs, interface, everything):
    """The deserializer's limit is lifted to build a message that is too deep for the serializer. Both count in the same
    way."""
    codec = Codec(programs / "codec", compile_schema(everything.descriptor("test.Everything"), interface), interface)
    data = b""
    for _ in range(6):
        data = b"\x5a" + bytes([len(data)]) + data
    answers = [codec.run([Request("test.Everything", data, max_depth=depth)])[0] for depth in (5, 6, 7)]
    assert [answer.status for answer in answers] == ["DEPTH_EXCEEDED", "OK", "OK"]
    assert [answer.serialized for answer in answers] == [None, data, data]


def test_each_of_many_required_fields(programs, interface, tmp_path):
    """Their hasbits are in two words."""
    numbers = range(1, 41)
    fields = " ".join(f"required int32 f{number} = {number};" for number in numbers)
    (tmp_path / "t.proto").write_text(f'syntax = "proto2"; package r; message M {{ {fields} }}')
    schema = compile_proto(tmp_path / "t.proto")
    codec = Codec(programs / "codec", compile_schema([schema.descriptor("r.M")], interface), interface)
    messages = [b"".join(varint(number << 3) + b"\1" for number in numbers if number != left) for left in (0, *numbers)]
    answers = codec.run([Request("r.M", data, flags=Steps.DUMP) for data in messages])
    assert [answer.status for answer in answers] == ["OK"] + ["MISSING_REQUIRED"] * 40


def test_an_entry_that_lacks_a_required_field_is_not_written(programs, interface, tmp_path):
    """It is read, because a later entry of its key replaces it."""
    (tmp_path / "t.proto").write_text(
        'syntax = "proto2"; package r; message V { required int32 x = 1; } message M { map<int32, V> m = 1; }'
    )
    schema = compile_proto(tmp_path / "t.proto")
    codec = Codec(programs / "codec", compile_schema([schema.descriptor("r.M")], interface), interface)
    lacks, replaces = bytes.fromhex("0a0408011200"), bytes.fromhex("0a06080112020805")
    answers = codec.run([Request("r.M", data, flags=Steps.SERIALIZE) for data in (replaces, lacks + replaces)])
    assert [(answer.status, answer.serialize_status) for answer in answers] == [
        ("OK", "OK"),
        ("OK", "MISSING_REQUIRED"),
    ]

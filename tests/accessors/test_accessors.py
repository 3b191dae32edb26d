"""Generated accessors against the official library, on the real heap. Built messages are read back out of memory, and
getters read messages from the wire. Under stress, every allocation moves objects."""

import json
import os
import random
from pathlib import Path

import pytest
from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire import interface as interface_module
from heapwire.compare import first_difference
from heapwire.graph import GraphReader
from heapwire.heap import Region, Runtime
from heapwire.measure.fields import field_heavy_group
from heapwire.measure.messages import data_folder, demo_group, real_groups
from heapwire.plugin.names import is_map
from heapwire.records.status import DriverStatus
from heapwire.schema import compile_proto, compile_schema
from tests.accessors.driver import Driver
from tests.accessors.script import ADD, CLEAR, MUTABLE, SET, Builder, encoded, printed, step, word
from tests.accessors.types_source import MUTABLE_AT, SET_AT
from tests.common.random_messages import fill

PROTOS = Path(__file__).parent / "protos"
EVERYTHING = "../../host/protos/everything.proto"
CASES = [
    (EVERYTHING, "test.Everything"),
    (EVERYTHING, "test.WithGroup"),
    (EVERYTHING, "test.Newer"),
    (EVERYTHING, "test.Nothing"),
    ("shop/order.proto", "shop.Order"),
    ("shop/defaults.proto", "shop.Defaults"),
    ("keywords.proto", "int"),
    ("keywords.proto", "X"),
    ("keywords.proto", "hw_handle"),
    ("keywords.proto", "malloc"),
]
COUNT = 1000 if os.environ.get("HEAPWIRE_FULL") else 40
OUT_OF_BOUNDS, NULL_MESSAGE, WRONG_TYPE, NO_TYPE = (
    f"0 {int(DriverStatus[name])}" for name in ("NO_ELEMENT", "NULL_MESSAGE", "WRONG_TYPE", "NO_TYPE")
)
TOO_DEEP = interface_module.load().status["DEPTH_EXCEEDED"]


def messages(driver, name, count, seed):
    dice = random.Random(seed)
    for _ in range(count):
        message = driver.schema.message_class(name)()
        fill(message, dice)
        yield message


@pytest.mark.parametrize("proto, name", CASES)
def test_built_messages_lie_in_memory_as_deserialized_ones_do(driver, interface, tmp_path, proto, name):
    """The graph reader checks every object: hasbits, memos, unknown fields, and that no other byte is set."""
    built = driver(proto)
    for seed, message in enumerate(messages(built, name, max(COUNT // 4, 10), 1)):
        lines = built.run(built.new(message, random.Random(seed)), step("D", 0), arguments=[tmp_path / "dump"])
        assert lines[0] == "1 0"
        root, base, schema_base, *registers = map(int, lines[1].split())
        heap = Region("eden", base, (tmp_path / "dump").read_bytes())
        reader = GraphReader(Runtime(interface, built.compiled, registers, schema_base), heap, heap)
        node = reader.read(root, built.index(name))
        assert first_difference(node, message) is None


def script_of(built, message, other, seed):
    """Returns steps that make one message in two ways, from its parts and from the wire, and another message."""
    made = [built.new(message, random.Random(seed)), built.wire(message), built.wire(other)]
    equals = [step("E", *pair) for pair in ((0, 1), (1, 0), (0, 0), (0, 2), (2, 1))]
    return [*made, step("G", 0), step("G", 1), *equals, step("G", 0)]


def check_script(message, other, lines):
    assert lines[:3] == ["1 0"] * 3
    expected = printed(message)
    assert json.loads(lines[3]) == expected
    assert json.loads(lines[4]) == expected
    equal, first, second, exception = lines[5].split()
    assert (equal, exception) == ("1", "0") and first == second
    assert lines[6] == lines[5] == lines[7]
    assert [line.split()[0] for line in lines[8:10]] == ["1" if printed(other) == expected else "0"] * 2
    assert lines[10] == lines[3]


@pytest.mark.parametrize("proto, name", CASES)
def test_getters_equals_and_hash(driver, proto, name):
    built = driver(proto)
    pairs = list(zip(messages(built, name, COUNT, 2), messages(built, name, COUNT, 3)))
    for seed, (message, other) in enumerate(pairs):
        check_script(message, other, built.run(*script_of(built, message, other, seed)))


@pytest.mark.parametrize("way", ["buffer", "array"])
@pytest.mark.parametrize("proto, name", CASES)
def test_under_stress(driver, proto, name, way):
    """Every allocation collects, the heap is walked after each collection, and emptied memory is poisoned."""
    built = driver(proto)
    pairs = list(zip(messages(built, name, max(COUNT // 10, 4), 4), messages(built, name, COUNT, 5)))
    for seed, (message, other) in enumerate(pairs):
        check_script(message, other, built.run(*script_of(built, message, other, seed), arguments=["stress", way]))


@pytest.mark.parametrize(
    "group",
    [*(real_groups(data_folder()) if data_folder() else []), demo_group(), field_heavy_group()],
    ids=lambda group: group.name,
)
def test_messages_that_the_bench_measures(interface, group):
    """Messages, real ones if available, are read, built anew and compared. The shorter ones are also run under
    stress."""
    built = Driver(group.name, group.schema, interface)
    dice = random.Random(10)
    for case in group.cases:
        message = group.schema.message_class(case.type_name).FromString(case.data)
        for arguments in ([], ["stress"]) if len(case.data) < 3000 else ([],):
            steps = script_of(built, message, message, dice.random())
            check_script(message, message, built.run(*steps, arguments=arguments))


def test_messages_survive_collections(driver):
    built = driver(EVERYTHING)
    kept = list(messages(built, "test.Everything", 20, 6))
    collect = [step("C", full) for full in (0, 0, 1, 0)]
    made = [built.new(message, random.Random(1)) for message in kept]
    lines = built.run(*made, *collect, *(step("G", i) for i in range(len(kept))))
    assert [json.loads(line) for line in lines[-len(kept) :]] == list(map(printed, kept))


@pytest.mark.parametrize("proto, name", CASES)
def test_absent_messages_read_as_defaults(driver, proto, name):
    built = driver(proto)
    lines = built.run(step("Z", built.index(name)))
    assert json.loads(lines[0]) == printed(built.schema.message_class(name)())


def changes(message, dice):
    """Yields commands that change one field, and commands that undo it, for each field for which these are simple."""
    builder = Builder(dice)
    for item in message.DESCRIPTOR.fields:
        value = getattr(message, item.name)
        if item.is_repeated or (
            item.containing_oneof
            and item.has_presence
            and message.WhichOneof(item.containing_oneof.name) not in (None, item.name)
        ):
            if item.is_repeated and not is_map(item) and not item.message_type and len(value):
                at, other = len(value) - 1, different(item, value[-1], dice)
                place = word(item.number, SET_AT, at)
                yield place + encoded(item, other), place + encoded(item, value[at])
            continue
        undo = builder.field(message, item) or word(item.number, CLEAR)
        if item.message_type:
            yield word(item.number, CLEAR) if message.HasField(item.name) else word(item.number, MUTABLE, 0), undo
        else:
            yield word(item.number, SET) + encoded(item, different(item, value, dice)), undo
            if item.has_presence and message.HasField(item.name):
                yield word(item.number, CLEAR), undo


def different(item, value, dice):
    """Returns a value that `equals` distinguishes from the given one."""
    if item.type == Type.TYPE_BOOL:
        return not value
    if item.type == Type.TYPE_STRING:
        return value + "x"
    if item.type == Type.TYPE_BYTES:
        return value + b"\0"
    if item.type == Type.TYPE_ENUM:
        others = [v.number for v in item.enum_type.values if v.number != value]
        return dice.choice(others) if others else value + 1
    if item.cpp_type in (Type.CPPTYPE_FLOAT, Type.CPPTYPE_DOUBLE):
        return -value if value == value and value == 0 else 1.5 if value != 1.5 else 2.5
    return value ^ 1


@pytest.mark.parametrize("proto, name", CASES)
def test_one_changed_field_is_not_equal(driver, proto, name):
    built = driver(proto)
    dice = random.Random(7)
    tried = 0
    for message in messages(built, name, COUNT // 4, 8):
        script = [built.new(message, dice), built.wire(message)]
        for change, undo in changes(message, dice):
            for commands in (change, undo):
                script += [step("B", 0) + commands + word(0), step("E", 0, 1)]
            tried += 1
        lines = built.run(*script)[2:]
        for i in range(0, len(lines), 4):
            assert lines[i] == lines[i + 2] == "1 0"
            assert lines[i + 1].split()[0] == "0" and lines[i + 3].split()[0] == "1", (message, i // 4)
            assert lines[i + 1].split()[2] == lines[i + 3].split()[1] == lines[i + 3].split()[2]
    assert tried > 0 or not message.DESCRIPTOR.fields


def nested(built, depth):
    message = root = built.schema.message_class("test.Everything")()
    for _ in range(depth):
        message = message.child
    message.an_int32 = 1
    return root


def test_depth_is_bounded(driver):
    """100 messages within the root are compared. One more raises an exception."""
    built = driver(EVERYTHING)
    dice = random.Random(9)
    deep, equals = built.new(nested(built, 100), dice), step("E", 0, 1)
    deeper = [step("B", index) + word(11, MUTABLE) * 101 + word(0) * 102 for index in (0, 1)]
    lines = built.run(deep, deep, equals, *deeper, equals)
    assert lines[:2] == ["1 0"] * 2 and lines[3:5] == ["1 0"] * 2
    equal, first, second, exception = map(int, lines[2].split())
    assert equal == 1 and first == second != 0 and exception == 0
    assert lines[5] == f"0 0 0 {TOO_DEEP}"


def test_walks_stay_on_a_small_stack(driver):
    """On a stack of 4 KB, equals and hash code refuse messages that nest deeper than it has room for."""
    built = driver(EVERYTHING)
    dice = random.Random(9)
    shallow, deep = built.new(nested(built, 3), dice), built.new(nested(built, 60), dice)
    equals = [step("E", index, index) for index in range(2)]
    lines = built.run(shallow, deep, *equals, step("L", 4096), *equals, step("L", 200), *equals)
    assert [line.split()[-1] for line in lines[2:4]] == ["0", "0"]
    assert [line.split()[-1] for line in lines[5:7]] == ["0", str(TOO_DEEP)]
    assert lines[8:10] == [f"0 0 0 {TOO_DEEP}"] * 2


def test_nans_are_equal_and_zeros_are_not(driver):
    """Values compare as by Float.floatToIntBits and Double.doubleToLongBits."""
    built = driver(EVERYTHING)
    index = built.index("test.Everything")

    def made(bits32, bits64):
        double = bits64.to_bytes(8, "little")
        lists = word(32, ADD, bits32, 31, ADD) + double
        return step("N", index, 2, SET, bits32, 1, SET) + double + lists + word(0)

    nans = made(0x7FC00000, 0x7FF8 << 48), made(0xFF800001, 0xFFF0 << 48 | 1)
    lines = built.run(*nans, made(0, 0), made(1 << 31, 1 << 63), step("E", 0, 1), step("E", 2, 3))
    equal, first, second, _ = lines[4].split()
    assert equal == "1" and first == second
    assert lines[5].split()[0] == "0"


ALLOCATING = [
    word(9, SET, 3) + b"abc",
    word(11, MUTABLE, 0),
    word(39, ADD, 2) + b"de",
    word(41, ADD, 0),
    word(31, ADD) + bytes(8),
    word(201, SET, 1) + b"f",
    word(35, ADD, 6),
]
"""Changes of a message that need memory."""


@pytest.mark.parametrize("command", [*ALLOCATING, word(202, SET, 5, SET, 1, 0)])
def test_no_memory_leaves_the_message_as_it_was(driver, command):
    """Every allocation of a step fails in turn. The message has either fields and lists, or nothing, before the
    step."""
    built = driver(EVERYTHING)
    message = built.schema.message_class("test.Everything")(
        a_string="x", strings=["p"] * 4, int32s=[1, 2, 3, 4], doubles=[1, 2], children=[{}, {}, {}, {}], choice_number=7
    )
    empty = built.schema.message_class("test.Everything")()
    for start in (message, empty):
        lines = built.run(built.new(start, random.Random(1)), step("F", 0) + command + word(0), step("G", 0))
        assert int(lines[1]) > 0 or command[:4] == word(11)
        assert json.loads(lines[2]) != printed(start)


def test_indices_beyond_the_count(driver):
    built = driver(EVERYTHING)
    message = built.schema.message_class("test.Everything")(int32s=[1], strings=["a"], children=[{}])
    lists = word(35, SET_AT, 1, 5), word(39, SET_AT, 1, 1) + b"x", word(41, MUTABLE_AT, 1)
    for command in (*lists, word(36, SET_AT, 0) + bytes(8)):
        assert built.run(built.new(message, random.Random(1)), step("B", 0) + command)[1] == OUT_OF_BOUNDS


def test_wrong_types_are_refused(driver):
    built = driver(EVERYTHING)
    message = built.schema.message_class("test.Everything")()
    others = [step("W", 0, built.index(f"test.{name}")) for name in ("Nothing", "Everything")]
    lines = built.run(built.new(message, random.Random(1)), *others)
    assert lines[1:] == [WRONG_TYPE, "1 0"]


def test_a_schema_with_another_layout_is_refused(driver, interface, tmp_path):
    """Accessors generated before a field was added must not touch the objects."""
    built = driver("shop/defaults.proto")
    proto, blob = tmp_path / "defaults.proto", tmp_path / "blob"
    proto.write_text(
        (PROTOS / "shop" / "defaults.proto").read_text().replace("= 15;", "= 15; optional int32 later = 16;")
    )
    blob.write_bytes(compile_schema(compile_proto(proto).descriptor("shop.Defaults"), interface).blob)
    assert built.run(step("N", 0), blob=blob) == [NO_TYPE]


def test_a_schema_without_the_type_is_refused(driver, interface, tmp_path):
    built = driver(EVERYTHING)
    blob = tmp_path / "blob"
    blob.write_bytes(compile_schema(built.schema.descriptor("test.Nothing"), interface).blob)
    assert built.run(step("N", built.index("test.Everything")), blob=blob) == [NO_TYPE]

"""The engine alone, writing, with every feature of schemas: oneofs, maps, groups, required fields, implicit presence,
checked strings and unknown fields. Also faults."""

import os
import random
import struct

import pytest
from google.protobuf.message import DecodeError
from harness import shake, status_of
from test_serializer import ARENA, has_map, skew

from heapwire.schema import Schema, compile_proto
from sim.unit.process import SCHEMA_BASE
from tests.common.schemas import random_schema
from tests.common.wire import Writer
from tests.unit.engine import FIXED_BASE, EngineWriter

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
DEEPEST = 100


def messages(dice, schema: Schema, bench: EngineWriter, count: int, wild: bool):
    """Yields (type name, official message, root of its objects)."""
    for _ in range(count):
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild).message(schema.descriptor(name))
        try:
            message = schema.message_class(name).FromString(data)
            root = bench.build(data, bench.schema.index(name), arena=ARENA, skew=skew(dice))
        except (DecodeError, ValueError):
            continue
        yield name, message, root


@pytest.mark.parametrize("seed", range(600 if FULL else 12))
def test_every_feature(serializer, interface, seed):
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(serializer, interface, schema)
    wild = bool(seed % 2)
    for name, message, root in messages(dice, schema, bench, 10, wild):
        shake(serializer, dice)
        outcome = bench.run(root, bench.schema.index(name), size=ARENA, end_skew=dice.randrange(64))
        assert status_of(bench, outcome) == "OK", hex(outcome.at)
        output, expected = bench.output(outcome), message.SerializeToString(deterministic=True)
        assert schema.message_class(name).FromString(output).SerializeToString(deterministic=True) == expected
        if not wild and not has_map(schema):
            assert output == expected


@pytest.fixture
def small(serializer, interface):
    """Returns a bench of one schema with a checked string, a required field and a nested message."""
    from google.protobuf import descriptor_pb2
    from google.protobuf.descriptor_pb2 import FieldDescriptorProto as F

    file = descriptor_pb2.FileDescriptorProto(
        name="s.proto", package="s", syntax="editions", edition=descriptor_pb2.EDITION_2023
    )
    message = file.message_type.add(name="M")
    message.field.add(name="text", number=1, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
    needed = message.field.add(name="needed", number=2, type=F.TYPE_INT32, label=F.LABEL_OPTIONAL)
    needed.options.features.field_presence = descriptor_pb2.FeatureSet.LEGACY_REQUIRED
    message.field.add(name="child", number=3, type=F.TYPE_MESSAGE, type_name=".s.M", label=F.LABEL_OPTIONAL)
    message.field.add(name="texts", number=4, type=F.TYPE_STRING, label=F.LABEL_REPEATED)
    schema = Schema(descriptor_pb2.FileDescriptorSet(file=[file]), "small")
    return schema, EngineWriter.of(serializer, interface, schema)


def ends(small, interface, root, status, at=None, **options):
    outcome = small[1].run(root, 0, **options)
    assert status_of(small[1], outcome) == status
    if at is not None:
        assert outcome.at == at
    return outcome


@pytest.mark.parametrize("max_depth", [0, 1])
@pytest.mark.parametrize("null", range(3))
def test_null_element(serializer, interface, tmp_path, null, max_depth):
    """A list with a null element is at fault itself, wherever the element is."""
    text = 'syntax = "proto3"; package t; message M { M one = 1; repeated M more = 2; int32 number = 3; }'
    schema, bench = EngineWriter.of_text(serializer, interface, tmp_path, text)
    more = schema.message_class("t.M")(more=[{"number": i} for i in range(3)])
    root = bench.build(more.SerializeToString(), 0)
    (at,) = struct.unpack_from("<I", bench.fixed.data, root - FIXED_BASE + bench.schema.types[0].layout.fields[2])
    # The only array is that of the list.
    struct.pack_into("<I", bench.flexible.data, interface.object["array_elements"] + 4 * null, 0)
    bench.place()
    ends((schema, bench), interface, root, "BAD_OBJECT", at, max_depth=max_depth)


def test_depth(small, interface):
    schema, bench = small
    message = innermost = schema.message_class("s.M")(needed=1)
    for _ in range(5):
        innermost = innermost.child
        innermost.needed = 2
    root = bench.build(message.SerializeToString(), 0)
    ends(small, interface, root, "OK", max_depth=5)
    ends(small, interface, root, "DEPTH_EXCEEDED", max_depth=4)
    # A message that is its own child.
    slot = bench.schema.types[0].layout.fields[3]
    struct.pack_into("<I", bench.fixed.data, root - bench.fixed.base + slot, root)
    bench.place()
    ends(small, interface, root, "DEPTH_EXCEEDED", at=root)


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xe2\x82", b"\xf0\x9f\x98"]
)
@pytest.mark.parametrize("before, behind", [(0, 0), (14, 0), (15, 1), (0, 40), (29, 3)])
def test_strings_are_checked(small, interface, bad, before, behind):
    schema, bench = small
    good = b"a" * (before + len(bad) + behind)
    root = bench.build(schema.message_class("s.M")(needed=1, texts=["x", good.decode()]).SerializeToString(), 0)
    at = bytes(bench.fixed.data).rindex(good)
    ends(small, interface, root, "OK")
    bench.fixed.data[at + before : at + before + len(bad)] = bad
    bench.place()
    ends(small, interface, root, "INVALID_UTF8", at=bench.fixed.base + at - 32)


@pytest.mark.parametrize("before, behind", [(0, 0), (14, 0), (29, 3), (100, 80), (240, 30)])
def test_that_a_string_is_wrong_counts_before_its_room(small, interface, before, behind):
    """A wrong string is reported however much of it fits, first in a list with only that string, then in a singular
    field."""
    schema, bench = small
    dice = random.Random(before)
    good = "a" * (before + 2 + behind)
    for message, bytes_behind in (
        (schema.message_class("s.M")(needed=1, texts=[good]), 0),
        (schema.message_class("s.M")(needed=1, text=good), 2),
    ):
        root = bench.build(message.SerializeToString(), 0)
        at = bytes(bench.fixed.data).rindex(good.encode())
        bench.fixed.data[at + before : at + before + 2] = b"\xc3("
        bench.place()
        shake(bench.unit, dice)
        for size in range(bytes_behind):
            ends(small, interface, root, "OUTPUT_FULL", size=size)
        for size in (
            bytes_behind,
            bytes_behind + 1,
            bytes_behind + behind,
            bytes_behind + behind + 1,
            bytes_behind + len(good) - 1,
            bytes_behind + len(good),
        ):
            ends(small, interface, root, "INVALID_UTF8", at=bench.fixed.base + at - 32, size=size)
        good_again = bench.build(message.SerializeToString(), 0)
        for size in (bytes_behind, bytes_behind + len(good)):
            ends(small, interface, good_again, "OUTPUT_FULL", size=size)


@pytest.mark.parametrize("stall, latency", [(0, 1), (128, 20)])
def test_what_comes_before_a_wrong_string_counts_first(small, interface, stall, latency):
    """Strings in front that have no room are reported first, however slowly the output goes to memory. They lack all of
    their room, or one byte."""
    schema, bench = small
    bench.unit.memory(1, stall, latency, latency)
    for length, room, count in ((3, 0, 1), (3, 4, 1), (90, 91, 1), (200, 202, 1), (300, 302, 1), (130, 132, 9)):
        total = count * (length + 2 + (length > 127))
        room += total - total // count
        root = bench.build(
            schema.message_class("s.M")(needed=1, texts=["wrong", *["b" * length] * count]).SerializeToString(), 0
        )
        at = bytes(bench.fixed.data).rindex(b"wrong")
        bench.fixed.data[at] = 0xFF
        bench.place()
        ends(small, interface, root, "OUTPUT_FULL", at=0, size=room)
        ends(small, interface, root, "INVALID_UTF8", at=bench.fixed.base + at - 32, size=total + 5)


@pytest.mark.parametrize("letters", ["a", "aé", "ß", "€a", "\U0001f600"])
def test_strings_of_all_lengths(small, interface, letters):
    """Strings of one byte, of lengths that one byte of length can state, of lengths that the scanner writes by itself,
    and longer ones, ASCII and not."""
    schema, bench = small
    dice = random.Random(letters)
    for length in (1, 7, 8, 9, 126, 127, 128, 129, 136, 200, 247, 248, 254, 255, 256, 257, 300):
        text = (letters * length).encode()[:length].decode(errors="ignore")
        text += "x" * (length - len(text.encode()))
        message = schema.message_class("s.M")(needed=1, text=text, texts=["b", text, "", text[:-1], "é"])
        shake(bench.unit, dice)
        root = bench.build(message.SerializeToString(), 0, skew=skew(dice))
        outcome = ends(small, interface, root, "OK", end_skew=dice.randrange(64))
        assert bench.output(outcome) == message.SerializeToString()


def test_required_fields(small, interface):
    schema, bench = small
    message = schema.message_class("s.M")(needed=1)
    message.child.needed = 2
    root = bench.build(message.SerializeToString(), 0)
    ends(small, interface, root, "OK")
    layout = bench.schema.types[0].layout
    bench.fixed.data[root - bench.fixed.base + layout.hasbits] &= 0xFE
    bench.place()
    ends(small, interface, root, "MISSING_REQUIRED", at=root)


def test_faults(small, interface):
    """Addresses without an object, bounds in the wrong order, operations of other units."""
    schema, bench = small
    root = bench.build(schema.message_class("s.M")(needed=1, text="abc").SerializeToString(), 0)
    unit, table = bench.unit, SCHEMA_BASE + bench.schema.types[0].table_offset
    good = [root, table, 0, 0x4C00_0000, 0x4C00_1000, bench.bound, bench.limit, 0]
    operation = interface.operations["protobuf_serialize"]

    def ends_with(status, operation=operation, **changes):
        arguments = [changes.get(f"a{i}", value) for i, value in enumerate(good)]
        outcome = unit.run(operation, arguments)
        assert status_of(bench, outcome) == status

    ends_with("OK")
    ends_with("BAD_COMMAND", operation=interface.operations["copy"])
    ends_with("OUT_OF_BOUNDS", a3=0x4C00_1001)
    ends_with("OUT_OF_BOUNDS", a5=bench.limit + 8)
    ends_with("BAD_OBJECT", a0=0)
    ends_with("BAD_OBJECT", a0=root + 4)
    ends_with("BAD_OBJECT", a0=root + 8)
    ends_with("BAD_OBJECT", a5=root + 8)
    ends_with("BAD_OBJECT", a6=root + 16)
    ends_with("BAD_OBJECT", a0=0xFFFF_FFF8)
    ends_with("BAD_DESCRIPTOR", a1=table + 4)
    ends_with("BAD_DESCRIPTOR", a1=FIXED_BASE)
    ends_with("BAD_DESCRIPTOR", a1=0)
    ends_with("OUTPUT_FULL", a3=0x4C00_0FFF)
    # Objects, then output, that the bus denies.
    ends_with("BUS_FAULT", a0=0x1000_0000, a5=0x1000_0000, a6=0x1000_1000)
    ends_with("BUS_FAULT", a3=0x1000_0000, a4=0x1000_1000)
    # Tables that the bus denies.
    unit.register(interface.registers["TABLE_BASE"], 0)
    unit.register(interface.registers["TABLE_LIMIT"], 0xFFFF_FFF0)
    ends_with("BUS_FAULT", a1=0x1000_0000)
    bench.registers()
    ends_with("OK")


def test_no_entry_is_asked_for_behind_all_tables(serializer, interface, tmp_path):
    """The entry of a list of messages is read again behind each message, and is the last entry of all tables. The unit
    must not ask for what lies behind it, whenever the answer to an earlier request comes."""

    def made(fields):
        (tmp_path / "t.proto").write_text(f"""syntax = "proto2"; package t;
message Many {{ repeated Nothing nothing = 1; {" ".join(f"optional int32 f{i} = {i};" for i in range(2, fields))} }}
message Nothing {{ }}
""")
        schema = compile_proto(tmp_path / "t.proto")
        return schema, EngineWriter.of(serializer, interface, schema, ["t.Nothing", "t.Many"])

    def is_full(compiled):
        """Returns whether the tables end at a block's end. The unit checks bounds by blocks."""
        last = compiled.types[-1]
        end = last.table_offset + last.table.ordered + interface.descriptor["entry_size"] * len(last.message.fields)
        return end == compiled.tables_offset + compiled.tables_size and end % 64 == 0

    schema, bench = next(each for each in map(made, range(8, 40)) if is_full(each[1].schema))
    message = schema.message_class("t.Many")(f2=1, f7=2, nothing=[{}] * 5)
    root = bench.build(message.SerializeToString(), 1)
    for latency in range(1, 40):
        serializer.memory(1, 0, latency, latency)
        for _ in range(2):
            outcome = bench.run(root, 1)
            assert interface.status_name(outcome.status) == "OK", latency
            assert bench.output(outcome) == message.SerializeToString()


@pytest.mark.parametrize("latency", [1, 20, 60])
def test_lists_without_elements_or_an_array(serializer, interface, tmp_path, latency):
    """Software makes such lists of a packed field without a whole number."""
    text = """syntax = "proto3"; package t;
message M { repeated int32 packed = 1; repeated int64 unpacked = 2 [packed = false]; repeated string texts = 3;
repeated M more = 4; int32 last = 5; }
"""
    schema, bench = EngineWriter.of_text(serializer, interface, tmp_path, text)
    message = schema.message_class("t.M")(packed=[1], unpacked=[2], texts=["x"], more=[{}], last=7)
    root = bench.build(message.SerializeToString(), 0)
    for number in range(1, 5):
        (list_at,) = struct.unpack_from(
            "<I", bench.fixed.data, root - bench.fixed.base + bench.schema.types[0].layout.fields[number]
        )
        for name in ("count", "array"):
            struct.pack_into(
                "<I", bench.fixed.data, list_at - bench.fixed.base + interface.object[f"array_list_{name}"], 0
            )
    bench.place()
    serializer.memory(1, 0, latency, latency)
    outcome = bench.run(root, 0)
    assert interface.status_name(outcome.status) == "OK"
    assert bench.output(outcome) == schema.message_class("t.M")(last=7).SerializeToString()

"""The engine alone, writing: objects of random messages against the official library, damaged objects and tables, tight
outputs, faults, reset."""

import os
import random
import struct
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from harness import shake, sound, status_of

from heapwire.schema import Schema
from heapwire.schema.proto import load
from sim.unit.process import SCHEMA_BASE
from tests.common.schemas import random_schema
from tests.common.wire import Writer
from tests.unit.engine import EngineWriter

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
DATA = Path(os.environ.get("HEAPWIRE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ARENA = 1 << 18


def canonical(schema: Schema, name: str, data: bytes) -> bytes:
    return schema.message_class(name).FromString(data).SerializePartialToString(deterministic=True)


def has_map(schema: Schema) -> bool:
    return any(
        field.message_type is not None and field.message_type.GetOptions().map_entry
        for name in schema.type_names()
        for field in schema.descriptor(name).fields
    )


def skew(dice):
    return dice.randrange(0, 64, 8), dice.randrange(0, 64, 8)


def readable_message(dice, schema: Schema, bench: EngineWriter, name: str, depth: int) -> tuple[bytes, int]:
    """Returns a random message that the official library and the model read, and the root of its objects."""
    while True:
        data = Writer(dice, wild=True).message(schema.descriptor(name), depth)[:20000]
        try:
            schema.message_class(name).FromString(data)
            swap = dice.random() < 0.5
            return data, bench.build(data, bench.schema.index(name), arena=ARENA, skew=skew(dice), swap=swap)
        except Exception:  # the message was cut above, has keys of more than five bytes, or is refused by the model
            depth = max(depth - 1, 0)


@pytest.mark.parametrize("seed", range(400 if FULL else 10))
def test_random_messages(serializer, interface, seed):
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(serializer, interface, schema)
    for _ in range(8):
        shake(serializer, dice)
        name = dice.choice(schema.type_names())
        data, root = readable_message(dice, schema, bench, name, dice.choice([0, 1, 2, 4]))
        outcome = bench.run(root, bench.schema.index(name), size=1 << 16, end_skew=dice.randrange(64))
        assert status_of(bench, outcome) == "OK", hex(outcome.at)
        output = bench.output(outcome)
        assert canonical(schema, name, output) == canonical(schema, name, data)
        # A map's entries are written as the list has them. The official library has one entry per key.
        assert has_map(schema) or len(output) == len(canonical(schema, name, data))


@pytest.mark.parametrize("seed", range(300 if FULL else 8))
def test_damaged_objects(serializer, interface, seed):
    """Whatever the objects say, commands end, read within the bounds and write within the output."""
    dice = random.Random(1_000_000 + seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(serializer, interface, schema)
    for _ in range(12):
        shake(serializer, dice)
        name = dice.choice(schema.type_names())
        _, root = readable_message(dice, schema, bench, name, dice.choice([1, 2, 3]))
        references = [at for region in (bench.fixed, bench.flexible) for at in range(region.base, region.limit, 8)]
        for _ in range(dice.choice([1, 2, 5, 20])):
            region = dice.choice([bench.fixed, bench.fixed, bench.flexible])
            if not region.data:
                continue
            at = dice.randrange(0, len(region.data), 4)
            (old,) = struct.unpack_from("<I", region.data, at)
            word = dice.choice(
                [
                    0,
                    1,
                    0xFFFF_FFFF,
                    0x7FFF_FFF8,
                    dice.getrandbits(32),
                    old ^ 1 << dice.randrange(32),
                    dice.choice(references),
                    dice.choice(references) + 4,
                    bench.limit,
                    bench.limit - 8,
                    bench.bound - 8,
                ]
            )
            struct.pack_into("<I", region.data, at, word & 0xFFFF_FFFF)
        bench.place()
        outcome = bench.run(
            root, bench.schema.index(name), size=dice.choice([0, 100, 5000, 40000]), max_depth=dice.choice([0, 3, 20])
        )
        assert status_of(bench, outcome) in {
            "OK",
            "BAD_OBJECT",
            "OUTPUT_FULL",
            "DEPTH_EXCEEDED",
            "INVALID_UTF8",
            "MISSING_REQUIRED",
        }
        assert (outcome.start, outcome.length) == (0, 0) or interface.status_name(outcome.status) == "OK"


@pytest.mark.parametrize("seed", range(200 if FULL else 5))
def test_damaged_tables(serializer, interface, seed):
    """The same holds whatever the tables say."""
    dice = random.Random(2_000_000 + seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(serializer, interface, schema)
    compiled = bench.schema
    for _ in range(12):
        shake(serializer, dice)
        name = dice.choice(schema.type_names())
        _, root = readable_message(dice, schema, bench, name, 2)
        blob = bytearray(bench.blob)
        for _ in range(dice.choice([1, 2, 8, 40])):
            at = compiled.tables_offset + dice.randrange(compiled.tables_size)
            blob[at] = dice.choice([0, 1, 0xFF, blob[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        serializer.load(SCHEMA_BASE, bytes(blob))
        bench.registers()
        outcome = bench.run(root, compiled.index(name), size=dice.choice([100, 40000]))
        sound(outcome)


@pytest.mark.parametrize("seed", range(60 if FULL else 2))
def test_tight_outputs(serializer, interface, seed):
    """Exactly enough room is enough, one byte less is not."""
    dice = random.Random(3_000_000 + seed)
    schema = random_schema(dice)
    bench = EngineWriter.of(serializer, interface, schema)
    name = schema.type_names()[0]
    data, root = readable_message(dice, schema, bench, name, 2)
    needs = bench.run(root, bench.schema.index(name)).length
    assert has_map(schema) or needs == len(canonical(schema, name, data))
    for _ in range(20):
        shake(serializer, dice)
        size = dice.choice([needs, needs - 1, needs + 1, dice.randint(0, needs + 16), dice.randint(0, 40)])
        outcome = bench.run(root, bench.schema.index(name), size=max(size, 0), end_skew=dice.randrange(64))
        assert status_of(bench, outcome) == ("OK" if max(size, 0) >= needs else "OUTPUT_FULL")
        assert outcome.status or canonical(schema, name, bench.output(outcome)) == canonical(schema, name, data)


def test_reset_in_mid_command(serializer, interface):
    dice = random.Random(4)
    schema = random_schema(random.Random(11))
    bench = EngineWriter.of(serializer, interface, schema)
    for _ in range(60):
        shake(serializer, dice)
        name = dice.choice(schema.type_names())
        data, root = readable_message(dice, schema, bench, name, 2)
        bench.run(root, bench.schema.index(name), reset_after=dice.randint(1, 300))
        bench.registers()
        outcome = bench.run(root, bench.schema.index(name))
        assert status_of(bench, outcome) == "OK"
        assert canonical(schema, name, bench.output(outcome)) == canonical(schema, name, data)


def strings_bench(unit, interface):
    """Returns a bench with a message of one string, and a function that damages the string in the objects."""
    text = descriptor_pb2.FieldDescriptorProto(
        name="text",
        number=1,
        type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING,
        label=descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL,
    )
    file = descriptor_pb2.FileDescriptorProto(name="s.proto", package="s", syntax="proto3")
    file.message_type.add(name="M").field.append(text)
    schema = Schema(descriptor_pb2.FileDescriptorSet(file=[file]), "strings")
    bench = EngineWriter.of(unit, interface, schema, ["s.M"])
    message = schema.message_class("s.M")

    def run(content: bytes, **options):
        """Serializes a string with these bytes, UTF-8 or not."""
        plain = b"A" * len(content)
        root = bench.build(message(text=plain.decode()).SerializeToString(), 0)
        for region in (bench.fixed, bench.flexible):
            at = bytes(region.data).find(plain)
            if at >= 0:
                region.data[at : at + len(plain)] = content
        bench.place()
        outcome = bench.run(root, 0, **options)
        sound(outcome)
        return outcome

    return bench, run


@pytest.mark.parametrize("length", [8, 16, 40])
def test_nothing_of_a_failed_command_is_left(serializer, interface, length):
    """Work that was under way when a string turned out to be wrong is not written by the next command."""
    serializer.memory(1, 0, 20, 20)
    bench, run = strings_bench(serializer, interface)
    for skew in (0, 8, 17, 40, 56, 63):
        assert (
            interface.status_name(run(b"B" * (length - 1) + b"\xff", size=1024, end_skew=skew).status) == "INVALID_UTF8"
        )
        good = run(b"hello", size=1024, end_skew=5)
        assert interface.status_name(good.status) == "OK"
        assert bench.output(good) == b"\x0a\x05hello"


def test_failed_commands_cost_no_room(serializer, interface):
    """After any number of failed commands the same command takes the same cycles. A few cycles depend on the turn among
    the blocks of a write buffer, and on the words of a narrow port."""
    serializer.memory(1, 0, 20, 20)
    _, run = strings_bench(serializer, interface)
    long = b"L" * 8000
    before = [run(long).cycles for _ in range(2)][1]
    dice = random.Random(3)
    for _ in range(60):
        content = bytearray(b"B" * dice.randrange(200, 500))
        content[dice.randrange(len(content))] = 0xFF
        assert interface.status_name(run(bytes(content), size=1024).status) == "INVALID_UTF8"
    assert abs([run(long).cycles for _ in range(2)][1] - before) <= 4


REAL = [
    ("jsbs", "schema.binpb", "MediaContent", "media.*.pb"),
    ("fleetbench", "Message0.binpb", "Message0", "*.bin"),
    ("hyperprotobench/bench1", "schema.binpb", None, "*.bin"),
    ("hyperprotobench/bench4", "schema.binpb", None, "*.bin"),
]


@pytest.mark.parametrize("folder, schema_file, type_name, files", REAL)
@pytest.mark.skipif(not DATA.is_dir(), reason="the real messages are not here")
def test_real_messages(serializer, interface, folder, schema_file, type_name, files):
    schema = load(DATA / folder / schema_file)
    for file in sorted((DATA / folder).glob(files)):
        name = schema.descriptor(type_name or file.name[3:-4]).full_name
        bench = EngineWriter.of(serializer, interface, schema, [name])
        data = file.read_bytes()
        root = bench.build(data, 0, arena=1 << 20)
        outcome = bench.run(root, 0, size=1 << 20)
        assert status_of(bench, outcome) == "OK"
        assert bench.output(outcome) == canonical(schema, name, data)

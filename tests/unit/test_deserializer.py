"""The deserializer alone: random messages against the official library, damaged ones against the reference, damaged
tables, tight arenas, faults, reset."""

import os
import random
from pathlib import Path

import pytest
from harness import shake, sound, status_of

from heapwire.compare import first_difference
from heapwire.graph import GraphReader, Node
from heapwire.model import Deserializer
from heapwire.schema import Schema
from heapwire.schema.proto import load
from sim.unit.build import build
from sim.unit.process import MEMORY_BASE, MEMORY_SIZE, NO_ALLOCATE, NONE, Unit
from tests.common.reference import Reference, arenas
from tests.common.schemas import random_schema
from tests.common.wire import Writer, damage
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, SCHEMA_BASE, EngineReader

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
DATA = Path(os.environ.get("HEAPWIRE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
ARENA = 1 << 18


def same(bench: EngineReader, outcome, schema: Schema, name: str, data: bytes):
    """Checks that the objects are what the official library reads, and that the unknown fields are those of the model
    byte for byte."""
    index = bench.schema.index(name)
    node = GraphReader(bench.runtime, *bench.regions(), bench.source).read(outcome.root, index)
    difference = first_difference(node, schema.message_class(name).FromString(data))
    assert difference is None, difference
    fixed, flexible = arenas(FIXED_BASE, FLEXIBLE_BASE)
    model = Deserializer(bench.runtime, fixed, flexible, as_unit=True).run(data, index)
    assert model.status == "OK"
    assert kept(node) == kept(GraphReader(bench.runtime, fixed, flexible).read(model.root, index))


def kept(node) -> list:
    """Returns the unknown fields of a message and of the messages in it."""
    below = [value for field in node.fields.values() for value in (field if isinstance(field, list) else [field])]
    return [node.unknown, *(kept(value) for value in below if isinstance(value, Node))]


def skew(dice):
    return dice.randrange(64), dice.choice([0, 8, 4, 1, 16]), dice.choice([0, 8, 24, 3])


@pytest.mark.parametrize("seed", range(400 if FULL else 10))
def test_random_messages(unit, interface, seed):
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineReader.of(unit, interface, schema)
    for _ in range(8):
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild=True).message(schema.descriptor(name), dice.choice([0, 1, 2, 4]))[:40000]
        expected = Reference(schema, name, data).ends
        outcome = bench.run(data, bench.schema.index(name), arena=ARENA, skew=skew(dice))
        assert (status_of(bench, outcome), outcome.offset) == expected
        if expected[0] == "OK":
            same(bench, outcome, schema, name, data)


@pytest.mark.parametrize("bit", range(12, 29))
def test_arenas_that_differ_in_one_bit(unit, interface, seed_of, bit):
    """No write goes to a block of the other arena, at the same place."""
    dice = random.Random(seed_of)
    schema = random_schema(dice)
    bench = EngineReader.of(unit, interface, schema)
    fixed, arena, run = 0x4910_0000, min(ARENA, (1 << bit) - 1024), 0
    while run < 6:
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild=True).message(schema.descriptor(name), dice.choice([1, 2]))[:arena]
        skew = dice.randrange(64), fixed - FIXED_BASE, (fixed ^ 1 << bit) - FLEXIBLE_BASE
        outcome = bench.run(data, bench.schema.index(name), arena=arena, skew=skew)
        if status_of(bench, outcome) == "OK":
            same(bench, outcome, schema, name, data)
            run += 1


@pytest.mark.parametrize("seed", range(500 if FULL else 20))
def test_damaged_messages(unit, interface, seed):
    """20 mutations per seed: 10,000 in the full tests."""
    dice = random.Random(1_000_000 + seed)
    schema = random_schema(dice)
    bench = EngineReader.of(unit, interface, schema)
    for _ in range(20):
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        data = damage(
            Writer(dice, wild=True, longest=10).message(schema.descriptor(name), dice.choice([0, 1, 2, 3]))[:6000], dice
        )
        depth = dice.choice([0, 0, 1, 3])
        outcome = bench.run(data, bench.schema.index(name), arena=ARENA, skew=skew(dice), max_depth=depth)
        expected = Reference(schema, name, data, depth).ends
        assert (status_of(bench, outcome), outcome.offset) == expected, data.hex()
        if expected[0] != "OK":
            assert outcome.results[:3] == (0, 0, 0)


@pytest.mark.parametrize("seed", range(200 if FULL else 5))
def test_damaged_tables(unit, interface, seed):
    """Whatever the tables say, commands end and the guards hold."""
    unit.wrong_tables = True
    dice = random.Random(2_000_000 + seed)
    schema = random_schema(dice)
    bench = EngineReader.of(unit, interface, schema)
    compiled = bench.schema
    for _ in range(12):
        shake(unit, dice)
        blob = bytearray(bench.blob)
        for _ in range(dice.choice([1, 2, 8, 40])):
            at = compiled.tables_offset + dice.randrange(compiled.tables_size)
            blob[at] = dice.choice([0, 1, 0xFF, blob[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        unit.load(SCHEMA_BASE, bytes(blob))
        bench.registers()
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild=True).message(schema.descriptor(name))[:4000]
        outcome = bench.run(data, compiled.index(name), arena=ARENA, skew=skew(dice))
        sound(outcome)


def test_allocation(unit, interface, tmp_path):
    """Blocks of the message ask the shared cache not to allocate while 4 KB are left behind them. Others do not, and
    neither do tables and objects."""
    text = 'syntax = "proto3"; package t; message B { bytes b = 1; }'
    schema, bench = EngineReader.of_text(unit, interface, tmp_path, text)
    unit.memory(1, 0, 20, 20)
    for size in (10, 200, 4000, 40_000, 4000):
        data = schema.message_class("t.B")(b=bytes(size)).SerializeToString()
        outcome = bench.run(data, bench.schema.index("t.B"))
        assert status_of(bench, outcome) == "OK"
        gets, blocks = outcome.gets["input"], -(-len(data) // 64)
        assert gets[NONE] + gets[NO_ALLOCATE] == blocks
        if blocks <= 64:
            assert gets[NO_ALLOCATE] == 0, size
        else:
            assert 64 <= gets[NONE] <= 64 + 3
        assert outcome.gets["table"][NONE] == sum(outcome.gets["table"])
        assert outcome.puts["objects"][NONE] == sum(outcome.puts["objects"]) > 0


EVERYTHING = """syntax = "proto2"; package t;
message M { optional int32 a = 1; optional string b = 2; repeated bytes c = 3; optional M d = 4; optional E e = 5;
repeated sint64 f = 6;
            oneof o { string g = 7; M h = 8; } optional group I = 9 { optional bool j = 1; } map<int32, string>
            k = 10; }
enum E { Z = 0; X = 7; }"""


def test_every_bit_of_a_table(unit, interface, tmp_path, request):
    """Whichever bit of a table is wrong, commands end and the guards hold. The full tests try every bit, others a third
    of them, and a fifth with `tiny`. Both numbers are odd, so all places of a byte occur."""
    step = 1 if FULL else 3 if request.node.callspec.params["program"] == 128 else 5
    _, bench = EngineReader.of_text(unit, interface, tmp_path, EVERYTHING)
    index = bench.schema.index("t.M")
    inner = b"\x12\x01x" + b"\x1a\x02yz" + b"\x28\x07" + b"\x32\x02\x01\x02"
    data = (
        b"\x08\x05"
        + inner
        + b"\x22"
        + bytes([len(inner)])
        + inner
        + b"\x3a\x03abc"
        + b"\x42\0"
        + b"\x4b\x08\x01\x4c"
        + b"\x52\x04\x08\x01\x12\0"
        + inner
    )
    assert bench.run(data, index).status == interface.status["OK"]
    unit.wrong_tables = True
    start = bench.schema.types[index].table_offset
    dice = random.Random(7)
    for first in range(0, 8 * min(32 + 32 * 16, len(bench.blob) - start), step):
        bit = first + dice.randrange(step)
        blob = bytearray(bench.blob)
        blob[start + bit // 8] ^= 1 << bit % 8
        unit.load(SCHEMA_BASE, bytes(blob))
        bench.registers()
        sound(bench.run(data, index, arena=1 << 12))


@pytest.mark.parametrize("seed", range(60 if FULL else 2))
def test_tight_arenas(unit, interface, seed):
    """Every size of arena gives a result or the arena's own status."""
    dice = random.Random(3_000_000 + seed)
    while True:
        schema = random_schema(dice)
        name = schema.type_names()[0]
        data = Writer(dice, wild=True).message(schema.descriptor(name), 2)
        if 100 < len(data) < 3000 and Reference(schema, name, data).status == "OK":
            break
    bench = EngineReader.of(unit, interface, schema)
    roomy = bench.run(data, bench.schema.index(name), arena=ARENA)
    needs = roomy.fixed_top - bench.fixed_region[0], roomy.flexible_top - bench.flexible_region[0]
    for _ in range(20):
        shake(unit, dice)
        fixed, flexible = (dice.choice([need, need - 8, need - 1, dice.randint(0, need + 16)]) for need in needs)
        fixed, flexible = max(fixed, 0), max(flexible, 0)
        outcome = bench.run(data, bench.schema.index(name), arena=fixed, flexible=flexible)
        sound(outcome)
        short = {
            status
            for status, size, need in zip(("FIXED_ARENA_FULL", "FLEXIBLE_ARENA_FULL"), (fixed, flexible), needs)
            if size < need
        }
        allowed = short or {"OK"}
        assert interface.status_name(outcome.status) in allowed
        if allowed == {"OK"}:
            same(bench, outcome, schema, name, data)


@pytest.fixture(scope="module")
def small():
    unit = Unit(build(32, "Engine", "small"))
    yield unit
    unit.close()


@pytest.mark.parametrize("seed", range(100 if FULL else 5))
def test_tables_that_leave_the_cache(small, interface, seed):
    """A cache of 1 KB, from which the tables of a schema drive one another out."""
    dice = random.Random(seed)
    schema = random_schema(dice)
    bench = EngineReader.of(small, interface, schema)
    for _ in range(6):
        shake(small, dice)
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild=True).message(schema.descriptor(name), 3)[:20000]
        outcome = bench.run(data, bench.schema.index(name), arena=ARENA, skew=skew(dice), max_depth=6)
        assert (status_of(bench, outcome), outcome.offset) == Reference(schema, name, data, 6).ends


def test_as_many_levels_as_fit(small, interface, tmp_path):
    """The number of levels is a power of two: one level more would wrap around to level 0."""
    text = 'syntax = "proto3"; package t; message M { M inner = 1; }'
    _, bench = EngineReader.of_text(small, interface, tmp_path, text)
    data = b""
    for levels in range(12):
        outcome = bench.run(data, 0)
        assert status_of(bench, outcome) == ("OK" if levels <= 7 else "DEPTH_EXCEEDED")
        data = b"\x0a" + bytes([len(data)]) + data


def test_reset_in_mid_command(unit, interface):
    dice = random.Random(4)
    schema = random_schema(random.Random(11))
    bench = EngineReader.of(unit, interface, schema)
    for _ in range(60):
        shake(unit, dice)
        name = dice.choice(schema.type_names())
        data = Writer(dice, wild=True).message(schema.descriptor(name), 2)[:3000]
        bench.run(data, bench.schema.index(name), arena=ARENA, reset_after=dice.randint(1, 300))
        bench.registers()
        expected = Reference(schema, name, data).ends
        outcome = bench.run(data, bench.schema.index(name), arena=ARENA)
        assert (status_of(bench, outcome), outcome.offset) == expected


def test_faults(unit, interface):
    """Addresses outside memory, bounds in the wrong order, operations of other units."""
    schema = random_schema(random.Random(11))
    bench = EngineReader.of(unit, interface, schema)
    table = SCHEMA_BASE + bench.schema.types[0].table_offset
    good = [0x4400_0000, 0, table, 0, 0x4800_0000, 0x4800_4000, 0x4900_0000, 0x4900_4000]
    unit.load(good[0], bytes([8, 1]) * 64)
    operation = interface.operations["protobuf_deserialize"]

    def ends(code: str, operation=operation, **changes):
        arguments = [changes.get(f"a{i}", value) for i, value in enumerate(good)]
        outcome = unit.run(operation, arguments)
        assert status_of(bench, outcome) == code
        return outcome

    ends("OK")
    ends("BAD_COMMAND", operation=interface.operations["copy"])
    ends("BUS_FAULT", a0=0x1000_0000, a1=100)
    ends("BUS_FAULT", a0=MEMORY_BASE + MEMORY_SIZE - 4, a1=100)
    ends("OUT_OF_BOUNDS", a4=0x4800_4008)
    ends("OUT_OF_BOUNDS", a7=0x48FF_FFFF)
    ends("BAD_DESCRIPTOR", a2=table + 4)
    ends("BAD_DESCRIPTOR", a2=0x4400_0000)
    ends("FIXED_ARENA_FULL", a5=good[4])
    # Writes that the bus denies.
    outcome = unit.run(operation, [*good[:4], 0x1000_0000, 0x1000_4000, *good[6:]])
    assert interface.status_name(outcome.status) == "BUS_FAULT"
    # Tables that the bus denies.
    unit.register(interface.registers["TABLE_BASE"], 0)
    unit.register(interface.registers["TABLE_LIMIT"], 0xFFFF_FFF0)
    ends("BUS_FAULT", a2=0x1000_0000)
    bench.registers()
    ends("OK")


REAL = [
    ("jsbs", "schema.binpb", "MediaContent", "media.*.pb"),
    ("fleetbench", "Message0.binpb", "Message0", "*.bin"),
    ("hyperprotobench/bench1", "schema.binpb", None, "*.bin"),
    ("hyperprotobench/bench4", "schema.binpb", None, "*.bin"),
]


@pytest.mark.parametrize("folder, schema_file, type_name, files", REAL)
@pytest.mark.skipif(not DATA.is_dir(), reason="the real messages are not here")
def test_real_messages(unit, interface, folder, schema_file, type_name, files):
    schema = load(DATA / folder / schema_file)
    for file in sorted((DATA / folder).glob(files)):
        name = schema.descriptor(type_name or file.name[3:-4]).full_name
        bench = EngineReader.of(unit, interface, schema, [name])
        data = file.read_bytes()
        outcome = bench.run(data, 0, arena=1 << 20)
        assert status_of(bench, outcome) == "OK"
        same(bench, outcome, schema, name, data)

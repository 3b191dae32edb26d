"""Random schemas and messages: upb's own encoder, or Go, reads what the engine builds, and the engine writes what upb's
own decoder, or Go, builds."""

import os
import random

import pytest

from heapwire.schema import compile_proto
from sim.unit.process import SCHEMA_BASE
from tests.common.cases import check
from tests.common.managed import KINDS, Case, random_data
from tests.common.schemas import random_schema
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE
from tests.upb.machine import MACHINES, Machine

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
FULL_ARENAS = ("FIXED_ARENA_FULL", "FLEXIBLE_ARENA_FULL")
DAMAGES = ("OK", "BAD_OBJECT", "UNSUPPORTED", "MISSING_REQUIRED", "OUTPUT_FULL", "DEPTH_EXCEEDED", "BAD_DESCRIPTOR")


def random_case(dice: random.Random, schema, kind: str) -> Case:
    name = dice.choice(schema.type_names())
    data = random_data(dice, schema, name, kind, depth=dice.choice([0, 0, 1, 1, 2, 3]))
    return Case.random(dice, schema, name, data, kind == "tame")


models = pytest.mark.parametrize("model", MACHINES)


@pytest.fixture
def machine(engines, interface, model, request):
    """Returns a machine with a random schema, and the dice that made it."""
    seed = request.node.callspec.params["seed"]
    dice = random.Random(seed)
    made = MACHINES[model](engines, random_schema(dice), interface)
    yield made, dice
    made.judge.close()


@models
@pytest.mark.parametrize("seed", range(500 if FULL else 20))
def test_random(machine, seed):
    made, dice = machine
    for i in range(20):
        check(made, random_case(dice, made.schema, KINDS[i % len(KINDS)]))


@models
@pytest.mark.parametrize("seed", range(100 if FULL else 6))
def test_small_arenas(machine, seed):
    """With the room that a message has taken, it is read again; with less, an arena is full, and nothing behind the
    arenas is touched."""
    made, dice = machine
    if any(made.judge.tables.software_only):
        return
    for _ in range(6):
        case = random_case(dice, made.schema, dice.choice(["tame", "wild"]))
        index = made.judge.types.index(case.type)
        first = made.read(index, case.data)
        if made.status(first) != "OK":
            continue
        fixed, flexible = first.fixed_top - FIXED_BASE, first.flexible_top - FLEXIBLE_BASE
        assert made.status(made.read(index, case.data, fixed=fixed, flexible=flexible or 8)) == "OK"
        assert made.status(made.read(index, case.data, fixed=dice.randrange(8, fixed + 1) - 8 or 4)) in FULL_ARENAS
        if flexible:
            room = dice.randrange(8, flexible + 1) - 8 or 4
            assert made.status(made.read(index, case.data, fixed=fixed, flexible=room)) in FULL_ARENAS


@models
@pytest.mark.parametrize("seed", range(200 if FULL else 12))
def test_damaged_objects(machine, seed):
    """Whatever the objects hold, the engine reads nothing outside of them, and ends."""
    made, dice = machine
    if any(made.judge.tables.software_only):
        return
    for _ in range(10):
        case = random_case(dice, made.schema, dice.choice(["tame", "wild"]))
        index = made.judge.types.index(case.type)
        made.judge.load(INPUT_BASE, case.data)
        good, message, end = made.judge.made(index, len(case.data))
        if not good:
            continue
        image = bytearray(made.judge.dump(FIXED_BASE, end - FIXED_BASE))
        for _ in range(dice.choice([1, 2, 8])):
            at = dice.randrange(len(image) // 4) * 4
            word = int.from_bytes(image[at : at + 4], "little")
            new = dice.choice(
                [
                    word ^ 1 << dice.randrange(32),
                    dice.getrandbits(32),
                    dice.choice([0, 1, 4, 0x4000_0000, 0x4000_0001, 0x2000_0000, 0x7FFF_FFFF, 0xFFFF_FFFF]),
                    FIXED_BASE + dice.randrange(len(image)) // 4 * 4,
                    end - dice.choice([0, 4, 8, 16]),
                ]
            )
            image[at : at + 4] = new.to_bytes(4, "little")
        made.writer.memory(*case.memory)
        made.writer.load(INPUT_BASE, case.data or b"\0")
        made.writer.load(FIXED_BASE, bytes(image))
        status = made.status(made.write(index, message, INPUT_BASE, end, 1 << 16))
        assert status in DAMAGES


@models
@pytest.mark.parametrize("seed", range(100 if FULL else 8))
def test_damaged_tables(machine, seed):
    """A table may say anything: nothing outside of the arenas, or of the output, is written, and the command ends."""
    made, dice = machine
    tables = made.judge.tables.data
    made.reader.wrong_tables = made.writer.wrong_tables = True
    for _ in range(20):
        case = random_case(dice, made.schema, dice.choice(["tame", "wild", "unusual"]))
        index = made.judge.types.index(case.type)
        spoilt = bytearray(tables)
        for _ in range(dice.choice([1, 2, 5])):
            spoilt[dice.randrange(len(spoilt))] = dice.getrandbits(8)
        made.reader.memory(*case.memory)
        made.reader.load(SCHEMA_BASE, bytes(spoilt))
        made.registers(made.reader)
        made.status(made.read(index, case.data, case.skew))
        made.judge.load(INPUT_BASE, case.data)
        good, message, end = made.judge.made(index, len(case.data))
        if good:
            made.writer.memory(*case.memory)
            made.writer.load(SCHEMA_BASE, bytes(spoilt))
            made.registers(made.writer)
            made.writer.load(INPUT_BASE, case.data or b"\0")
            made.writer.load(FIXED_BASE, made.judge.dump(FIXED_BASE, end - FIXED_BASE))
            made.status(made.write(index, message, INPUT_BASE, end, 1 << 16))


def test_a_list_without_room(engines, interface, tmp_path):
    """A list's slot holds a message, which looks like an array without room: it would never grow."""
    (tmp_path / "t.proto").write_text(
        """syntax = "proto2"; package t; message N { optional int32 a = 1; }
        message M { optional N one = 1; repeated int32 two = 2; repeated N three = 3; repeated string four = 4; }"""
    )
    machine = Machine(engines, compile_proto(tmp_path / "t.proto"), interface)
    index, tables = machine.judge.types.index("t.M"), machine.judge.tables
    at, offset, hasbit = tables.offsets[index], interface.entry["offset"], interface.entry["hasbit"]
    slots, fields = interface.header["last_slot"].get(tables.data, at) + 1, interface.header["field_count"]
    entries = {}  # by field number, in the hash and in the order of the numbers
    for i in range(slots + fields.get(tables.data, at)):
        entry = at + interface.descriptor["header_size"] + interface.descriptor["entry_size"] * i
        key = interface.entry["key"].get(tables.data, entry)
        entries.setdefault(key if i < slots else key >> 3, []).append(entry)
    machine.reader.wrong_tables = True
    for number, field in ((2, "1001"), (3, "1a00"), (4, "220161")):
        spoilt = bytearray(tables.data)
        for entry in entries[number]:
            offset.put(spoilt, entry, offset.get(tables.data, entries[1][0]))
            hasbit.put(spoilt, entry, 0)
        machine.reader.load(SCHEMA_BASE, bytes(spoilt))
        machine.registers(machine.reader)
        assert machine.status(machine.read(index, bytes.fromhex("0a021001" + field))) == "BAD_DESCRIPTOR", number
    machine.judge.close()


@models
def test_the_other_models_tables_are_refused(engines, interface, model):
    """Only the model that was loaded is there."""
    machine = MACHINES[model](engines, random_schema(random.Random(1)), interface)
    index = 0
    for number in {1, 2, 3} - {interface.descriptor[f"model_{model}"]}:
        spoilt = bytearray(machine.judge.tables.data)
        interface.header["model"].put(spoilt, machine.judge.tables.offsets[index], number)
        machine.reader.wrong_tables = machine.writer.wrong_tables = True
        for unit in engines:
            unit.load(SCHEMA_BASE, bytes(spoilt))
            machine.registers(unit)
        assert machine.status(machine.read(index, b"")) == "BAD_DESCRIPTOR"
        machine.writer.load(FIXED_BASE, bytes(1 << 12))
        outcome = machine.write(index, FIXED_BASE, FIXED_BASE, FIXED_BASE + (1 << 12), 64)
        assert machine.status(outcome) == "BAD_DESCRIPTOR"
    machine.judge.close()

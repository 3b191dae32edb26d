"""Object models: the one in the slot is loaded before the first command after a reset, and commands of any other one
are refused."""

import os
import random
import struct

import pytest
from harness import loadable, sound
from native import Machine, Native

from heapwire.schema import compile_proto
from sim.unit.process import SCHEMA_BASE
from tests.common.cases import EVEN
from tests.common.native import NativeCase
from tests.unit.engine import EngineReader, EngineWriter

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
SLOT, PLACE, PARTS, PART_BITS = 1280, 8, 4, 18
UNUSED, OPEN, MODEL_AT, MODEL_BIT = 11, 14, 20, 30
"""Events of the slot: one that nanopb's structs do not have, and the begin of the root. Where a table has its model."""
SIMPLE = 'syntax = "proto3"; package r; message M { int32 one = 1; int32 two = 2; }'
MANAGED = 'syntax = "proto3"; package t; message M { int32 one = 1; N inner = 2; } message N { int32 two = 1; }'


@pytest.fixture
def words(program) -> list[int]:
    """Returns nanopb's program as software loads it."""
    return loadable(program, "nanopb")


def load(interface, words: list[int], *units) -> None:
    for unit in units:
        for word in words:
            unit.register(interface.registers["PROTOBUF_PROGRAM"], word)


def spoilt(words: list[int]) -> list[int]:
    """Returns other instructions at the same addresses."""
    return [word ^ ((1 << PART_BITS) - 1) for word in words]


def without_begin(words: list[int]) -> list[int]:
    """Returns what makes the begin of a struct an event without a handler."""
    trap = [word for word in words if word >> PART_BITS + 2 == SLOT + UNUSED * PLACE]
    assert len(trap) == PARTS
    return [word + ((OPEN - UNUSED) * PLACE << PART_BITS + 2) for word in trap]


@pytest.fixture
def machine(unit, serializer, interface, natives):
    return Machine(unit, serializer, interface, natives(Native("simple", SIMPLE, "\n", "")))


def with_model(tables: bytes, table: int, model: int) -> bytes:
    """Returns nanopb's tables, of which one says another model."""
    spoilt = bytearray(tables)
    (word,) = struct.unpack_from("<I", tables, table + MODEL_AT)
    assert word >> MODEL_BIT == 1
    struct.pack_into("<I", spoilt, table + MODEL_AT, word & (1 << MODEL_BIT) - 1 | model << MODEL_BIT)
    return bytes(spoilt)


def case(machine, write: bool, data: str = "08011002") -> NativeCase:
    return NativeCase("r_M", bytes.fromhex(data), EVEN, (0, 0), *machine.native.texts, write)


def right(machine) -> None:
    for write in (False, True):
        assert machine.difference(case(machine, write)) is None and machine.ended == ("OK", "OK")


def test_what_is_loaded_is_what_runs(machine, unit, serializer, interface, words):
    load(interface, spoilt(words), unit, serializer)
    load(interface, words, unit, serializer)
    right(machine)


def test_a_model_without_a_handler_refuses(machine, unit, interface, words):
    load(interface, without_begin(words), unit)
    outcome, *_ = machine.reader.run(0, b"\x08\x01")
    assert interface.status_name(outcome.status) == "BAD_DESCRIPTOR"


def test_nothing_is_loaded_after_the_first_command_until_a_reset(machine, unit, serializer, interface, words):
    right(machine)
    load(interface, spoilt(words), unit, serializer)
    right(machine)
    for one in (unit, serializer):
        one.reset()
    load(interface, spoilt(words), unit, serializer)
    load(interface, words, unit, serializer)
    for bench in (machine.reader, machine.writer):
        bench.load(machine.judge.tables)
    right(machine)
    load(interface, without_begin(words), unit)
    right(machine)


def test_a_load_beside_the_first_command_changes_nothing(machine, unit, interface, words):
    """A command that has begun runs the program that was there."""
    dice = random.Random(3)
    outcome, *_ = machine.reader.run(0, b"\x08\x01", reset_after=0)
    assert outcome.status == 0
    for _ in range(20):
        load(interface, [dice.choice(spoilt(words)) for _ in range(50)], unit)
        assert machine.difference(case(machine, write=False)) is None


def test_a_load_while_a_command_runs_changes_nothing(machine, unit, interface, words):
    """As many words as a command has cycles: those of the slot's begin, where its handlers are, come first."""
    for _ in range(20):
        for word in reversed(spoilt(words)):
            unit.beside(interface.registers["PROTOBUF_PROGRAM"], word)
        assert machine.difference(case(machine, write=False)) is None
        for bench in (machine.reader, machine.writer):
            bench.unit.reset()
            bench.load(machine.judge.tables)
        right(machine)
        unit.reset()
        machine.reader.load(machine.judge.tables)


@pytest.mark.parametrize("step", [29] + [1] * FULL)
def test_what_a_cut_load_leaves_is_not_entered(machine, program, unit, serializer, interface, step):
    """After each word of another model, and of nanopb's again, the engine refuses a message, or does it as nanopb."""
    tables, types = machine.judge.tables, machine.judge.types
    made = machine.judge.made(0, b"\x08\x01", 0)
    for model in ("upb", "nanopb"):
        words = loadable(program, model)
        for i, word in enumerate(words):
            load(interface, [word], unit, serializer)
            left = len(words) - 1 - i
            if i % step and i > 2 and left > 2:
                continue
            opened = (False, i == 0) if model == "upb" else (left <= 1, left == 0)
            # At the ends upb's model, or nanopb's, would be given another one's tables.
            for number in (1, 2) if 1 < i and left > 1 else (1,):
                spoilt = with_model(tables, types[0].table, number)
                for bench in (machine.reader, machine.writer):
                    bench.unit.wrong_tables = number != 1
                    bench.load(spoilt)
                outcomes = machine.reader.run(0, b"\x08\x01")[0], machine.writer.run(0, made)[0]
                for outcome, open_ in zip(outcomes, opened):
                    sound(outcome)
                    assert interface.status_name(outcome.status) == ("OK" if open_ else "BAD_DESCRIPTOR"), (model, i)
                for bench in (machine.reader, machine.writer):
                    bench.unit.reset()
    for bench in (machine.reader, machine.writer):
        bench.load(tables)
    right(machine)


def test_only_the_slot_is_written(unit, serializer, interface, natives, tmp_path, words):
    outside = [at << PART_BITS + 2 | part << PART_BITS | at for at in range(SLOT) for part in range(PARTS)]
    load(interface, outside, unit, serializer)
    right(Machine(unit, serializer, interface, natives(Native("simple", SIMPLE, "\n", ""))))
    managed(unit, serializer, interface, tmp_path)


def managed(unit, serializer, interface, folder, root: int = 0, inner: int = 0) -> list[str]:
    """Reads and writes a managed message with an inner one, of whose tables the models are wrong. Returns statuses."""
    (folder / "t.proto").write_text(MANAGED)
    schema = compile_proto(folder / "t.proto")
    reader, writer = (of.of(one, interface, schema) for of, one in ((EngineReader, unit), (EngineWriter, serializer)))
    data = bytes.fromhex("080112020802")
    made = reader.run(data, reader.schema.index("t.M"))
    sound(made)
    assert made.status == 0
    writer.fixed, writer.flexible = reader.regions()
    writer.place()
    statuses = []
    for bench in (reader, writer):
        bench.unit.wrong_tables = bool(root or inner)
        blob = bytearray(bench.blob)
        for name, model in (("t.M", root), ("t.N", inner)):
            at = bench.schema.types[bench.schema.index(name)].table_offset + MODEL_AT
            (word,) = struct.unpack_from("<I", blob, at)
            struct.pack_into("<I", blob, at, word | model << MODEL_BIT)
        bench.unit.load(SCHEMA_BASE, bytes(blob))
        bench.registers()
        index = bench.schema.index("t.M")
        outcome = bench.run(data, index) if bench is reader else bench.run(made.root, index)
        sound(outcome)
        statuses.append(interface.status_name(outcome.status))
    return statuses


@pytest.mark.parametrize("root, inner, status", [(0, 0, "OK"), *((m, 0, "BAD") for m in (1, 2, 3)), (0, 2, "BAD")])
def test_models_that_are_not_there_or_mixed(unit, serializer, interface, tmp_path, root, inner, status):
    """Model 1 is there, but then the inner type is of another one; and what it says of the root's class is wrong."""
    wanted = "OK" if status == "OK" else "BAD_DESCRIPTOR"
    read, written = managed(unit, serializer, interface, tmp_path, root, inner)
    assert read == wanted and (written == wanted or root == 1 and written != "OK")


@pytest.mark.parametrize("model", [2, 3])
def test_a_struct_of_another_model(machine, unit, serializer, interface, model):
    tables = with_model(machine.judge.tables, machine.judge.types[0].table, model)
    for bench in (machine.reader, machine.writer):
        bench.unit.wrong_tables = True
        bench.load(tables)
    made = machine.judge.made(0, b"\x08\x01", 0)
    outcome, *_ = machine.reader.run(0, b"\x08\x01")
    written, _ = machine.writer.run(0, made)
    for one in (outcome, written):
        assert interface.status_name(one.status) == "BAD_DESCRIPTOR"

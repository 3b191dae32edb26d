"""The deserializer on C structs, against nanopb itself, compiled for this machine with RV32's layout of structs."""
from __future__ import annotations

import os
import random

import pytest

from sim.unit.deserializer import FIXED_BASE, FLEXIBLE_BASE, GUARD, HANG, INPUT_BASE, SCHEMA_BASE
from tests.nanopb import program as programs
from tests.nanopb.judge import Judge
from tests.common.wire import varint
from tests.nanopb.schemas import random_input, random_schema

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
FILL = 0xA5

#: What the unit may leave to nanopb although the twin does not: a list of messages that is interrupted or merged.
DECLINED = 0.05


class NativeBench:
    """A unit with the tables of a schema in its memory."""

    def __init__(self, unit, interface, judge: Judge) -> None:
        self.unit, self.interface, self.judge = unit, interface, judge
        self.load(judge.tables)

    def load(self, tables: bytes) -> None:
        self.unit.load(SCHEMA_BASE, tables)
        self.unit.register(self.interface.registers["TABLE_BASE"], SCHEMA_BASE)
        self.unit.register(self.interface.registers["TABLE_LIMIT"], SCHEMA_BASE + len(tables))

    def run(self, index: int, data: bytes, skew: tuple[int, int] = (0, 0), arena: int = 1 << 16, reset_after: int = 0):
        """Deserializes into a struct full of FILL; the outcome, the struct's bytes and those that its pointers refer to."""
        kind = self.judge.types[index]
        source, place = INPUT_BASE + skew[0], FIXED_BASE + skew[1] // kind.alignment * kind.alignment
        if data:
            self.unit.load(source, data)
        self.unit.load(place - GUARD, bytes([FILL]) * (kind.size + 2 * GUARD))
        self.unit.load(FLEXIBLE_BASE, bytes([FILL]) * (arena + GUARD))
        outcome = self.unit.run(self.interface.operations["protobuf_deserialize"],
                                [source, len(data), SCHEMA_BASE + kind.table, 0, place, place + kind.size, FLEXIBLE_BASE, FLEXIBLE_BASE + arena],
                                [(place, place + kind.size), (FLEXIBLE_BASE, FLEXIBLE_BASE + arena)], reset_after)
        for guard in (place - GUARD, place + kind.size, FLEXIBLE_BASE + arena):
            assert self.unit.dump(guard, GUARD) == bytes([FILL]) * GUARD, f"a guard at {guard:#x} changed"
        if outcome.status == HANG:  # cut off: it has no results
            return outcome, b"", b""
        assert FLEXIBLE_BASE <= outcome.flexible_top <= FLEXIBLE_BASE + arena, outcome
        used = outcome.flexible_top - FLEXIBLE_BASE
        return outcome, self.unit.dump(place, kind.size) if kind.size else b"", self.unit.dump(FLEXIBLE_BASE, used) if used else b""


def sound(outcome) -> None:
    assert outcome.status != HANG, "the command hangs"
    assert not outcome.outside and not outcome.violations, outcome


@pytest.fixture
def bench_of(unit, interface):
    """Makes benches; their judges end with the test."""
    judges = []

    def make(seed: int, pointers: bool):
        wide = seed % 3 != 1
        schema = random_schema(random.Random(seed), 5, wide, pointers)
        program = programs.build(f"native{'_pointers' if pointers else ''}{seed}", schema.proto, schema.options,
                                 "-DPB_FIELD_32BIT" if wide else "", "serve")
        judges.append(Judge(program))
        return NativeBench(unit, interface, judges[-1]), program, schema
    yield make
    for judge in judges:
        judge.close()


def shake(unit, dice) -> None:
    unit.memory(dice.getrandbits(32), dice.choice([0, 0, 10, 80, 200]), dice.choice([1, 10, 20]), dice.choice([20, 40, 150]))


@pytest.mark.parametrize("pointers", [False, True], ids=["inline", "pointers"])
@pytest.mark.parametrize("seed", range(200 if FULL else 2))
def test_messages(bench_of, interface, seed, pointers):
    """What nanopb makes of them, byte for byte; whole, merged, with unknown fields, and damaged."""
    bench, program, schema = bench_of(seed, pointers)
    dice = random.Random(1000 + seed)
    usable = [i for i, kind in enumerate(bench.judge.types) if kind.table is not None and "Entry" not in kind.name]
    good = declined = 0
    for _ in range(125):
        shake(bench.unit, dice)
        index = dice.choice(usable)
        data = random_input(program.message_class(program.types[index])(), schema.fits, dice)
        outcome, *found = bench.run(index, data, (dice.randrange(32), dice.randrange(64)))
        sound(outcome)
        model, fault = bench.judge.decoded(index, outcome.status, data, *found)
        said = f"{program.types[index]} {data.hex()} unit {interface.status_name(outcome.status)}, twin {interface.status_name(model)}"
        assert not fault, f"{fault}: {said}"
        good += model == interface.status["OK"]
        if outcome.status != model and model == interface.status["OK"]:
            assert interface.status_name(outcome.status) == "UNSUPPORTED", said
            declined += 1
        elif model != interface.status["OK"]:
            assert outcome.status != interface.status["OK"], said
    assert good >= 40 and declined <= DECLINED * good + 1, (good, declined)


@pytest.mark.parametrize("seed", range(60 if FULL else 1))
def test_damaged_tables(bench_of, seed):
    """Whatever the tables say, commands end and nothing outside the struct is written."""
    bench, program, schema = bench_of(seed, seed % 2 == 1)
    dice = random.Random(2000 + seed)
    usable = [i for i, kind in enumerate(bench.judge.types) if kind.table is not None and "Entry" not in kind.name]
    for _ in range(40):
        shake(bench.unit, dice)
        tables = bytearray(bench.judge.tables)
        for _ in range(dice.choice([1, 2, 8, 40])):
            at = dice.randrange(len(tables))
            tables[at] = dice.choice([0, 1, 0xFF, tables[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        bench.load(bytes(tables))
        index = dice.choice(usable)
        data = random_input(program.message_class(program.types[index])(), schema.fits, dice)
        outcome, *_ = bench.run(index, data, (dice.randrange(32), dice.randrange(64)), dice.choice([0, 64, 4096]))
        sound(outcome)


WRAPPING = """syntax = "proto2";
message Long { repeated bool flag = 1 [packed = true]; optional bytes data = 2; repeated bytes list = 3; }
"""


def test_counts_that_would_wrap(unit, interface):
    """Counts of two bytes: what they cannot say does not fit, as with nanopb."""
    program = programs.build("native_long", WRAPPING, "Long.* type:FT_POINTER\n", "", "serve")
    judge = Judge(program)
    bench = NativeBench(unit, interface, judge)
    unit.memory(1, 0, 10, 20)
    index = next(i for i, kind in enumerate(judge.types) if kind.name.endswith("Long"))
    for count, status in ((65_535, "OK"), (65_536, "DOES_NOT_FIT"), (70_000, "DOES_NOT_FIT")):
        for key in (b"\x0a", b"\x12", b"\x1a"):
            data = key + varint(count) + b"\1" * count
            outcome, *found = bench.run(index, data, arena=1 << 18)
            sound(outcome)
            assert interface.status_name(outcome.status) == status, (key, count)
            model, fault = judge.decoded(index, outcome.status, data, *found)
            assert not fault and interface.status_name(model) == status, (fault, key, count)
    judge.close()


def test_reset(bench_of, interface):
    """A command that is cut off leaves nothing behind for the next one."""
    bench, program, schema = bench_of(0, True)
    dice = random.Random(3)
    usable = [i for i, kind in enumerate(bench.judge.types) if kind.table is not None and "Entry" not in kind.name]
    for _ in range(20):
        index = dice.choice(usable)
        data = random_input(program.message_class(program.types[index])(), schema.fits, dice)
        bench.run(index, data, reset_after=dice.randrange(1, 300))
        bench.load(bench.judge.tables)
        outcome, *found = bench.run(index, data)
        sound(outcome)
        _, fault = bench.judge.decoded(index, outcome.status, data, *found)
        assert not fault, fault

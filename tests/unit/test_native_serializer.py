"""The serializer on C structs, against nanopb itself, compiled for this machine with RV32's layout of structs."""
from __future__ import annotations

import os
import random

import pytest

from sim.unit.process import HANG, SCHEMA_BASE
from tests.nanopb import program as programs
from tests.nanopb.judge import MEMORY, Judge, Made
from tests.nanopb.schemas import random_input, random_schema

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
STRUCT_BASE, OUTPUT_END = 0x4800_0000, 0x4E00_0000
GUARD = 64
FILL = 0xA5


class NativeBench:
    """A unit with the tables of a schema in its memory."""

    def __init__(self, unit, interface, judge: Judge) -> None:
        self.unit, self.interface, self.judge = unit, interface, judge
        self.load(judge.tables)

    def load(self, tables: bytes) -> None:
        self.unit.load(SCHEMA_BASE, tables)
        self.unit.register(self.interface.registers["TABLE_BASE"], SCHEMA_BASE)
        self.unit.register(self.interface.registers["TABLE_LIMIT"], SCHEMA_BASE + len(tables))

    def run(self, index: int, made: Made, skew: tuple[int, int] = (0, 0), size: int = 1 << 16, reset_after: int = 0):
        """Serializes a struct into `size` bytes; the outcome and what it wrote."""
        kind = self.judge.types[index]
        place, end = STRUCT_BASE + skew[0] // kind.alignment * kind.alignment, OUTPUT_END + skew[1]
        self.unit.load(place, made.message + b"\xff" * GUARD)
        if made.memory:
            self.unit.load(MEMORY, made.memory)
        self.unit.load(end - size - GUARD, bytes([FILL]) * (size + 2 * GUARD))
        limit = MEMORY + len(made.memory) if made.memory else place + kind.size
        self.unit.readable(place, max(limit, place + 1))
        outcome = self.unit.run(self.interface.operations["protobuf_serialize"],
                                [place, SCHEMA_BASE + kind.table, 0, end - size, end, place, limit, 0], [(end - size, end)], reset_after)
        for guard in (end - size - GUARD, end):
            assert self.unit.dump(guard, GUARD) == bytes([FILL]) * GUARD, f"a guard at {guard:#x} changed"
        ok = outcome.status == self.interface.status["OK"]
        return outcome, self.unit.dump(outcome.start, outcome.length) if ok and outcome.length else b""


def sound(outcome) -> None:
    assert outcome.status != HANG, "the command hangs"
    assert not outcome.outside and not outcome.violations, outcome


@pytest.fixture
def bench_of(serializer, interface):
    """Makes benches; their judges end with the test."""
    judges = []

    def make(seed: int, pointers: bool):
        wide = seed % 3 != 1
        schema = random_schema(random.Random(seed), 5, wide, pointers)
        program = programs.build(f"native{'_pointers' if pointers else ''}{seed}", schema.proto, schema.options,
                                 "-DPB_FIELD_32BIT" if wide else "", "serve")
        judges.append(Judge(program))
        return NativeBench(serializer, interface, judges[-1]), program, schema
    yield make
    for judge in judges:
        judge.close()


def usable(bench) -> list[int]:
    return [i for i, kind in enumerate(bench.judge.types) if kind.table is not None and not kind.decode_only and "Entry" not in kind.name]


def shake(unit, dice) -> None:
    unit.memory(dice.getrandbits(32), dice.choice([0, 0, 10, 80, 200]), dice.choice([1, 10, 20]), dice.choice([20, 40, 150]))


def structs(bench, program, schema, dice, count: int, spoilt: float):
    """Random structs of random types, some with what no decoder makes."""
    while count:
        shake(bench.unit, dice)
        index = dice.choice(usable(bench))
        data = random_input(program.message_class(program.types[index])(), schema.fits, dice)
        made = bench.judge.made(index, data, dice.getrandbits(32) if dice.random() < spoilt else 0)
        if made:
            count -= 1
            yield index, made


@pytest.mark.parametrize("pointers", [False, True], ids=["inline", "pointers"])
@pytest.mark.parametrize("seed", range(200 if FULL else 2))
def test_structs(bench_of, interface, seed, pointers):
    """What nanopb makes of them, byte for byte; and what it refuses is refused, for the twin's reason."""
    bench, program, schema = bench_of(seed, pointers)
    dice = random.Random(3000 + seed)
    good = refused = 0
    for index, made in structs(bench, program, schema, dice, 125, 0.4):
        outcome, output = bench.run(index, made, (dice.randrange(64), dice.randrange(64)))
        sound(outcome)
        status = interface.status_name(outcome.status)
        said = f"{program.types[index]} struct {made.message.hex()} memory {made.memory.hex()} unit {status}, twin {interface.status_name(made.status)}"
        assert status == interface.status_name(made.status), said
        assert (status == "OK") == (made.encoding is not None), said
        assert output == (made.encoding or b""), f"{output.hex()} not {(made.encoding or b'').hex()}: {said}"
        good += status == "OK"
        refused += status != "OK"
    assert good >= 80 and refused >= 1, (good, refused)


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_tight_outputs(bench_of, interface, seed):
    """A byte too few is OUTPUT_FULL; exactly enough is enough."""
    bench, program, schema = bench_of(seed, seed % 2 == 0)
    dice = random.Random(4000 + seed)
    for index, made in structs(bench, program, schema, dice, 30, 0):
        if not made.encoding:
            continue
        outcome, output = bench.run(index, made, (0, dice.randrange(64)), len(made.encoding))
        sound(outcome)
        assert output == made.encoding
        outcome, _ = bench.run(index, made, (0, dice.randrange(64)), dice.randrange(len(made.encoding)))
        sound(outcome)
        assert interface.status_name(outcome.status) == "OUTPUT_FULL"


@pytest.mark.parametrize("seed", range(60 if FULL else 2))
def test_damaged(bench_of, seed):
    """Whatever tables and structs say, commands end, read within their bounds and write within the output."""
    bench, program, schema = bench_of(seed, seed % 2 == 0)
    dice = random.Random(5000 + seed)
    for index, made in structs(bench, program, schema, dice, 40, 0.2):
        tables, message, memory = bytearray(bench.judge.tables), bytearray(made.message), bytearray(made.memory)
        for part, times in ((tables, dice.choice([0, 1, 8, 40])), (message, dice.choice([0, 1, 4])), (memory, dice.choice([0, 1, 4]))):
            for _ in range(times if part else 0):
                at = dice.randrange(len(part))
                part[at] = dice.choice([0, 1, 0xFF, part[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        bench.load(bytes(tables))
        outcome, _ = bench.run(index, Made(bytes(message), bytes(memory), None, 0), (dice.randrange(64), dice.randrange(64)),
                               dice.choice([0, 64, 4096]))
        sound(outcome)


def test_reset(bench_of, interface):
    """A command that is cut off leaves nothing behind for the next one."""
    bench, program, schema = bench_of(0, True)
    dice = random.Random(6)
    for index, made in structs(bench, program, schema, dice, 20, 0):
        bench.run(index, made, reset_after=dice.randrange(1, 300))
        bench.load(bench.judge.tables)
        outcome, output = bench.run(index, made)
        sound(outcome)
        assert output == (made.encoding or b"")

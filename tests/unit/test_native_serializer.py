"""The serializer on C structs: tight outputs, damaged structs and tables, reset. What it makes of structs: test_native_fuzz.py."""
from __future__ import annotations

import os
import random

import pytest

from conftest import WRITERS, name_of
from harness import shake, sound
from native import Native, Writer
from tests.nanopb.judge import Made

FULL = bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session", params=WRITERS, ids=name_of)
def writer(request):
    """The engine writes C structs, too."""
    return request.param


@pytest.fixture
def bench_of(serializer, interface, natives):
    """A schema by its number, and a bench of it."""
    def make(seed: int, pointers: bool) -> tuple[Native, Writer]:
        native = natives(Native.random(seed, pointers))
        return native, Writer(serializer, interface, native.judge)
    return make


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_tight_outputs(bench_of, interface, seed):
    """A byte too few is OUTPUT_FULL; exactly enough is enough."""
    native, bench = bench_of(seed, seed % 2 == 0)
    dice = random.Random(4000 + seed)
    for index, made in native.structs(dice, 30, 0):
        shake(bench.unit, dice)
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
    native, bench = bench_of(seed, seed % 2 == 0)
    dice = random.Random(5000 + seed)
    for index, made in native.structs(dice, 40, 0.2):
        shake(bench.unit, dice)
        tables, message, memory = bytearray(native.judge.tables), bytearray(made.message), bytearray(made.memory)
        for part, times in ((tables, dice.choice([0, 1, 8, 40])), (message, dice.choice([0, 1, 4])), (memory, dice.choice([0, 1, 4]))):
            for _ in range(times if part else 0):
                at = dice.randrange(len(part))
                part[at] = dice.choice([0, 1, 0xFF, part[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        bench.load(bytes(tables))
        outcome, _ = bench.run(index, Made(bytes(message), bytes(memory), None, 0), (dice.randrange(64), dice.randrange(64)),
                               dice.choice([0, 64, 4096]))
        sound(outcome)


def test_reset(bench_of):
    """A command that is cut off leaves nothing behind for the next one."""
    native, bench = bench_of(0, True)
    dice = random.Random(6)
    for index, made in native.structs(dice, 20, 0):
        bench.run(index, made, reset_after=dice.randrange(1, 300))
        bench.load(native.judge.tables)
        outcome, output = bench.run(index, made)
        sound(outcome)
        assert output == (made.encoding or b"")

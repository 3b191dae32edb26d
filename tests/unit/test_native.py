"""The engine reading C structs: damaged tables, counts that would wrap, reset. test_native_fuzz.py tests the results
for messages."""

from __future__ import annotations

import os
import random

import pytest
from harness import shake, sound, status_of
from native import Native, Reader

from tests.common.wire import varint

FULL = bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.mark.parametrize("seed", range(60 if FULL else 1))
def test_damaged_tables(unit, interface, natives, seed):
    """Whatever the tables say, commands end and nothing outside the struct is written."""
    native = natives(Native.random(seed, seed % 2 == 1))
    bench = Reader(unit, interface, native.judge)
    dice = random.Random(2000 + seed)
    for _ in range(40):
        shake(unit, dice)
        tables = bytearray(native.judge.tables)
        for _ in range(dice.choice([1, 2, 8, 40])):
            at = dice.randrange(len(tables))
            tables[at] = dice.choice([0, 1, 0xFF, tables[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        bench.load(bytes(tables))
        index = native.index(dice)
        outcome, *_ = bench.run(
            index, native.data(index, dice), (dice.randrange(32), dice.randrange(64)), dice.choice([0, 64, 4096])
        )
        sound(outcome)


WRAPPING = """syntax = "proto2";
message Long { repeated bool flag = 1 [packed = true]; optional bytes data = 2; repeated bytes list = 3; }
"""


def test_counts_that_would_wrap(unit, interface, natives):
    """Counts have two bytes. A larger count does not fit, as with nanopb."""
    native = natives(Native("native_long", WRAPPING, "Long.* type:FT_POINTER\n", ""))
    bench = Reader(unit, interface, native.judge)
    unit.memory(1, 0, 10, 20)
    index = next(i for i, kind in enumerate(native.judge.types) if kind.name.endswith("Long"))
    for count, status in ((65_535, "OK"), (65_536, "DOES_NOT_FIT"), (70_000, "DOES_NOT_FIT")):
        for key in (b"\x0a", b"\x12", b"\x1a"):
            data = key + varint(count) + b"\1" * count
            outcome, *found = bench.run(index, data, arena=1 << 18)
            assert status_of(bench, outcome) == status, (key, count)
            model, fault = native.judge.decoded(index, outcome.status, data, *found)
            assert not fault and interface.status_name(model) == status, (fault, key, count)


def test_reset(unit, interface, natives):
    """A command that is cut off leaves nothing behind for the next one."""
    native = natives(Native.random(0, True))
    bench = Reader(unit, interface, native.judge)
    dice = random.Random(3)
    for _ in range(20):
        index = native.index(dice)
        data = native.data(index, dice)
        bench.run(index, data, reset_after=dice.randrange(1, 300))
        bench.load(native.judge.tables)
        outcome, *found = bench.run(index, data)
        sound(outcome)
        _, fault = native.judge.decoded(index, outcome.status, data, *found)
        assert not fault, fault

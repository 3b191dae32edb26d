"""Differential fuzzing of reading and writing on C structs, against nanopb: random schemas with random options; bytes that are whole, merged,
with unknown fields, damaged; structs that nanopb makes of them, and such as no decoder makes. A failing case is made smaller and
kept; `HEAPWIRE_CASE=build/failures/NAME.json` runs it again."""
import dataclasses
import os
import random

import pytest

from native import Machine, Native
from tests.common.cases import AGAIN, EVEN, check, smallest
from tests.common.native import NativeCase

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
PER_SCHEMA = 125
#: Seeds of make test. What they hold of cases that are right, and that a unit has something to do in, is known.
SEEDS = 4
#: Share of what nanopb decodes that a unit may leave to it: lists of messages that are interrupted or merged, no more.
DECLINED = 0.05


def run(machine, dice, write):
    """The statuses of so many cases that a unit had something to do in."""
    found = []
    while len(found) < PER_SCHEMA:
        check(machine, machine.random(dice, write))
        found += [machine.ended] if machine.ended else []
    return found


@pytest.mark.skipif(bool(AGAIN), reason="one case alone")
@pytest.mark.parametrize("pointers", [False, True], ids=["inline", "pointers"])
@pytest.mark.parametrize("seed", range(200 if FULL else SEEDS))
def test_both_directions(unit, serializer, interface, natives, seed, pointers):
    """125 each way a seed and kind: 2,000 in make test, 100,000 at each width in the full tests."""
    machine = Machine(unit, serializer, interface, natives(Native.random(seed, pointers)))
    dice = random.Random(1000 + seed)
    read, written = run(machine, dice, write=False), run(machine, dice, write=True)
    if seed >= SEEDS:
        return
    good, declined = ([ended[1] for ended in read].count("OK"), read.count(("UNSUPPORTED", "OK")))
    assert good >= 40 and declined <= DECLINED * good + 1, (good, declined)
    assert 80 <= written.count(("OK", "OK")) < PER_SCHEMA


@pytest.mark.skipif(not NativeCase.again(), reason="HEAPWIRE_CASE names no such case")
def test_a_kept_case(unit, serializer, interface, natives):
    case = NativeCase.kept(AGAIN)
    native = natives(Native("kept", case.proto, case.options, case.defines))
    assert Machine(unit, serializer, interface, native).difference(case) is None


@pytest.mark.parametrize("write", [False, True], ids=["read", "written"])
def test_a_wrong_answer_is_found_and_kept(unit, serializer, interface, natives, tmp_path, write):
    """Of nanopb's answers to what has a field 1, one that is wrong."""
    machine = Machine(unit, serializer, interface, natives(Native("wrong", 'syntax = "proto3"; package r; message M { int32 one = 1; int32 two = 2; }', "\n", "")))
    judge = machine.judge
    decoded, made = judge.decoded, judge.made
    judge.decoded = lambda index, status, data, *found: (0, "wrong") if b"\x08" in data else decoded(index, status, data, *found)

    def made_wrong(index, data, choice):
        right = made(index, data, choice)
        return dataclasses.replace(right, encoding=b"wrong") if right and b"\x08" in data else right

    judge.made = made_wrong
    case = NativeCase("r_M", bytes.fromhex("1003" "0805" "1004"), (5, 80, 1, 20), (3, 8), *machine.native.texts, write)
    assert (b"wrong".hex() if write else "wrong") in machine.difference(case)
    least = smallest(case, lambda other: machine.difference(other) is not None)
    assert least.data == (b"\x08\0" if write else b"\x08") and least.memory == EVEN and NativeCase.kept(least.keep(tmp_path)) == least
    assert machine.difference(least.with_data(b"\x10\x03")) is None

"""Differential fuzzing of reading and writing C structs, against nanopb. Schemas and their options are random. Bytes
are whole, merged, with unknown fields, or damaged. Structs are those that nanopb makes of them, and others that no
decoder makes.

A failing case is shrunk and kept. `HEAPWIRE_CASE=build/failures/NAME.json` runs it again."""

import dataclasses
import os
import random

import pytest
from native import Machine, Native

from tests.common.cases import AGAIN, EVEN, check, smallest
from tests.common.native import NativeCase

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
PER_SCHEMA = 125
#: Number of seeds of make test. For these it is known how many cases are right and leave a unit something to do.
SEEDS = 4
#: Largest share of the messages that nanopb decodes that a unit may leave to it: lists of messages that are
#: interrupted or merged.
DECLINED = 0.05


def run(machine, dice, write):
    """Runs PER_SCHEMA cases in which a unit had something to do. Returns their statuses."""
    found = []
    while len(found) < PER_SCHEMA:
        check(machine, machine.random(dice, write))
        found += [machine.ended] if machine.ended else []
    return found


@pytest.mark.skipif(bool(AGAIN), reason="one case alone")
@pytest.mark.parametrize("pointers", [False, True], ids=["inline", "pointers"])
@pytest.mark.parametrize("seed", range(200 if FULL else SEEDS))
def test_both_directions(unit, serializer, interface, natives, seed, pointers):
    """125 cases per direction, seed and kind: 2,000 in make test, 100,000 at each width in the full tests."""
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
    """nanopb's answers are made wrong for inputs with a field 1."""
    machine = Machine(
        unit,
        serializer,
        interface,
        natives(Native("wrong", 'syntax = "proto3"; package r; message M { int32 one = 1; int32 two = 2; }', "\n", "")),
    )
    judge = machine.judge
    decoded, made = judge.decoded, judge.made
    judge.decoded = lambda index, status, data, *found: (
        (0, "wrong") if b"\x08" in data else decoded(index, status, data, *found)
    )

    def made_wrong(index, data, choice):
        right = made(index, data, choice)
        return dataclasses.replace(right, encoding=b"wrong") if right and b"\x08" in data else right

    judge.made = made_wrong
    case = NativeCase("r_M", bytes.fromhex("100308051004"), (5, 80, 1, 20), (3, 8), *machine.native.texts, write)
    assert (b"wrong".hex() if write else "wrong") in machine.difference(case)
    least = smallest(case, lambda other: machine.difference(other) is not None)
    assert (
        least.data == (b"\x08\0" if write else b"\x08")
        and least.memory == EVEN
        and NativeCase.kept(least.keep(tmp_path)) == least
    )
    assert machine.difference(least.with_data(b"\x10\x03")) is None

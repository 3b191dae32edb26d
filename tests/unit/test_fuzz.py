"""Differential fuzzing of reading and writing. Schemas are random and use every feature. Messages are as serializers
write them, unusual, or damaged.

A failing case is shrunk and kept. `HEAPWIRE_CASE=build/failures/NAME.json` runs it again."""

import os
import random

import pytest
from fuzz import Machine

from heapwire.schema import Clear, compile_proto
from tests.common.cases import AGAIN, EVEN, check, smallest, without_a_field
from tests.common.managed import KINDS, Case, Expected, random_data
from tests.common.schemas import random_schema

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
PER_SCHEMA = 20
DEPTHS = 0, 0, 1, 1, 2, 3
"""Levels of messages within a message. Few are deep, since such a message takes as long as ten flat ones."""


def messages(dice, schema, clear):
    """Yields messages, of KINDS in turn."""
    for i in range(PER_SCHEMA):
        name, kind = dice.choice(schema.type_names()), KINDS[i % len(KINDS)]
        data = random_data(dice, schema, name, kind, depth=dice.choice(DEPTHS))
        yield Case.random(dice, schema, name, data, kind == "tame", clear)


@pytest.mark.skipif(bool(AGAIN), reason="one case alone")
@pytest.mark.parametrize("seed", range(2500 if FULL else 100))
def test_both_directions(unit, serializer, interface, seed):
    """20 messages per seed: 2,000 in make test, 50,000 at each width in the full tests."""
    dice = random.Random(seed)
    schema = random_schema(dice)
    clear = (Clear.ALL, Clear.REFERENCES, Clear.ALL, Clear.UNASKED)[seed % 4]
    machine = Machine(unit, serializer, interface, schema, clear)
    for case in messages(dice, schema, clear):
        check(machine, case)


@pytest.mark.skipif(not Case.again(), reason="HEAPWIRE_CASE names no such case")
def test_a_kept_case(unit, serializer, interface):
    case = Case.kept(AGAIN)
    assert Machine(unit, serializer, interface, case.files, Clear(case.clear)).difference(case) is None


@pytest.mark.parametrize(
    "entry, comparable",
    [
        ("", True),
        ("0801", True),
        ("08011002", True),
        ("08011801", False),
        ("0d00000000", False),
        ("08011202aabb", False),
    ],
)
def test_an_entry_that_the_library_keeps_as_unknown_is_not_compared(entry, comparable, tmp_path):
    (tmp_path / "t.proto").write_text('syntax = "proto3"; message M { map<int64, int32> counts = 7; }')
    data = bytes([7 << 3 | 2, len(entry) // 2]) + bytes.fromhex(entry)
    assert Expected(compile_proto(tmp_path / "t.proto"), "M", data).comparable == comparable


def test_cases_shrink_and_are_kept(tmp_path):
    dice = random.Random(5)
    case = Case.random(
        dice, random_schema(dice), "r.M0", dice.randbytes(300) + b"\x07" + dice.randbytes(300) + b"\x09\x00", True
    )
    least = smallest(case, lambda other: 7 in other.data and 9 in other.data[other.data.index(7) :])
    assert least.data == b"\x07\x09" and least.memory == EVEN
    assert Case.kept(least.keep(tmp_path)) == least


def test_fields_within_messages_are_left_out():
    inner = bytes.fromhex("08011202aabb1d01020304")
    data = b"\x2a\x0b" + inner + b"\x30\x05"
    assert set(without_a_field(data)) == {
        b"\x30\x05",
        b"\x2a\x0b" + inner,
        b"\x2a\x09" + inner[2:] + b"\x30\x05",
        b"\x2a\x07" + inner[:2] + inner[6:] + b"\x30\x05",
        b"\x2a\x06" + inner[:6] + b"\x30\x05",
    }

"""Differential fuzzing of both units: random schemas with every feature; messages as serializers write them, as nobody does, and
damaged. A failing case is made smaller and kept; `HEAPWIRE_CASE=build/failures/NAME.json` runs it again."""
import os
import random
import sys
from pathlib import Path

import pytest

from fuzz import Case, Machine, schema_of, smallest
from heapwire.schema import Clear

sys.path.append(str(Path(__file__).resolve().parents[1] / "firmware"))
from random_schemas import random_schema  # noqa: E402
from random_wire import Writer, damage  # noqa: E402

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
AGAIN = os.environ.get("HEAPWIRE_CASE")
PER_SCHEMA = 20
LONGEST = 6000


def messages(dice, schema, clear):
    """A third each: tame, wild, damaged."""
    for i in range(PER_SCHEMA):
        name, kind = dice.choice(schema.type_names()), i % 3
        data = Writer(dice, wild=kind > 0, complete=kind < 2 or dice.random() < 0.5, broken=kind == 2).message(schema.descriptor(name))
        while len(data) > LONGEST:
            data = Writer(dice, wild=kind > 0).message(schema.descriptor(name), depth=1)[:LONGEST if kind else None]
        yield Case.random(dice, schema, name, damage(data, dice) if kind == 2 else data, kind == 0, clear)


def check(machine, case):
    difference = machine.difference(case)
    if difference:
        least = smallest(case, lambda other: machine.difference(other) is not None)
        pytest.fail(f"{difference}\nat least {least.type} {least.data.hex()}: {machine.difference(least)}\nHEAPWIRE_CASE={least.keep()}")


@pytest.mark.skipif(bool(AGAIN), reason="one case alone")
@pytest.mark.parametrize("seed", range(2500 if FULL else 100))
def test_both_units(unit, serializer, interface, seed):
    """20 messages a seed: 2,000 in make test, 50,000 at each width in the full tests."""
    dice = random.Random(seed)
    schema = random_schema(dice)
    clear = (Clear.ALL, Clear.REFERENCES, Clear.ALL, Clear.UNASKED)[seed % 4]
    machine = Machine(unit, serializer, interface, schema, clear)
    for case in messages(dice, schema, clear):
        check(machine, case)


@pytest.mark.skipif(not AGAIN, reason="HEAPWIRE_CASE names no case")
def test_a_kept_case(unit, serializer, interface):
    case = Case.kept(AGAIN)
    assert Machine(unit, serializer, interface, schema_of(case), Clear(case.clear)).difference(case) is None


def test_cases_shrink_and_are_kept(tmp_path):
    dice = random.Random(5)
    case = Case.random(dice, random_schema(dice), "r.M0", dice.randbytes(300) + b"\x07" + dice.randbytes(300) + b"\x09\x00", True)
    least = smallest(case, lambda other: 7 in other.data and 9 in other.data[other.data.index(7):])
    assert least.data == b"\x07\x09" and least.memory == (1, 0, 1, 1)
    assert Case.kept(least.keep(tmp_path)) == least

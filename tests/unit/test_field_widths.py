"""Random field instructions, right and wrong, on engines over memories of two widths: the same answers, and the same
objects."""

import os
import random

import pytest

from sim.unit.build import build
from sim.unit.process import MEMORY_BASE, MEMORY_SIZE, Unit
from tests.unit.engine import FIXED_BASE, FLEXIBLE_BASE, INPUT_BASE, OUTPUT_BASE
from tests.unit.fields import FAILED, FLAG, HEAP, MESSAGE, RAW, REPEATED, Instructions

LATE = "denied writes"
"""Whether an earlier write was denied is known once its block was sent. Widths differ in when that is: another fault
may come before."""
FULL = bool(os.environ.get("HEAPWIRE_FULL"))


def random_writes(fields: Instructions, dice: random.Random) -> tuple:
    """Writes random fields, right and wrong, of random words."""
    unit, kinds = fields.unit, sorted(fields.interface.types)
    unit.fill(OUTPUT_BASE, 4096, 0)
    heap, limit = HEAP + 8 * dice.randrange(8), 0
    limit = heap + 200 + 4 * dice.randrange(100)
    words = [
        dice.choice(
            [
                heap + 8 * dice.randrange(60),
                heap,
                dice.randrange(20),
                0,
                dice.getrandbits(32),
                MEMORY_BASE + MEMORY_SIZE + 8 * dice.randrange(1000),
            ]
        )
        for _ in range(200)
    ]
    unit.load(HEAP, b"".join(word.to_bytes(4, "little") for word in words))
    size, denied = dice.randrange(200), dice.random() < 0.2
    bounds = (MEMORY_BASE - (1 << 20), MEMORY_BASE + MEMORY_SIZE + (1 << 28)) if denied else (heap, limit)
    unit.open(output=(OUTPUT_BASE + 64, OUTPUT_BASE + 64 + size), heap=bounds)
    fields.set_up("OUTPUT", OUTPUT_BASE + 64, size)
    fields.set_up("HEAP", *bounds)
    for _ in range(dice.randint(1, 6)):
        kind = dice.randrange(32) if dice.random() < 0.05 else dice.choice(kinds)
        function = kind | dice.choice([0, 0, REPEATED]) | dice.choice([0, 0, FLAG])
        slot = heap + (dice.randrange(500) if dice.random() < 0.1 else 8 * dice.randrange(40))
        number = dice.choice([0, 1 << 29]) if dice.random() < 0.06 else dice.randint(1, 40)
        fields.serfield(RAW if dice.random() < 0.08 else function, slot - 16 * (dice.random() < 0.05), number)
    length, at, status = fields.check("LENGTH"), fields.check("AT"), fields.status()
    fields.done()
    if status == "OK":
        return status, length, unit.dump(OUTPUT_BASE, 400)
    # Widths may differ in which object they blame, and in when they notice that a request was denied.
    return (status, length) if status in ("BAD_OBJECT", "BAD_COMMAND", "BUS_FAULT") else (status, length, at)


def random_reads(fields: Instructions, dice: random.Random) -> tuple:
    """Parses random values, right and wrong, into random slots."""
    unit, types = fields.unit, fields.interface.types
    for base in (MESSAGE, FIXED_BASE, FLEXIBLE_BASE):
        unit.fill(base, 4096, 0)
    data = bytes(b & 7 if dice.random() < 0.8 else b for b in dice.randbytes(dice.randint(1, 120)))
    end = MEMORY_BASE + MEMORY_SIZE
    outside = dice.randrange(12)
    source = (end - 80 if outside == 0 else INPUT_BASE) + dice.randrange(20)
    unit.load(source, data[: end - source])
    sizes = [dice.randrange(400) if dice.random() < 0.5 else 1000 for _ in range(2)]
    fixed, flexible = (
        (base + (end if outside == 1 else 0) & 0xFFFF_FFFF, size)
        for base, size in zip((FIXED_BASE, FLEXIBLE_BASE), sizes)
    )
    unit.open(
        input=(source, source + len(data)),
        destination=(MESSAGE, MESSAGE + 128),
        fixed=(fixed[0], sum(fixed)),
        flexible=(flexible[0], sum(flexible)),
    )
    fields.set_up("INPUT", source, source + len(data))
    fields.set_up("FIXED", fixed[0], sum(fixed))
    fields.set_up("FLEXIBLE", flexible[0], sum(flexible))
    fields.set_up("DESTINATION", MESSAGE, MESSAGE + 128)
    at, answers, slots = source, [], {}
    for _ in range(dice.randint(1, 10)):
        index = 4 * dice.randrange(34) if dice.random() < 0.03 else 8 * dice.randrange(16)
        fresh = dice.randrange(32) if dice.random() < 0.02 else dice.choice(sorted(types))
        seen = index in slots
        code = slots.setdefault(index, fresh | dice.choice([0, REPEATED]))
        kind = types.get(code & 31)
        nests = kind is not None and kind.name in ("MESSAGE", "GROUP")
        string = kind is not None and kind.name in ("STRING", "BYTES")
        flag = FLAG * ((string or bool(code & REPEATED) and not nests) and dice.random() < 0.3)
        function = code | (FLAG if dice.random() < 0.03 else REPEATED * nests | flag)
        slot = MESSAGE + index + (bool(code & REPEATED) and seen and dice.random() < 0.9)
        slot += dice.randrange(8) if dice.random() < 0.02 else 0
        origin = at - dice.randrange(30) if dice.random() < 0.02 else at + dice.randrange(3)
        answers.append(fields.parfield(function, origin, slot))
        if answers[-1] != FAILED and not nests:
            at = answers[-1]
        if dice.random() < 0.12:
            answers.append(fields.check("TAKE", dice.randrange(60)))
    top, where, status = fields.check("FIXED_TOP"), fields.check("AT"), fields.status()
    fields.done()
    if status == "OK":
        return status, answers, top, unit.dump(MESSAGE, 140), unit.dump(FIXED_BASE, sizes[0] + 8)
    if outside == 1:
        return (LATE, status) if status == "BUS_FAULT" else (LATE, status, answers, where)
    return (status,) if status == "BUS_FAULT" else (status, answers, where)


@pytest.mark.parametrize("run", [random_writes, random_reads])
def test_widths_agree(interface, run):
    """Random instructions, right and wrong: an engine over a narrow memory answers and writes what one over a wide
    memory does."""
    found = []
    for width in (32, 128):
        unit = Unit(build(width, "Engine", "fields"), 1)
        for index in interface.registers.values():
            unit.register(index, 0x100 + 16 * index)
        unit.register(interface.registers["MARK_PROTOTYPE"], 1)
        unit.memory(1, 25, 1, 40)
        rounds = [random.Random(i) for i in range(400 if FULL else 150)]
        found.append([run(Instructions(unit, interface, random.Random(i)), dice) for i, dice in enumerate(rounds)])
        unit.close()
    for i, (narrow, wide) in enumerate(zip(*found, strict=True)):
        assert narrow == wide or narrow[0] == wide[0] == LATE and "BUS_FAULT" in (narrow[1], wide[1]), i
    statuses = {outcome[outcome[0] == LATE] for outcome in found[0]}
    assert len(statuses) >= 6 and "BUS_FAULT" in statuses, "hardly anything happens"

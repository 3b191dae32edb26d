"""What every test of a single unit checks, and how it varies the unit's memory."""

from __future__ import annotations

import random
from pathlib import Path

from sim.unit.process import HANG, Outcome, Unit
from tests.common.cases import random_memory

GUARD = 128
"""Bytes before and after what a unit may write, which must not change."""


def fence(unit: Unit, filler: int, *areas: tuple[int, int]) -> None:
    """Fills areas, each with its base and size, and the guards around them."""
    for base, size in areas:
        unit.fill(base - GUARD, size + 2 * GUARD, filler)


def fenced(unit: Unit, filler: int, *areas: tuple[int, int]) -> None:
    """Checks that the guards around areas still hold the filler."""
    for base, size in areas:
        for guard in (base - GUARD, base + size):
            assert unit.dump(guard, GUARD) == bytes([filler]) * GUARD, f"a guard at {guard:#x} changed"


def sound(outcome: Outcome) -> None:
    """Checks that nothing hung, that no master read or wrote what the command does not own, and that no bus rule
    was broken."""
    assert outcome.status != HANG, "the command hangs"
    assert not (outcome.outside or outcome.strays or outcome.violations), outcome


def loadable(program: Path, model: str) -> list[int]:
    """Returns the program of an object model as software writes it, in its order. program: the harness."""
    text = (Path(program).parents[1] / f"{model}.program").read_text()
    return [int(word) for word in text.split()[1:]]


def shake(unit: Unit, dice: random.Random) -> None:
    """Gives each case a memory with random timing."""
    unit.memory(*random_memory(dice))


def status_of(bench, outcome: Outcome) -> str:
    """Returns the name of a sound command's status."""
    sound(outcome)
    return bench.interface.status_name(outcome.status)

"""What every test of a single unit checks, and how it varies the unit's memory."""

from __future__ import annotations

import random

from sim.unit.process import HANG, Outcome, Unit
from tests.common.cases import random_memory


def sound(outcome: Outcome) -> None:
    """Checks that nothing hung, that nothing was written outside the allowed ranges, and that no bus rule was
    broken."""
    assert outcome.status != HANG, "the command hangs"
    assert not outcome.outside and not outcome.violations, outcome


def shake(unit: Unit, dice: random.Random) -> None:
    """Gives each case a memory with random timing."""
    unit.memory(*random_memory(dice))


def status_of(bench, outcome: Outcome) -> str:
    """Returns the name of a sound command's status."""
    sound(outcome)
    return bench.interface.status_name(outcome.status)

"""What every test of a unit alone asks of it, and does to its memory."""
from __future__ import annotations

import random

from sim.unit.process import HANG, Outcome, Unit
from tests.common.cases import random_memory


def sound(outcome: Outcome) -> None:
    """Nothing hung, nothing was written where nothing may be, no bus rule was broken."""
    assert outcome.status != HANG, "the command hangs"
    assert not outcome.outside and not outcome.violations, outcome


def shake(unit: Unit, dice: random.Random) -> None:
    """A memory of its own kind for each case."""
    unit.memory(*random_memory(dice))

"""Object models are loaded on the SoC before the first command, and not after it."""

import json

import pytest

from sim.run import run
from tests.soc.program import program


@pytest.mark.parametrize("name, by_unit", [("models", 2), ("models_upb", 0), ("models_other", 2)])
def test_the_model_that_is_loaded_decides_who_decodes(name, by_unit):
    """With another model in the units, nanopb's own code does what they refuse. A program of another
    build is not loaded."""
    result = run(program(name), max_cycles=20_000_000).check()
    (counts,) = [json.loads(line) for line in result.uart.decode().splitlines() if line.startswith("{")]
    assert counts == {"by_unit": by_unit, "redone": 2 - by_unit, "software": 0}

"""hw_pb_decode and hw_pb_encode on the simulated SoC, beside nanopb."""
import json

from sim.run import run
from tests.soc.program import program


def test_structs():
    """By the unit, every one; equal to nanopb's; and every message that is cut ends as with nanopb."""
    result = run(program("nanopb"), max_cycles=60_000_000).check()
    *messages, counts = [json.loads(line) for line in result.uart.decode().splitlines() if line.startswith("{")]
    assert {row["message"] for row in messages} == {"scalars", "media", "packed", "oneofs", "pointers"}
    for row in messages:
        assert row["by_unit"] == 4 and row["redone"] == 0, row
        assert row["hw"] < row["nanopb"] / 5, row
    assert counts["overruled"] == 0 and counts["software"] == 0, counts

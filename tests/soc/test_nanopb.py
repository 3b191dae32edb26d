"""hw_pb_decode and hw_pb_encode on the simulated SoC, beside nanopb."""

import json

from sim.run import run
from tests.soc.program import program

#: Calls that programs/nanopb.c makes for one message: one compared and four timed for decoding, four timed for
#: encoding.
DECODES, ENCODES = 5, 4


def test_structs():
    """The units do every call, and the results are nanopb's. Input that is cut, or does not fit, ends as with
    nanopb."""
    result = run(program("nanopb"), max_cycles=60_000_000).check()
    *messages, counts = [json.loads(line) for line in result.uart.decode().splitlines() if line.startswith("{")]
    for row in [*messages, counts]:
        print(row)
    assert {row["message"] for row in messages} == {"scalars", "media", "packed", "oneofs", "pointers"}
    for row in messages:
        assert row["decoded_by_unit"] == DECODES and row["encoded_by_unit"] == ENCODES and row["redone"] == 0, row
        assert row["decode_hw"] < row["decode_nanopb"] / 5 and row["encode_hw"] < row["encode_nanopb"] / 5, row
    assert counts["software"] == [0, 0] and counts["overruled"] == [0, 0], counts

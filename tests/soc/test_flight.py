"""Many commands in flight at a time, through the driver (programs/flight.c)."""

from tests.soc.test_heap import cls, counts, random_messages  # noqa: F401 (cls is a fixture)

LANES, ROUNDS = 24, 6


def test_commands_in_flight(cls):
    did = counts("flight", random_messages(cls), max_cycles=60_000_000)
    assert did["commands"] == 2 * LANES * ROUNDS + 2 * 2 + 1 + 1
    assert did["in_flight"] > did["commands"] - 10 and did["fallbacks"] == 0

"""Many messages in flight at a time, and the gain from a second unit."""

from heapwire.measure.rows import Row
from study.bench.rows import geometric_mean

ONE, TWO = "hw-x1", "hw-x2"
"""The engines: eight commands in flight to one or two units (study/firmware/programs/bench/flight.c)."""
SINGLE = "protobuf@single-128"
"""The rows of CONFIG=single, which is CONFIG=full with one unit. Two units are compared with them."""
SHORT, LONG = 400, 4096
"""Bounds of the message size, in bytes. For shorter messages the core's driver is the bottleneck; eight longer ones do
not fit into the shared cache."""


def _of(rows: list[Row], engine: str, operation: str) -> list[Row]:
    return [row for row in rows if (row["engine"], row["op"]) == (engine, operation)]


def gains(two: list[Row], one: list[Row], operation: str) -> dict[str, float]:
    """Returns, by case, the cycles a message with one unit divided by those with two, with eight messages in flight
    either way."""

    of_one = {str(row["case"]): int(row["cycles"]) for row in _of(one, ONE, operation) if row["ok"]}
    of_two = {str(row["case"]): int(row["cycles"]) for row in _of(two, TWO, operation) if row["ok"]}
    return {case: of_one[case] / cycles for case, cycles in of_two.items() if case in of_one}


def gain(two: list[Row], one: list[Row], operation: str) -> float | None:
    """Returns the geometric mean over the field-heavy messages of SHORT to LONG bytes, or None if one machine lacks
    some of the other's messages."""

    def cases(rows: list[Row], engine: str) -> set[str]:
        mine = _of(rows, engine, operation)
        fits = [str(row["case"]) for row in mine if SHORT <= int(row["wire_bytes"]) <= LONG]
        return {case for case in fits if case.startswith("fields/")}

    wanted, found = cases(two, TWO), gains(two, one, operation)
    if not wanted or wanted != cases(one, ONE) or not wanted <= found.keys():
        return None
    return geometric_mean([found[case] for case in wanted])

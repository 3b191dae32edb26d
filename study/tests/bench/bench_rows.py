"""Made-up rows of a bench: as an image of the suite `protobuf` prints them, complete ones of any suite, and bars."""

import pytest

from heapwire.measure import rows
from study.bench import bars, limits


def row(case="s/1", engine="hw", cycles=100, layout=0, ok=True, **more):
    names = {"suite": "protobuf", "case": case, "op": "deserialize", "engine": engine, "model": "managed"}
    return names | {"cycles": cycles, "wire_bytes": 10, "layout": layout, "ok": ok} | more


def complete(*given, config="default", port=16, **more):
    """Returns such a row with all keys."""
    return rows.complete(row(*given, **more), config, port)


def of_suite(suite, config, case, op, engine, cycles, moved=0, **more):
    """Returns a complete row of a suite. moved: bytes that passed a unit's port and DRAM's."""
    names = {"suite": suite, "case": case, "op": op, "engine": engine, "model": "managed", "cycles": cycles, "ok": True}
    sizes = {"wire_bytes": 100, "object_bytes": 1000, "read_bytes": moved, "dram_read_bytes": moved}
    return rows.complete(names | sizes | more, config, 16)


def bar_of(suite, name, found):
    """Returns the figure of the one bar whose name begins so, and whether these rows of the suite meet it."""
    (bar,) = [each for each in limits.of_suite(suite) if each.name.startswith(name)]
    result = bars.check(bar, {suite: found})
    return result and (pytest.approx(result.measured), result.met)

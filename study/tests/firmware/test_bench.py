"""The protobuf bench's rows, host-built, with nanopb code for test.Everything and the types that it reaches."""

import json
import subprocess
from dataclasses import replace

import pytest

from heapwire.measure.messages import demo_group
from heapwire.workload.case import CAPNP, Case
from heapwire.workload.group import FLIGHT, Group, pack
from study.bench import upb
from study.records.upb import Upb

NO_CODE, NO_ROOM = 254, 253
"""Statuses of study/firmware/programs/bench/row.h."""
ENGINES = ("hw", "table", "nanopb", "hw_nanopb")
BY_UPB = tuple(engine.text for engine in Upb)


@pytest.fixture
def bench(programs, everything, interface, tmp_path, monkeypatch):
    """Returns a function that runs cases and returns (exit code, rows of an operation by engine)."""
    monkeypatch.setattr(Group, "nanopb", True)  # ask for nanopb even without code for it

    def run(*cases, operation="deserialize"):
        (tmp_path / "workload").write_bytes(pack(Group("test", everything, list(cases), added=tuple(Upb)), interface))
        result = subprocess.run([programs / "bench", tmp_path / "workload"], capture_output=True, text=True)
        assert result.returncode in (0, 1), result.stdout[-500:] + result.stderr[-3000:]
        rows = [json.loads(line) for line in result.stdout.splitlines()]
        return result.returncode, {row["engine"]: row for row in rows if row["op"] == operation}

    return run


@pytest.mark.parametrize("operation", ["deserialize", "serialize"])
def test_good_rows(bench, operation):
    engines = (*ENGINES, *BY_UPB)
    code, rows = bench(Case("good", "test.Everything", b"\x28\x01\x9a\x01\x03\x0a\x01a", engines), operation=operation)
    assert code == 0
    assert list(rows) == [name for name in engines if operation == "deserialize" or name not in upb.ONLY_READ]
    assert all(row["ok"] and row["status"] == 0 for row in rows.values())
    assert rows["hw_nanopb"]["fallbacks"] and not rows["nanopb"]["fallbacks"]  # the host build has no unit


@pytest.mark.parametrize("operation", ["deserialize", "serialize"])
def test_many_in_flight(bench, operation):
    code, rows = bench(
        Case("good", "test.Everything", b"\x28\x01\x9a\x01\x03\x0a\x01a", ("table", FLIGHT)), operation=operation
    )
    assert code == 0 and list(rows) == ["table", "hw-x0"] and rows["hw-x0"]["ok"] and rows["hw-x0"]["fallbacks"] >= 32


def test_a_message_of_capn_proto_is_copied(bench):
    code, rows = bench(Case("other", "test.Everything", bytes(range(64)), (CAPNP,)))
    assert code == 0 and rows["capnp"]["ok"] and rows["capnp"]["wire_bytes"] == 64


@pytest.mark.parametrize("case", demo_group().cases, ids=lambda case: case.name)
def test_the_demo_s_messages_are_what_the_library_says(programs, interface, tmp_path, case):
    """They include map entries with an empty value, and zeros that were sent."""
    group = replace(demo_group(), cases=[replace(case, engines=("table",))])
    (tmp_path / "workload").write_bytes(pack(group, interface))
    result = subprocess.run([programs / "bench", tmp_path / "workload"], capture_output=True, text=True)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 0
    assert [(row["op"], row["ok"]) for row in rows] == [("deserialize", True), ("serialize", True)]


def test_an_engine_without_code_has_a_row_that_is_not_ok(bench):
    code, rows = bench(Case("grouped", "test.Grouped", b"\x08\x01", ENGINES))
    assert code == 1 and list(rows) == list(ENGINES)
    assert rows["table"]["ok"] and rows["hw"]["ok"]
    for engine in ("nanopb", "hw_nanopb"):
        assert (rows[engine]["ok"], rows[engine]["status"], rows[engine]["cycles"]) == (False, NO_CODE, 0)


def test_an_encoding_that_does_not_fit_is_not_compared(bench):
    """Negative int32s take 5 bytes each on this wire, and nanopb encodes them in 10. The result exceeds the fixed
    arena."""
    count = 1_750_000
    length = 5 * count
    varint = bytes([length & 127 | 128, length >> 7 & 127 | 128, length >> 14 & 127 | 128, length >> 21])
    code, rows = bench(
        Case("long", "test.Everything", b"\x9a\x02" + varint + b"\xff\xff\xff\xff\x0f" * count, ("nanopb",))
    )
    assert code == 1 and (rows["nanopb"]["ok"], rows["nanopb"]["status"]) == (False, NO_ROOM)

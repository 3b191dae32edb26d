"""The protobuf bench's rows, host-built, nanopb having code for test.Everything and what it reaches."""
import json
import subprocess
from dataclasses import replace

import pytest

from heapwire.bench.cases import demo_group
from heapwire.bench.workload import Group, pack
from heapwire.demo.messages import Case

NO_CODE, NO_ROOM = 254, 253
"""Of firmware/bench/row.h."""
ENGINES = ("hw", "table", "nanopb")


@pytest.fixture
def bench(programs, everything, interface, tmp_path, monkeypatch):
    """Runs cases; returns (exit code, rows by engine)."""
    monkeypatch.setattr(Group, "nanopb", True)  # ask for it, code or none

    def run(*cases):
        (tmp_path / "workload").write_bytes(pack(Group("test", everything, list(cases)), interface))
        result = subprocess.run([programs / "bench", tmp_path / "workload"], capture_output=True, text=True)
        assert result.returncode in (0, 1), result.stdout[-500:] + result.stderr[-3000:]
        return result.returncode, {row["engine"]: row for row in map(json.loads, result.stdout.splitlines())}

    return run


def test_good_rows(bench):
    code, rows = bench(Case("good", "test.Everything", b"\x28\x01\x9a\x01\x03\x0a\x01a", ENGINES))
    assert code == 0 and list(rows) == list(ENGINES)
    assert all(row["ok"] and row["status"] == 0 for row in rows.values())


@pytest.mark.parametrize("case", demo_group().cases, ids=lambda case: case.name)
def test_the_demo_s_messages_are_what_the_library_says(programs, interface, tmp_path, case):
    """Entries of maps whose value is empty, and zeros that were sent, among them."""
    group = replace(demo_group(), cases=[replace(case, engines=("table",))])
    (tmp_path / "workload").write_bytes(pack(group, interface))
    result = subprocess.run([programs / "bench", tmp_path / "workload"], capture_output=True, text=True)
    assert result.returncode == 0 and json.loads(result.stdout)["ok"]


def test_an_engine_without_code_has_a_row_that_is_not_ok(bench):
    code, rows = bench(Case("grouped", "test.Grouped", b"\x08\x01", ENGINES))
    assert code == 1 and list(rows) == list(ENGINES)
    assert rows["table"]["ok"] and rows["hw"]["ok"]
    assert (rows["nanopb"]["ok"], rows["nanopb"]["status"], rows["nanopb"]["cycles"]) == (False, NO_CODE, 0)


def test_an_encoding_that_does_not_fit_is_not_compared(bench):
    """Negative int32s, 5 bytes each on this wire, that nanopb encodes in 10: more than the fixed arena."""
    count = 1_750_000
    length = 5 * count
    varint = bytes([length & 127 | 128, length >> 7 & 127 | 128, length >> 14 & 127 | 128, length >> 21])
    code, rows = bench(Case("long", "test.Everything", b"\x9a\x02" + varint + b"\xff\xff\xff\xff\x0f" * count, ("nanopb",)))
    assert code == 1 and (rows["nanopb"]["ok"], rows["nanopb"]["status"]) == (False, NO_ROOM)

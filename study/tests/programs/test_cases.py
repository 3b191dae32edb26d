"""Single cases of what the programs exchange, and of what the bench compares (host/cases.c)."""

import subprocess

import pytest

CASES = [
    "copies",
    "exchanges",
    "addresses",
    "dripping_peer",
    "flooding_peer",
    "silent_machine",
    "previous_exchange",
    "endless_exchange",
    "streams_without_room",
]


@pytest.mark.parametrize("case", CASES)
def test_case(programs, case):
    result = subprocess.run([programs / "cases", case], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr

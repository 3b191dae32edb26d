"""Single cases of the driver, without units: host/cases.c."""

import subprocess

import pytest

CASES = [
    "in_a_row",
    "sticky",
    "registering",
    "told",
    "hashes",
    "epochs",
    "handles_run_out",
    "over_a_line",
    "alignment",
    "bad_objects",
    "overlapping",
    "forged_marks",
    "no_answer",
    "two_steps",
    "out_of_turn",
    "pieces",
]


@pytest.mark.parametrize("case", CASES)
def test_case(programs, case):
    result = subprocess.run([programs / "cases", case], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr

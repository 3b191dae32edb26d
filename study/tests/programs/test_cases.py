"""Single cases of what the programs exchange, and of what the bench compares (host/cases.c)."""

from tests.common.case_program import check_cases


def test_cases(programs):
    check_cases(programs / "cases")

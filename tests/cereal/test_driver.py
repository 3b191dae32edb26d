"""Single cases of the driver, without units: host/cases.c."""

from tests.common.case_program import check_cases


def test_cases(programs):
    check_cases(programs / "cases")

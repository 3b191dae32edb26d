"""Single cases over the classes of the generated tables (host/cases.c)."""

from tests.common.case_program import check_cases


def test_cases(programs):
    check_cases(programs / "cases")

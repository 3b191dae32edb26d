"""The shapes of figures: columns, means and lines of the paper's numbers."""

import pytest

from base.errors import HeapwireError
from study.report.figure import Column, bars, each, fields, mean, paper, table
from study.report.records import cases, cycles, together
from study.report.text import count, fixed


def row(case, engine, cycles, op="serialize"):
    return {"case": case, "engine": engine, "op": op, "cycles": cycles}


ROWS = [row("a", "java", 100), row("a", "hw", 10), row("a", "hw-x2", 5), row("b", "java", 100), row("b", "hw", 40)]


def lines(*totals, rows=ROWS, **more):
    columns = each(("java", "hw", "hw-x2", "hw-x4"), cycles, fixed(1), mean=True, over="java")
    made = table("Times", "case; operation=op", *columns, totals=totals, **more).build(rows)
    return made.head, made.lines


def test_groups_of_bars_have_names_of_their_own():
    two = [{"case": "bench0/M25", "a": 1}, {"case": "bench1/M25", "a": 2}]
    assert bars("Two | cycles", "a", records=list).build(two)
    with pytest.raises(HeapwireError, match="Two: two groups of bars are named M25"):
        bars("Two | cycles", "a", records=list, name=lambda record: record["case"].partition("/")[2]).build(two)


def test_an_engine_that_nobody_measured_has_no_column():
    assert lines()[0] == ["case", "operation", "hw", "hw-x2"]
    assert lines()[1] == [["a", "serialize", "10.0", "20.0"], ["b", "serialize", "2.5", ""]]
    assert lines(rows=[])[1] == [] and lines(mean("mean"), rows=[])[1] == []


def test_means_are_over_all_cases_or_over_those_that_all_engines_have():
    assert lines(mean("mean of {n}"))[1][-1] == ["mean of 2", "serialize", "5.0", "20.0"]
    assert lines(mean("mean of {n}", shared=True))[1][-1] == ["mean of 1", "serialize", "10.0", "20.0"]
    alone = lines(mean("mean of {n}", when=lambda case: case.case == "b"))[1]
    assert alone[-1] == ["mean of 1", "serialize", "2.5", ""]


def test_the_papers_numbers_are_below_their_columns():
    total = paper("the paper's", {("serialize", "hw"): 7, "hw-x2": "8, 9", ("deserialize", "hw"): 1})
    assert lines(total)[1][-1] == ["the paper's", "serialize", "7.0", "8, 9"]
    both = ROWS + [row("a", "java", 9, "deserialize"), row("a", "hw", 3, "deserialize")]
    found = lines(total, rows=both, by=lambda case: case.op)[1]
    assert [line[2] for line in found if line[0] == "the paper's"] == ["7.0", "1.0"]


def test_columns_of_keys():
    made = [column.cell({"wire_bytes": 1234, "x": 0.5}) for column in fields("bytes=wire_bytes:count; x:2; y")]
    assert made == ["1,234", "0.50", ""] and Column("a", lambda record: None, count).cell({}) == ""


def test_both_directions_count_for_engines_that_did_both():
    (case,) = together(ROWS[:2] + [row("a", "hw", 3, "deserialize")])
    assert case.rows.keys() == {"hw"} and [case.rows["hw"][key] for key in ("cycles", "write", "read")] == [13, 10, 3]
    assert [each.case for each in cases(ROWS)] == ["a", "b"]

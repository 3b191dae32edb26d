"""Rows of a bench: as images print them, merged over layouts, and the slopes and means over them."""

import json

import pytest

from base.errors import HeapwireError
from heapwire.measure.rows import complete
from study.bench import cases, rows, run
from study.bench.rows import in_all
from study.tests.bench.bench_rows import row


def test_lines():
    assert rows.parse_line("# remark") is None
    assert rows.parse_line(json.dumps(row()) + "\n") == row()
    with pytest.raises(HeapwireError, match="damaged"):
        rows.parse_line('{"suite": "pro')


def test_sweeps_are_measured_in_one_layout_and_messages_in_all():
    groups = [
        group for group in cases.groups() if group.name in ("demo", "fields", "sweeps", "sizes", "fields-unasked")
    ]
    wanted = run.layouts_of("protobuf", groups)
    found = {group.name: {wanted({"case": case.name, "op": "deserialize"}) for case in group.cases} for group in groups}
    assert found == {"demo": {5}, "fields": {5}, "sweeps": {1}, "sizes": {1}, "fields-unasked": {1}}
    assert run.layouts_of("memory", [])({"case": "copy", "op": "copy"}) == 1
    assert run.layouts_of("core", [])({"case": "read", "op": "read"}) == 5


def test_layouts_are_merged_to_the_fastest():
    merged = rows.merge_layouts(
        [row(cycles=120), row(cycles=90, layout=1, fallbacks=2), row(engine="nanopb", cycles=900)]
    )
    assert [(m["cycles"], m["layouts"], m["fallbacks"]) for m in merged] == [(90, 2, 2), (900, 1, 0)]
    assert rows.merge_layouts([row(), row(layout=1, ok=False)])[0]["ok"] is False
    assert rows.merge_layouts([row()], expected_layouts=lambda _: 5)[0]["ok"] is False


def test_rows_have_the_whole_format():
    whole = complete(row(extra=7), "default", 16)
    assert " ".join(list(whole)[:16]) == (
        "suite case op engine model cycles instret wire_bytes object_bytes read_bytes write_bytes "
        "port_bytes_per_cycle fallbacks layouts config ok"
    )
    assert whole["extra"] == 7 and whole["port_bytes_per_cycle"] == 16 and "layout" not in whole


def test_slopes():
    lines = [row(f"a/{n}", cycles=50 + 3 * n) for n in (10, 100, 1000)] + [
        row("a/5", cycles=0, ok=False),
        row("b/1"),
        row("b/2"),
        row("name", cycles=5),
    ]
    (slope,) = rows.slopes(lines)
    assert slope.series == "a" and abs(slope.rate - 3) < 1e-6 and abs(slope.fixed - 50) < 1e-6 and slope.error < 1e-9


def test_means_are_over_the_cases_that_all_measured_engines_have():
    assert in_all([{"a": 1.0, "b": 2.0}, {}, {"b": 3.0, "c": 4.0}]) == [{"b": 2.0}, {}, {"b": 3.0}]
    assert in_all([]) == [] and in_all([{}, {}]) == [{}, {}]

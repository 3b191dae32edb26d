"""Large graphs by software: the result of a line through smaller ones, and that it never counts as a measurement."""

import pytest

from study.bench import cereal, fitted, rows, written
from study.report import suite
from study.tests.bench.bench_rows import of_suite


@pytest.fixture(scope="module")
def groups(klasses):
    return cereal.groups(klasses)


def row(graph, engine, cycles):
    more = {"wire_bytes": 9, "object_bytes": graph.heap_bytes}
    return of_suite("cereal", "cereal", graph.name, "serialize", engine, cycles, **more)


def measured(groups, series, sizes=(cereal.SMALL, cereal.MEDIUM), engine="java", bend=0):
    """Returns rows of a shape in which a graph takes 5,000 cycles and each unit of size 100. The large graph takes
    `bend` more."""
    by_name = {graph.name: graph for group in groups for graph in group.graphs}
    graphs = [by_name[series.case(series.sizes[size])] for size in sizes]
    return [
        row(graph, engine, 5000 + 100 * fitted.size_of(graph) + (bend if size == cereal.LARGE else 0))
        for graph, size in zip(graphs, sizes)
    ]


def test_size_is_objects_and_references(groups):
    dense = next(graph for group in groups for graph in group.graphs if graph.name == "graph-dense/64")
    assert fitted.size_of(dense) == 128 + 64 + 64 * 63


@pytest.mark.parametrize(
    "series",
    [each for each in cereal.SERIES if each.name in ("tree-narrow", "list-small", "graph-dense")],
    ids=lambda each: each.name,
)
def test_a_line_tells_the_large_graph(groups, series):
    (found,) = fitted.rows_of(measured(groups, series), groups)
    (wanted,) = measured(groups, series, (cereal.LARGE,))
    assert found["fitted"] is True and found["case"] == wanted["case"] and found["engine"] == "java"
    assert found["cycles"] == pytest.approx(wanted["cycles"], rel=1e-6)
    assert found["instret"] == found["wire_bytes"] == found["layouts"] == 0, "nothing else is known"


def test_nothing_is_fitted_without_both_sizes_or_beside_what_was_measured(groups):
    series = cereal.SERIES[0]
    both = measured(groups, series)
    assert fitted.rows_of([], groups) == fitted.rows_of(both[:1], groups) == fitted.rows_of(both[1:], groups) == []
    assert fitted.rows_of([both[0], both[1] | {"ok": False}], groups) == []
    assert fitted.rows_of(measured(groups, series, engine="hw"), groups) == [], "units are measured"
    small, medium, large = measured(groups, series, (0, 1, 2))
    assert fitted.rows_of([small, medium, large], groups) == []
    assert fitted.rows_of([small, medium, large | {"ok": False}], groups) == [], (
        "a wrong row is not replaced by one that looks right"
    )
    assert fitted.rows_of(both, [group for group in groups if not group.name.startswith("large")]) == []


@pytest.mark.parametrize("bend, verdict", [(0, "linear"), (1 << 30, "**not linear**")])
def test_a_third_size_tells_whether_it_is_a_line(groups, bend, verdict):
    series = next(each for each in cereal.SERIES if each.third)
    sizes = {graph.name: fitted.size_of(graph) for group in groups for graph in group.graphs}
    (line,) = fitted.lines(measured(groups, series, (0, 1, 2), bend=bend), sizes)
    assert line.verdict == verdict and (round(line.error, 2) == 0) == (bend == 0)
    (line,) = fitted.lines(measured(groups, series), sizes)
    assert line.verdict == "two sizes alone" and line.error is None
    small, medium = measured(groups, series)
    (line,) = fitted.lines([small, medium | {"cycles": 3 * medium["cycles"]}], sizes)
    assert "not linear" in line.verdict


def test_what_was_fitted_is_marked_and_counts_nowhere(groups, tmp_path):
    both = measured(groups, cereal.SERIES[0])
    told = fitted.rows_of(both, groups)
    names = [each["case"] for each in both + told]
    units = [row(graph, "hw", 1000) for group in groups for graph in group.graphs if graph.name in names]
    everything = both + units + told
    assert set(rows.speedups(everything, ("java",))) == {each["case"] for each in both}
    assert {slope.engine for slope in rows.slopes(everything)} == {"hw"}
    text = suite.write(written.write("cereal", everything, tmp_path, machine="")).read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("| tree-narrow/32767 | 9 ")]
    assert f"| ~{told[0]['cycles']:,} |" in line and "was not measured" in text
    (line,) = [line for line in text.splitlines() if line.startswith("| tree-narrow | serialize | java ")]
    assert f"| ~{told[0]['cycles']:,} |" in line and line.endswith("| two sizes alone |")

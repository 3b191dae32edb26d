"""What rows have in common (heapwire.bench.rows)."""

from heapwire.bench.rows import in_all


def test_means_are_over_the_cases_that_all_measured_engines_have():
    assert in_all([{"a": 1.0, "b": 2.0}, {}, {"b": 3.0, "c": 4.0}]) == [{"b": 2.0}, {}, {"b": 3.0}]
    assert in_all([]) == [] and in_all([{}, {}]) == [{}, {}]

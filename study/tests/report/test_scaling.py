"""The scaling model. Each of its four limits is the lowest somewhere, and the model is exact where it can be."""

import made_up
import pytest

from study.figures import model
from study.report.scaling import Counters, Memory, counters, memory_of, predict
from study.report.store import Store

WIDE = Memory(16, 1, 1.0, 8.0)


@pytest.mark.parametrize(
    "of, units, memory, cycles, bound",
    [
        (Counters(1000, 900, 300, 1600, 0), 4, WIDE, 250, "units"),
        (Counters(1000, 600, 300, 1600, 0), 4, WIDE, 400, "core"),
        (Counters(1000, 900, 300, 8000, 0), 4, WIDE, 500, "ports"),
        (Counters(1000, 900, 300, 8000, 0), 4, Memory(16, 1, 0.5, 8.0), 1000, "ports"),
        (Counters(1000, 900, 300, 8000, 0), 4, Memory(16, 2), 250, "units"),
        (Counters(1000, 900, 300, 1600, 6400), 4, WIDE, 800, "DRAM"),
        (Counters(1000, 900, 300, 1600, 6400), 4, Memory(16, 4, 1.0, 8.0), 250, "units"),
        (Counters(1000, 950, 300, 1600, 0), 1, Memory(16, latency=2.0), 1300, "units"),
    ],
)
def test_the_narrowest_place(of, units, memory, cycles, bound):
    said = predict(of, units, memory)
    assert (said.cycles, said.bound) == (cycles, bound)


def test_more_units_or_ports_never_take_longer():
    of = Counters(1000, 900, 300, 8000, 3200)
    for memory in (WIDE, Memory(16, 4, 0.8, 8.0)):
        cycles = [predict(of, units, memory).cycles for units in (1, 2, 4, 8)]
        assert cycles == sorted(cycles, reverse=True)


def test_counters_of_rows():
    one = made_up.row("cereal", "list-small/512", "serialize", "hw", 4000)
    assert counters(one) == Counters(
        one["cycles"], one["busy_cycles"], one["read_stall_cycles"] + one["write_stall_cycles"], 16000, 12000
    )
    assert counters(made_up.row("cereal", "list-small/512", "serialize", "java", 4000)) is None
    copy = one | {"case": "copy", "cycles": 2000, "read_bytes": 8000, "write_bytes": 8000}
    gather = made_up.row("memory", "gather_1024_in_flight_0", "gather", "hw", 1) | {"cycles": 7168}
    assert memory_of([one], [copy], [gather]) == Memory(16, 1, 0.5, 7.0)


def test_the_error_is_on_the_page():
    """For rows as the model predicts them the error is 0. For rows that take twice as long it is 50 %."""
    ones = [
        made_up.row("cereal", f"list-small/{n}", "serialize", "hw", n, config="cereal")
        | {"dram_read_bytes": 0, "dram_write_bytes": 0}
        for n in (4000, 8000)
    ]
    twos = [
        row | {"engine": "hw-x2", "cycles": 2 * round(predict(counters(row), 2, Memory(16)).cycles)} for row in ones
    ]
    (figure,) = model.FIGURES
    made = figure.show(Store({"cereal": ones + twos}))
    assert made.tables[0].lines == [["serialize", "2", "2", "-50 %", "50 %", "50 %"]]
    assert "For serialize the model is off by 50 % in the median" in made.text[-1]
    assert not any(table.title.startswith("Predicted") for table in made.tables)
    assert any(table.title.startswith("Predicted") for table in figure.show(Store({"cereal": ones})).tables)
    assert "error is not known" in figure.show(Store({"cereal": ones})).text[1]
    assert figure.show(Store({})).absent.startswith("not measured: run `make bench SUITE=cereal`")

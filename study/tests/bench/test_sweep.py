"""The suite `sweep`: which machines it has, and what its page says bounds a graph."""

import pytest

from heapwire_litex.configurations import base_of
from study.bench import machines, sweep
from study.bench.cereal import COPY
from study.bench.machines import OF_SUITE, configurations
from study.figures import ours
from study.report import page
from study.report.store import Store
from study.tests.bench.bench_rows import of_suite

CASE = "tree-wide/4681"


def row(machine, cycles, case=CASE, operation="serialize", moved=0):
    return of_suite("sweep", machine, case, operation, machine, cycles, moved)


def copy(share):
    return row("hw", 1000, COPY[0], COPY[1], int(share * 16_000))


def test_machines_are_configurations_and_differ_in_one_thing():
    assert all(base_of(name).name == "cereal" for name in machines.OF_SUITE["sweep"])
    assert len(set(sweep.MACHINES)) == len(sweep.MACHINES)
    assert all(step.than in sweep.MACHINES for step in sweep.STEPS) and sweep.engines_of(sweep.BASE) == ("hw",)
    for step in sweep.STEPS:
        mine, base = set(step.name.split("-")), set(step.than.split("-"))
        assert len(mine - base) == 1 and base <= mine, step.name


@pytest.mark.parametrize(
    "machine, engines",
    [("cereal", ("hw",)), ("cereal-e16-l48", ("hw",)), ("cereal-x2", ("hw-x2",)), ("cereal-x2-k128", ("hw-x2",))],
)
def test_a_machine_measures_as_many_units_as_it_has(machine, engines):
    assert sweep.engines_of(machine) == engines


@pytest.mark.parametrize(
    "machine, cycles, bound",
    [
        ("cereal-e16", 1040, None),
        ("cereal-e16", 1060, "entries, 16"),
        ("cereal-l16", 1050, None),
        ("cereal-l16", 1200, "16 cycles later"),
        ("cereal-k256", 960, None),
        ("cereal-k256", 900, "256 KB"),
    ],
)
def test_what_changes_the_cycles_bounds_the_graph(machine, cycles, bound):
    said = sweep.bounds([row("cereal", 1000), row(machine, cycles)], CASE, "serialize")
    assert said == [] if bound is None else len(said) == 1 and bound in said[0]


def test_the_port_bounds_a_graph_that_moves_nearly_what_a_copy_moves():
    assert sweep.bounds([row("cereal", 1000, moved=11_200), copy(0.8)], CASE, "serialize") == ["the port"]
    assert sweep.bounds([row("cereal", 1000, moved=10_000), copy(0.8)], CASE, "serialize") == []


def test_wrong_rows_say_nothing():
    wrong = row("cereal-e16", 2000) | {"ok": False}
    assert sweep.bounds([row("cereal", 1000), wrong], CASE, "serialize") == []


def test_a_page_has_cycles_and_verdicts():
    rows = [row("cereal", 1000), row("cereal-x2", 700), row("cereal-l48", 1500)]
    item = next(
        item for _, item in page.items(ours.FIGURES, Store({"sweep": rows})) if item.title.startswith("Cereal's units")
    )
    cycles, verdicts = item.tables
    assert cycles.head == ["case", "operation", "cereal", "cereal-l48", "cereal-x2"]
    assert cycles.lines == [[CASE, "serialize", "1,000", "1,500 (1.50)", "700 (0.70)"]]
    assert verdicts.lines == [[CASE, "serialize", "reads of DRAM 48 cycles later"]]


def test_suites_have_their_machines(monkeypatch):
    monkeypatch.setenv("CONFIG", "tiny")
    assert configurations(["core", "heap"]) == ["tiny"] and tuple(configurations(["sweep"])) == OF_SUITE["sweep"]
    assert configurations([])[0] == "tiny" and {*configurations([])} == {"tiny", *sum(OF_SUITE.values(), ())}

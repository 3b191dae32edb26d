"""Budgets: clusters, mapped to ECP5, cost no more than the committed figures, and the check can fail."""

import json
import os
import re
import subprocess

import pytest
from click.testing import CliRunner

from base.repository import ROOT
from synth import budget as budgets
from synth.__main__ import main
from synth.area import Area, Module

CONFIG = "tiny-32"


def area(luts=1000, name="Deserializer"):
    """Returns a cluster with a unit, its core's cache, and a module too small for a budget."""
    figures = {"ecp5.LUT": 0, "ecp5.FF": 10, "ecp5.BRAM": 2}
    modules = [
        Module("HeapwireCluster", dict(figures), {name: 1, "CoreComplex": 1, "Fifo_3": 1}),
        Module(name, figures | {"ecp5.LUT": luts}),
        Module("CoreComplex", dict(figures), {"Cpu": 1}),
        Module("Cpu", figures | {"ecp5.LUT": 2000}),
        Module("Fifo_3", {"ecp5.LUT": 9}),
    ]
    return Area("HeapwireCluster", {module.name: module for module in modules})


@pytest.mark.parametrize("config", json.loads(budgets.BUDGETS.read_text()))
def test_a_cluster_is_within_its_budget(config):
    """Each cluster takes one to three minutes. All but `tiny` run only in `make test-full`. The figures stay in
    build/area for those who have to reduce them."""
    if not budgets.is_small(config) and not os.environ.get("HEAPWIRE_FULL"):
        pytest.skip("in make test-full")
    verilog = ROOT / "build" / "gen" / config / "HeapwireCluster.v"
    assert verilog.exists(), "What to do: make test, which generates it"
    measured = budgets.measure(verilog, "HeapwireCluster", ROOT / "build" / "area" / f"{config}-budget", print)
    over = budgets.excesses(measured, budgets.read(config))
    assert not over, budgets.complaint(config, over)
    assert set(budgets.read(config)) == set(budgets.units(measured)), "a unit is new or gone: " + budgets.renewal(
        config
    )


def test_the_evacuation_unit_is_within_its_budget():
    """Alone, at 128 bits: `default` has it, and no cluster with a budget has."""
    folder = ROOT / "build" / "area" / "evacuation"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([ROOT / "make" / "scala", "heapwire.evacuate.EvacuationVerilog", folder], check=True)
    measured = budgets.measure(folder / "EvacuationUnit.v", "EvacuationUnit", folder, print)
    budget = {"EvacuationUnit": {"ecp5.LUT": 2000, "ecp5.FF": 1240, "ecp5.BRAM": 2}}
    assert not (over := budgets.excesses(measured, budget)), over


def test_make_is_told_which_clusters_have_budgets(tmp_path, monkeypatch):
    file = tmp_path / "budgets.json"
    file.write_text('{"tiny-32": {}, "bare-32": {}, "cereal-x2-128": {}, "tiny-32-clock2": {}}')
    monkeypatch.setattr(budgets, "BUDGETS", file)
    small = ["CONFIG=tiny,DATA_WIDTH=32,UNIT_CLOCK=1", "CONFIG=tiny,DATA_WIDTH=32,UNIT_CLOCK=2"]
    others = ["CONFIG=bare,DATA_WIDTH=32,UNIT_CLOCK=1", "CONFIG=cereal-x2,DATA_WIDTH=128,UNIT_CLOCK=1"]
    assert budgets.machines(False) == small
    assert set(budgets.machines(True)) == {*small, *others}
    assert budgets.renewal("cereal-x2-32-clock2").startswith(
        "make area CONFIG=cereal-x2 DATA_WIDTH=32 UNIT_CLOCK=2 ARGS=--budget, "
    )


def test_these_clusters_have_budgets():
    known = {"tiny-32", "bare-32", "bare-128", "cereal-128", "skyway-128"}
    assert set(json.loads(budgets.BUDGETS.read_text())) == known


def test_every_unit_and_the_whole_have_a_budget():
    assert budgets.units(area()) == ["HeapwireCluster", "CoreComplex", "Cpu", "Deserializer"]
    assert budgets.of(area())["Deserializer"] == {"ecp5.LUT": 1030, "ecp5.FF": 11, "ecp5.BRAM": 2}


def test_a_budget_is_the_most_that_is_allowed():
    assert not budgets.excesses(area(139), {"Deserializer": {"ecp5.LUT": 139}})
    over = budgets.excesses(area(139), {"Deserializer": {"ecp5.LUT": 138, "ecp5.BRAM": 2}})
    assert [str(one) for one in over] == ["Deserializer: 139 ecp5.LUT, 138 allowed"]


def test_a_budget_of_nothing_that_is_there_is_no_budget():
    """A renamed module, or a mistyped figure, does not pass as within its budget."""
    wrong = budgets.excesses(area(), {"Absent": {"ecp5.LUT": 9}, "Cpu": {"ecp5.LUTs": 9, "ecp5.LUT": 2000}})
    assert [str(one) for one in wrong] == [
        "Absent: no such module with ecp5.LUT, 9 allowed",
        "Cpu: no such figure as ecp5.LUTs, 9 allowed",
    ]


def test_a_unit_that_grows_by_more_than_the_headroom_is_told_of():
    """The message has the name, figure and budget, the cluster, and a command that exists."""
    budget = budgets.of(area())
    assert not budgets.excesses(area(1030), budget)
    told = budgets.complaint(CONFIG, budgets.excesses(area(1100), budget))
    assert "\nDeserializer: 1,100 ecp5.LUT, 1,030 allowed\n" in told
    assert "\nHeapwireCluster: 3,109 ecp5.LUT, 3,100 allowed" in told
    flag = re.search(r"make area CONFIG=tiny DATA_WIDTH=32 ARGS=(--\w+)", told)[1]
    assert flag in CliRunner().invoke(main, ["--help"]).output
    assert budgets.complaint(CONFIG, []) == ""


def test_budgets_are_renewed_a_configuration(tmp_path):
    file = tmp_path / "budgets.json"
    file.write_text(json.dumps({"default-64": {"Top": {"ecp5.LUT": 5}}}))
    assert "Deserializer: ecp5.LUT none to 1,030" in budgets.renew(CONFIG, area(), file)
    assert budgets.renew(CONFIG, area(), file) == []
    assert budgets.renew(CONFIG, area(2000), file) == [
        "HeapwireCluster: ecp5.LUT 3,100 to 4,130",
        "Deserializer: ecp5.LUT 1,030 to 2,060",
    ]
    assert budgets.read("default-64", file) == {"Top": {"ecp5.LUT": 5}}
    assert budgets.read(CONFIG, file) == budgets.of(area(2000))


@pytest.mark.parametrize("unit", ["HeapwireCluster", "Engine", "FrontEnd", "Cpu", "Fabric"])
def test_the_committed_budgets_are_those_of_units(unit):
    assert set(budgets.read(CONFIG)[unit]) == set(budgets.HEADROOM)

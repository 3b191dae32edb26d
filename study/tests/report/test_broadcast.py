"""Skyway's Figure 7 on several machines: the report's table of the broadcast, and when a report measures it."""

import made_up
import pytest

from study.figures.skyway import BROADCAST_COMMAND, FIGURES
from study.report import plan
from study.report.store import Store
from study.tests.bench.bench_rows import of_suite


def row(engine, serialize, network, deserialize, size, **more):
    times = {"serialize_cycles": serialize, "network_cycles": network, "deserialize_cycles": deserialize}
    sizes = {"wire_bytes": size, "machines": 5, "objects": 3, "byte_cycles": 100}
    return of_suite("broadcast", "skyway", "media/1x5", "broadcast", engine, 9, **times | sizes | more)


ROWS = [row("skyway-hw", 7944, 1851048, 6639, 1360), row("kryo-manual", 7782, 313156, 15585, 212)]


def figure(rows, quick=None):
    store = Store({"skyway": made_up.skyway_rows(), "broadcast": rows}, quick=quick or {})
    return next(item for item in (each.show(store) for each in FIGURES) if item.number == "Figure 7")


def test_the_table_says_what_the_rows_say():
    found = figure([*ROWS, row("java", 1, 1, 1, 1, ok=False), row("skyway-sw", 1, 1, 1, 1, fallbacks=1)])
    table = found.tables[-1]
    assert found.heading.startswith("Figure 7") and table.title == "Cycles of an object in the broadcast"
    assert table.head == ["engine", "serialize", "network", "deserialize", "bytes"]
    assert table.lines[0] == ["skyway-hw", "7,944", "1,851,048", "6,639", "1,360"]
    assert table.lines[1] == ["kryo-manual", "7,782", "313,156", "15,585", "212"]
    assert "java" not in [line[0] for line in table.lines], "a wrong row is in no figure"
    said = next(text for text in found.text if text.startswith("With the network"))
    assert "5 simulated machines behind a switch, each of which broadcasts 3 objects; a byte takes 100 cycles" in said
    assert "Configuration `skyway`; memory port 128 bits; one link layout." in said


def test_without_rows_the_figure_names_the_command_of_the_workflow():
    found = figure([])
    assert "Cycles of an object in the broadcast" not in [table.title for table in found.tables]
    command = f'make demo-skyway CONFIG=skyway ARGS="{plan.BROADCAST}"'
    assert BROADCAST_COMMAND == command
    assert f"The broadcast among several machines is not measured. What to do: `{command}`." in found.text
    (cut,) = (text for text in figure([], plan.cuts(True)).text if "broadcast" in text)
    assert cut.startswith("The broadcast among several machines is left out: it takes minutes. What to do: `make demo")


@pytest.mark.parametrize(
    ("given", "measured"),
    [({}, True), ({"only": ["skyway"]}, True), ({"only": ["memory"]}, False), ({"groups": ["small"]}, False)],
)
def test_a_report_measures_it_beside_the_whole_suite(given, measured):
    groups = given.get("groups", ())
    assert plan.has_broadcast(plan.suites(**given), groups=groups) is measured
    assert not plan.has_broadcast(plan.suites(True), True)

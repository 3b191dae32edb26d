"""upb on a simulated SoC: rows of the suite `protobuf`, calls on a message, round trips, and the monitor that has it.
No time is checked."""

from dataclasses import replace

import pytest

from base.repository import ROOT
from heapwire import interface as interface_module
from heapwire.client.line import Line
from heapwire.measure import uart
from heapwire.measure.fields import field_heavy_group
from heapwire.measure.messages import demo_group
from heapwire.simulation import parts
from sim.run import Simulation
from study.bench import calls, expected, images, monitor, roundtrip, run, upb
from study.records.upb import Upb

OUT = ROOT / "build" / "test" / "study-upb"


def small(group, most):
    """Returns the group's messages of at most so many bytes, by `table` and upb."""
    cases = [replace(case, engines=("table",)) for case in group.cases if len(case.data) <= most]
    return upb.with_upb(replace(group, cases=cases, layouts=1))


@pytest.fixture(scope="module")
def groups():
    return [small(demo_group(), 5000), small(field_heavy_group(), 60)]


def test_every_row_is_right(groups):
    """Strings of proto3 and of proto2, a map, all scalar types."""
    rows = images.rows_of(run._protobuf_jobs(groups, parts(), OUT / parts().name), parts(), print)
    assert all(row["ok"] is True and row["cycles"] > 0 for row in rows)
    assert not expected.absent(expected.rows_of("protobuf", groups), rows)
    assert {row["engine"] for row in rows} == {"table", *(engine.text for engine in Upb)}


def test_every_call_leaves_the_message_that_it_should():
    rows = images.rows_of([run._accessors_job(parts(), OUT / calls.ACCESSORS, "")], parts(), print)
    assert [(row["case"], row["op"], row["engine"]) for row in rows if calls.checked(row)["ok"]] == [
        key for engine in (calls.ACCESSORS, Upb.UPB.text) for key in calls.keys() if key[2] == engine
    ]


def test_every_round_trip_writes_what_it_should():
    rows = images.rows_of([run._roundtrip_job(parts(), OUT / roundtrip.ROUND_TRIP, "")], parts(), print)
    assert {(row["case"], row["op"], row["engine"]) for row in rows if roundtrip.checked(row)["ok"]} == {
        *roundtrip.keys()
    }
    assert all(not row["fallbacks"] and row["cycles"] > 0 for row in rows)


def test_over_a_line(groups, tmp_path):
    group = replace(groups[0], cases=groups[0].cases[1:2])
    with Simulation(monitor.image(group, parts(), "test")) as simulation:
        line = Line(f"socket://127.0.0.1:{simulation.port}", print)
        bench = uart.Bench(line, [group], interface_module.load(), "upb", tmp_path, False, 5000, print)
        measured = bench.run()
        line.close()
    assert not measured.problems
    assert {row["engine"] for row in bench.journal.rows.values()} == {"table", *(engine.text for engine in Upb)}

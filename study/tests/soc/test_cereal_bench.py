"""The suites `cereal` and `skyway` in small: graphs of every shape by every engine, on a simulated SoC without Cereal's
units, and on one with two units of each kind and Skyway's modes.

Software's engines, and all but one of the records of Spark's workloads, run in `make test-full`. No time is checked."""

import os
from dataclasses import replace

import pytest

from base.repository import ROOT
from heapwire import interface, simulation
from heapwire.workload.place import load_base
from study.bench import built, cereal, images, serializers
from study.bench.objects import workload
from study.records import objects as record

MACHINES = {None: (*cereal.SOFTWARE, cereal.SKYWAY), "skyway-x2": (cereal.ONE, "hw-x2", cereal.SKYWAY_HW)}
"""None: the configuration of the tests."""
GRAPHS = None if os.environ.get("HEAPWIRE_FULL") else 5


def folder(parts):
    return ROOT / "build" / "test" / "soc" / parts.name


@pytest.fixture(scope="module", params=[pytest.param(None, marks=pytest.mark.full), "skyway-x2"])
def measured(request):
    """Returns the rows of the quick group by (case, operation, engine), and its graphs by name."""
    parts, klasses, engines = simulation.parts(request.param), built.klasses(), MACHINES[request.param]
    group = cereal.quick(klasses)
    group = replace(group, graphs=group.graphs[:GRAPHS])
    rows = images.rows_of([serializers.job(group, engines, klasses, parts, folder(parts))], parts, print)
    found = {(row["case"], row["op"], row["engine"]): row for row in rows}
    assert len(found) == len(rows)
    assert found.keys() == {
        (graph.name, operation, engine)
        for graph in group.graphs
        for engine in engines
        if cereal.has(group, graph, engine)
        for operation in cereal.OPERATIONS
    }
    return found, {graph.name: graph for graph in group.graphs}


def test_every_engine_reads_back_what_it_wrote(measured):
    rows, graphs = measured
    for (case, operation, engine), row in rows.items():
        assert row["ok"] is True and row["fallbacks"] == 0, row
        assert row["cycles"] > 0 and row["cold_cycles"] > 0 and row["object_bytes"] == graphs[case].heap_bytes
        if engine == "cereal-sw" or engine.startswith(cereal.ONE):
            assert row["wire_bytes"] == len(graphs[case].stream)
        else:
            assert 0 < row["wire_bytes"] == rows[case, "serialize", engine]["wire_bytes"]


def test_software_runs_in_one_layout_that_is_not_the_first():
    parts, klasses = simulation.parts("skyway-x2"), built.klasses()
    group = cereal.quick(klasses)
    group = replace(group, graphs=group.graphs[:1], layout=3)
    job = serializers.job(group, ("kryo-manual",), klasses, parts, folder(parts))
    rows = images.rows_of([job], parts, print)
    assert [(row["op"], row["layout"], row["ok"]) for row in rows] == [(each, 3, True) for each in cereal.OPERATIONS]


def test_units_have_moved_the_bytes(measured):
    rows, graphs = measured
    for (case, operation, engine), row in rows.items():
        if engine.startswith(cereal.ONE) or engine == cereal.SKYWAY_HW:
            written = (
                graphs[case].heap_bytes
                if operation == "deserialize" or engine == cereal.SKYWAY_HW
                else len(graphs[case].stream)
            )
            assert row["write_bytes"] >= written and row["read_bytes"] > 0 and 0 < row["busy_cycles"]
        else:
            assert row["write_bytes"] == row["read_bytes"] == 0


@pytest.mark.parametrize("at, operation", [(24, "deserialize"), (20, "serialize")], ids=["graph", "stream"])
def test_a_wrong_expectation_is_noticed(at, operation):
    """The workload expects another digest of the graph, or of the stream. No row of that operation is then right."""
    parts, klasses = simulation.parts(), built.klasses()
    graph = cereal.quick(klasses).graphs[1]
    data = bytearray(workload.pack([workload.Case(graph, cereal.BITS["cereal-sw"])], klasses))
    data[record.Header.SIZE + at] ^= 1
    data[24:28] = bytes(4)  # clears the checksum
    base = load_base(interface.load(parts.gen / "heapwire.json"))
    job = serializers.job(cereal.quick(klasses), cereal.SOFTWARE, klasses, parts, folder(parts))
    lines = []
    with pytest.raises(images.ImageFailed):
        lines.extend(images.lines_of(job.image(), parts, [(base, bytes(data))]))
    assert [line for line in lines if f'"op":"{operation}"' in line and '"ok":true' in line] == [] != lines

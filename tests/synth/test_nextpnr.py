"""nextpnr's report, from its file to the summary line."""

import json

import pytest

from synth import nextpnr as report
from synth.nextpnr import Use


def path(start, end, delays, cells):
    return {
        "from": start,
        "to": end,
        "path": [
            {"delay": delay, "from": {"cell": a}, "to": {"cell": b}} for delay, a, b in zip(delays, cells, cells[1:])
        ],
    }


ECP5 = {
    "fmax": {
        "$glbnet$sys_clk": {"achieved": 58.3, "constraint": 50.0},
        "$glbnet$sys2x": {"achieved": 201.0, "constraint": 100.0},
        "jtck": {"achieved": 99.0, "constraint": 12.0},
    },
    "utilization": {
        "TRELLIS_COMB": {"used": 24000, "available": 83640},
        "TRELLIS_FF": {"used": 9000, "available": 83640},
        "DP16KD": {"used": 61, "available": 208},
        "MULT18X18D": {"used": 4, "available": 156},
        "DCCA": {"used": 3, "available": 56},
    },
    "critical_paths": [
        path("posedge sys", "posedge sys", [1, 9.5], ["unit.key", "unit.mux", "unit.value"]),
        path("posedge jtck", "posedge jtck", [3], ["tap", "dmi"]),
        path("<async>", "posedge sys", [30], ["pin", "register"]),
    ],
}
GOWIN = {
    "fmax": {"crg_clkin": {"achieved": 254.1, "constraint": 48}, "crg_clkout": {"achieved": 47.5, "constraint": 48}},
    "utilization": {
        "LUT4": {"used": 14000, "available": 20736},
        "ALU": {"used": 1000, "available": 15552},
        "RAM16SDP4": {"used": 50, "available": 648},
        "DFF": {"used": 6000, "available": 15552},
        "BSRAM": {"used": 30, "available": 46},
        "MULT18X18": {"used": 1, "available": 48},
        "MULT9X9": {"used": 1, "available": 96},
        "DUMMY_CELL": {"used": 4, "available": 0},
    },
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
    found = read(
        {
            "fmax": {
                sys: {"achieved": 37.4, "constraint": 34.72},
                sys2x: {"achieved": 110.1, "constraint": 69.44},
                unit: {"achieved": 31.9, "constraint": 17.5},
            },
            "critical_paths": [
                path(f"posedge {sys}", f"posedge {sys2x}", [4, 7.25], "abc"),
                path(f"posedge {unit}", f"negedge {sys}", [1.25], "ab"),
                path(f"posedge {sys}", f"posedge {sys}", [26.7], "ab"),
                path("<async>", f"posedge {sys2x}", [99], "ab"),
                path(f"posedge {sys}", "<async>", [99], "ab"),
            ],
        }
    )
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

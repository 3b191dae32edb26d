"""Places that are kept free: what stands in the netlist, and what is counted."""
import json

import pytest

from boards import report, spread
from boards.errors import BoardError

NETLIST = {"creator": "Yosys", "modules": {
    "other": {"cells": {"lut": {"type": "LUT4"}}},
    "top": {"attributes": {}, "ports": {}, "cells": {"lut": {"hide_name": 0, "type": "LUT4"}}}}}


def test_rows_of_logic_alone():
    kept = spread.places("--85k", 1 / 3)
    rows = sorted({int(place.split("/")[1][1:]) for place in kept})
    assert rows[:4] == [4, 7, 11, 14] and not set(rows) & {10, 22, 34, 46, 58, 70, 82}, "block memories"
    assert len(kept) == len(set(kept)) == len(rows) * len(spread.grid("--85k").columns) * 8
    assert len(spread.places("--um5g-85k", 1.0)) > 2.9 * len(kept)
    assert spread.places("--um5g-45k", 0.2) == spread.places("--45k", 0.2)
    every = spread.places("--45k", 1.0)
    assert len(every) == 63 * 82 * 8 and not {int(place.split("/")[1][1:]) for place in every} & {10, 22, 34, 46, 58}


def test_the_netlist_keeps_what_it_had():
    kept = spread.places("--85k", 0.025)
    made = json.loads(spread.spread(json.dumps(NETLIST, indent=2), "top", kept))
    cells = made["modules"]["top"].pop("cells")
    assert cells.pop("lut") == {"hide_name": 0, "type": "LUT4"} and made["modules"]["other"] == NETLIST["modules"]["other"]
    assert [cell["attributes"]["BEL"] for cell in cells.values()] == kept and {cell["type"] for cell in cells.values()} == {"LUT4"}
    assert not any(cell["connections"] for cell in cells.values())


def test_a_part_or_a_netlist_that_is_not_known():
    with pytest.raises(BoardError, match="no rows can be kept free on --25k. What to do"):
        spread.places("--25k", 0.5)
    with pytest.raises(BoardError, match="no cells of module somewhere"):
        spread.spread(json.dumps(NETLIST, indent=2), "somewhere", [])


def test_they_are_none_of_the_designs_luts(tmp_path):
    file = tmp_path / "report.json"
    file.write_text(json.dumps({"utilization": {"TRELLIS_COMB": {"used": 70, "available": 100}}, "fmax": {}}))
    assert str(report.read(file, 30).uses["LUT"]) == "40 of 100"

"""The shared cache's look-up (accel/src/heapwire/memory/cache/Lookup.scala), of a very small cache: its rules
(lookup_order.sv) hold for ever, and without one of its conditions a fetch does not wait for a write of its block.
docs/reference/proofs.md."""

from pathlib import Path

import pytest

from base.repository import ROOT
from tests.proofs.symbiyosys import FOLDER, Module, run

RULES = Path(__file__).with_name("lookup_order.sv")
BLOCKS = 16
CYCLES = 25
"""In so many cycles after a reset a look-up without one of its conditions breaks a rule."""
FIRST = 4
SCRIPT = ("memory_collect", "memory_map")
INSIDE = {
    "busy": "reading_busy",
    "known": "reading_known",
    "follows": "_zz_follows",
    "c_valid": "compare_valid",
    "c_follows": "compare_follows",
    "c_address": "compare_arrival_request_address",
    "c_sequence": "compare_sequence",
    "d_valid": "decide_valid",
    "d_follows": "decide_follows",
    "d_address": "decide_request_address",
    "d_sequence": "decide_sequence",
    "hits": "decide_hits",
    "present_0_1[0]": "decide_found_0_present",
    "present_0_1[1]": "decide_found_1_present",
    "tag_0": "decide_found_0_tag",
    "tag_1": "decide_found_1_tag",
    "last_sequence": "decide_last_sequence",
    "last_tag": "decide_last_line_tag",
    "last_resident": "decide_last_resident",
    "last_present": "decide_last_line_present",
} | {f"buckets[{9 * i + 8}:{9 * i}]": f"buckets[{i}]" for i in range(BLOCKS)}
WITHOUT = {
    "a fetch waits for a write under way": "io_fetch_payload_pending 1'b0",
    "requests to a set wait for each other": "reading_busy 3'b000",
    "the newest write of each block is known": "compare_sequence 9'd0",
    "a request knows of the one before it": "decide_last_sequence 9'd0",
}


@pytest.fixture(scope="module")
def lookup():
    folder = FOLDER / "fabric"
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, ROOT / "make" / "scala", "heapwire.core.FabricVerilog", folder)
    module = Module(folder, "Lookup", RULES, "Fabric.v")
    module.inside = INSIDE
    return module


def test_a_fetch_waits_for_the_newest_write_of_its_block(lookup):
    """By induction: the rules hold in the first cycles after a reset; and in each cycle if in the one before."""
    for rules, cycles in ((), FIRST), (("STEP",), 2):
        assert not lookup.refuted(*rules, instead="", cycles=cycles, script=SCRIPT)


def test_a_fetch_waits(lookup):
    """Otherwise the rules would say nothing."""
    assert lookup.refuted("NEVER", instead="", cycles=CYCLES, script=SCRIPT)


@pytest.mark.parametrize("without", WITHOUT.values(), ids=list(WITHOUT))
def test_no_condition_can_be_left_out(lookup, without):
    assert lookup.refuted(instead=without, cycles=CYCLES, script=SCRIPT)

"""GranuleCache (accel/src/heapwire/protobuf/engine/memory), through which the engine reads tables and objects: its
rules (table_reads.sv) hold for ever in the Verilog that `make verilog` writes, and a cache without one of its
conditions breaks them. docs/reference/proofs.md."""

from pathlib import Path

import pytest

from tests.proofs.symbiyosys import Module, generate

RULES = Path(__file__).with_name("table_reads.sv")
CLUSTERS = [("tiny", 32), pytest.param(("default", 128), marks=pytest.mark.full)]
CYCLES = 8
"""In so many cycles after a reset a cache without one of its conditions breaks a rule."""
WITHOUT = {
    "compare_behindBase": "1'b1",
    "compare_beforeLimit": "1'b1",
    "compare_inside": "1'b1",
    "fetch_block_tag": "look_block_tag",
}
"""Conditions of the cache, and what takes each away. The last one: a Get that waits keeps its address."""
ANY_CONTENT = ("memory_collect", "delete rules/c:*dut.tags rules/c:*dut.data_*", "cutpoint rules/w:dut.era_swept")
"""The memories may hold anything, and a sweep, which takes as many cycles as there are lines, may come at any time."""


@pytest.fixture(scope="module", params=CLUSTERS, ids=lambda cluster: f"{cluster[0]}-{cluster[1]}")
def cache(request):
    module = Module(generate(*request.param), "GranuleCache", RULES)
    module.macros = {
        "BYTES": module.width("io_bus_d_payload_data") // 8,
        "SOURCE": module.width("io_bus_d_payload_source"),
        "CLOCK": next(port for port in module.ports if port != "reset" and not port.startswith("io_")),
    }
    module.inside = {"number": "compare_number", "is_object": "look_block_isObject"}
    return module


def test_nothing_is_read_outside(cache):
    assert cache.proved(script=ANY_CONTENT)


def test_no_condition_can_be_left_out(cache):
    for name, value in WITHOUT.items():
        assert cache.refuted(instead=f"{name} {value}", cycles=CYCLES, script=ANY_CONTENT), name

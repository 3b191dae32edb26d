"""WriteGuard (accel/src/heapwire/memory): its rules (write_guard.sv) hold for ever in the Verilog that `make verilog`
writes, for each shape of it, and a guard without one of its conditions breaks them. docs/reference/proofs.md."""

import re
from pathlib import Path

import pytest

from tests.proofs.symbiyosys import Module, generate

RULES = Path(__file__).with_name("write_guard.sv")
NARROW = [1, 3]
"""The copy unit's guard has one range, and the engine's has three (that of `tiny`, two)."""
DEFAULT = [1, 2, 3]
"""The evacuation unit's has two, of multiples of 8."""
CEREAL = [1, 1, 1, 1, 1, 2]
"""The copy unit's; the serialization unit's `headers` and `side` have one range, and its `output` has two; the
deserialization unit's `objects` and `written` have one."""
QUICK = [("tiny", 32, [2])]
FULL = [("default", bits, DEFAULT) for bits in (128, 64)] + [("default", 32, NARROW)]
FULL += [("cereal", 128, CEREAL), ("cereal", 32, CEREAL), ("skyway", 64, CEREAL)]
"""Clusters, and the ranges of each of their guards. A proof of one in QUICK takes less than a minute."""
CYCLES = 6
"""In so many cycles after a reset a guard without one of its conditions breaks a rule."""
OF_A_RANGE = {"behindBase": "1'b1", "beforeEnd": "1'b1", "first": "1'b0", "last": "1'b0"}
WITHOUT = {
    "isPut": "1'b1",
    "isSwap": "1'b0",
    "isLast": "1'b0",
    "refused": "1'b0",
    "violation": "1'b0",
    "io_up_ready": "1'b1",
    "io_down_valid": "1'b1",
    "io_down_payload_opcode": "io_up_rData_opcode",
}
"""Conditions of the guard, for each of its ranges and for itself, and what takes each away."""


def guard_of(folder, name, *verilog):
    module = Module(folder, name, RULES, *verilog)
    ranges = sum(port.endswith("_base") for port in module.ports)
    end = "last" if "io_ranges_0_last" in module.ports else "limit"
    clocks = [port for port in module.ports if port != "reset" and not port.startswith("io_")]
    connected = [f".{port}(clk)" for port in clocks]
    aligned = 32 - module.width("io_ranges_0_base")
    connected += [
        f".io_ranges_{i}_{port}({wire}[{32 * i + 31}:{32 * i + aligned}])"
        for i in range(ranges)
        for port, wire in (("base", "base"), (end, "limit"))
    ]
    module.macros = {
        "GUARD": name,
        "BYTES": module.width("io_up_payload_mask"),
        "SOURCE": module.width("io_up_payload_source"),
        "RANGES": ranges,
        "INCLUSIVE": int(end == "last"),
        "ALIGNED": aligned,
        "PORTS": ",".join(connected),
    }
    module.inside = {f"guard_{wire}": wire for wire in ("word", "allowed", "held_payload_mask", "beat")}
    module.inside |= {f"guard_{name}[{i}]": f"places_{i}_{name}" for name in OF_A_RANGE for i in range(ranges)}
    return module


of_clusters = pytest.mark.parametrize(
    "guards",
    [*QUICK, *(pytest.param(cluster, marks=pytest.mark.full) for cluster in FULL)],
    ids=lambda it: f"{it[0]}-{it[1]}",
    indirect=True,
    scope="module",
)


@pytest.fixture(scope="module")
def guards(request):
    """Generates a cluster. Returns its guards, without those that differ from another one by their name alone."""
    *cluster, ranges = request.param
    folder = generate(*cluster)
    names = re.findall(r"^  (WriteGuard\w*) +\w+ \($", (folder / "HeapwireCluster.v").read_text(), re.MULTILINE)
    found = [guard_of(folder, name) for name in names]
    assert sorted(guard.macros["RANGES"] for guard in found) == ranges, "a guard is missing, or new"
    shapes = ("RANGES", "INCLUSIVE", "ALIGNED", "SOURCE", "BYTES")
    return list({tuple(guard.macros[key] for key in shapes): guard for guard in found}.values())


@of_clusters
def test_nothing_is_written_outside(guards):
    for guard in guards:
        assert guard.proved("ORDER", "PLACE", "INVARIANTS"), guard.macros


@of_clusters
def test_no_condition_can_be_left_out(guards):
    for guard in guards:
        places = {f"places_{i}_{name}": to for i in range(guard.macros["RANGES"]) for name, to in OF_A_RANGE.items()}
        for rules, without in ("ORDER", WITHOUT), ("PLACE", places):
            for name, value in without.items():
                assert guard.refuted(rules, instead=f"{name} {value}", cycles=CYCLES), name

"""The claims of two units (accel/src/heapwire/cereal/serialize: ClaimTable, ClaimArbiter), with tables of four places:
their rules (claims.sv) hold for ever, and without one of their conditions two units claim the same object, or one unit
claims it twice. docs/reference/proofs.md."""

from pathlib import Path

import pytest

from base.repository import ROOT
from tests.proofs.symbiyosys import FOLDER, Module, run

RULES = Path(__file__).with_name("claims.sv")
PLACES = 4
CYCLES = 30
"""In so many cycles after a reset claims without one of their conditions break a rule."""
FIRST = 4
"""The reset's two cycles, and two more."""
OF_TABLE = {"head": "head", "sent": "sent", "told": "retire_told", "set": "settled", "first": "free"} | {
    "valid": "valid",
    "due_0": "due_0",
    "due_1": "due_1",
    "put_valid": "send_a_rValid",
    "put_source": "send_a_rData_source",
    "second": "send_second",
    "delay_1": "io_settled_fire_delay_1",
    "delay_2": "io_settled_fire_delay_2",
    "settles": "retire_settles",
    "issued_count": "retire_issued",
    "resolved_count": "retire_resolved",
}
"""Wires of the rules, each with a part for each table -> signals of a table."""
WIDTH = {"valid": 4, "due_0": 4, "due_1": 4, "issued_count": 8, "resolved_count": 8}
WIDTH |= dict.fromkeys(("put_valid", "second", "delay_1", "delay_2", "settles"), 1)
"""The width of such a part, if it is not that of a pointer."""
WITHOUT = {
    "what another table holds is refused": ("ClaimArbiter", "io_ports_0_conflict 1'b0"),
    "what the own table holds is known": ("ClaimTable", "io_hit 1'b0"),
    "a claim stays until it is in memory": ("ClaimTable", "_zz_retire_acknowledged 4'd0"),
    "a claim stays until the unit's own reads are judged": ("ClaimTable", "retire_readers_0_stamps_spinal_port1 8'd0"),
    "a claim stays until the other's reads are judged": ("ClaimTable", "retire_readers_1_stamps_spinal_port1 8'd0"),
    "the other's reads count once it knows of the claim": ("ClaimTable", "retire_settles io_settled_fire"),
}
SCRIPT = ("memory_collect", "memory_map")


@pytest.fixture(scope="module")
def claims():
    folder = FOLDER / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    run(folder, ROOT / "make" / "scala", "heapwire.cereal.serialize.ClaimsVerilog", folder)
    module = Module(folder, "Claims", RULES, "Claims.v")

    def part(wire: str, place: int, width: int, signal: str) -> None:
        span = f"{width * (place + 1) - 1}:{width * place}" if width > 1 else place
        module.inside[f"{wire}[{span}]"] = signal

    for u in range(2):
        for wire, signal in OF_TABLE.items():
            part(wire, u, WIDTH.get(wire, 3), f"tables_{u}.{signal}")
        for i in range(PLACES):
            part("tags", PLACES * u + i, 29, f"tables_{u}.tags_{i}")
            part("claim", PLACES * u + i, 62, f"tables_{u}.claims_1[{i}]")
        for reader in range(2):
            part("passed", 2 * u + reader, 3, f"tables_{u}._zz_retire_readers_{reader}_passes")
            for i in range(PLACES):
                stamp = f"tables_{u}.retire_readers_{reader}_stamps[{i}]"
                part("stamps", PLACES * (2 * u + reader) + i, 8, stamp)
        for what in ("issued", "resolved"):
            part(f"progress_{what}", u, 8, f"arbiter.progress_{u}_{what}")
    module.inside |= {f"arbiter_{name}": f"arbiter.{name}" for name in ("address", "asking_last", "telling_last")}
    return module


@pytest.mark.full
def test_an_object_is_claimed_once(claims):
    """By induction: the rules hold in the first cycles after a reset; and in each cycle if in the one before."""
    for rules, cycles in (("INVARIANTS",), FIRST), (("INVARIANTS", "STEP"), 2):
        assert not claims.refuted(*rules, instead="", cycles=cycles, script=SCRIPT)


@pytest.mark.full
def test_a_unit_is_refused(claims):
    """Otherwise the rules would say nothing."""
    assert claims.refuted("NEVER", instead="", cycles=CYCLES, script=SCRIPT)


@pytest.mark.full
@pytest.mark.parametrize("without", WITHOUT.values(), ids=list(WITHOUT))
def test_no_condition_can_be_left_out(claims, without):
    module, instead = without
    assert claims.refuted(instead=instead, within=module, cycles=CYCLES, script=SCRIPT)

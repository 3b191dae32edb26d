"""Tables of several models in one command."""

import pytest

from heapwire.schema import compile_proto
from sim.unit.process import SCHEMA_BASE
from tests.unit.engine import FIXED_BASE
from tests.upb.machine import MACHINES

PROTO = """syntax = "proto2"; package t;
message M { optional N one = 1; repeated N more = 2; optional group G = 3 { optional int32 b = 1; } }
message N { optional int32 a = 1; }
"""


@pytest.mark.parametrize("data", ["0a00", "0a020801", "1200", "0a0012020801"])
@pytest.mark.parametrize("model, other", [*(("upb", n) for n in (0, 1, 3)), *(("go", n) for n in (0, 1, 2))])
def test_an_inner_message_of_another_model_is_refused(engines, interface, tmp_path, data, model, other):
    (tmp_path / "t.proto").write_text(PROTO)
    machine = MACHINES[model](engines, compile_proto(tmp_path / "t.proto"), interface)
    index, message = machine.judge.types.index("t.M"), bytes.fromhex(data)
    good = machine.read(index, message)
    assert machine.status(good) == "OK"
    objects = machine.reader.dump(FIXED_BASE, good.fixed_top - FIXED_BASE)
    spoilt = bytearray(machine.judge.tables.data)
    interface.header["model"].put(spoilt, machine.judge.tables.offsets[machine.judge.types.index("t.N")], other)
    for unit in engines:
        unit.wrong_tables = True
        unit.load(SCHEMA_BASE, bytes(spoilt))
        machine.registers(unit)
    assert machine.status(machine.read(index, message)) == "BAD_DESCRIPTOR"
    if data.startswith("0a"):  # elements of arrays are elsewhere
        machine.writer.load(FIXED_BASE, objects + bytes(64))
        outcome = machine.write(index, good.root, FIXED_BASE, FIXED_BASE + len(objects) + 64, 64)
        assert machine.status(outcome) in ("BAD_DESCRIPTOR", "BAD_OBJECT")
    machine.judge.close()

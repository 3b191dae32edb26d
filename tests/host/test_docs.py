"""The worked example of docs/reference/protobuf.md is the output of the schema compiler and of the model. All statuses
are on the pages of their formats."""

import re

from base.repository import ROOT
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.schema import compile_proto, compile_schema

PAGE = (ROOT / "docs" / "reference" / "protobuf.md").read_text()
CEREAL = (ROOT / "docs" / "reference" / "units" / "cereal.md").read_text()


def block(kind):
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S)
    return found


def words(data, start, width):
    lines = []
    for at in range(0, len(data), 16):
        row = " ".join(
            f"{int.from_bytes(data[i : i + 4], 'little'):08x}" for i in range(at, min(at + 16, len(data)), 4)
        )
        lines.append(f"{format(start + at, width)} {row}\n")
    return "".join(lines)


def test_the_worked_example(tmp_path, interface):
    (tmp_path / "place.proto").write_text(block("proto"))
    schema = compile_proto(tmp_path / "place.proto")
    data = bytes.fromhex(block("wire"))
    message = schema.message_class("example.Place")(latitude=-5, name="Bern", tag=[1, 300])
    assert message.SerializeToString() == data
    compiled = compile_schema(schema.descriptor("example.Place"), interface)
    record = compiled.types[0]
    assert words(compiled.blob[record.table_offset : record.table_offset + record.table.size], 0, "3d") == block(
        "table"
    )
    runtime = model_runtime(interface, compiled, 0x4200_0000, 0x4000_1000)
    fixed, flexible = Region("fixed", 0x4800_0000, bytearray(4096)), Region("flexible", 0x4C00_0000, bytearray(4096))
    outcome = Deserializer(runtime, fixed, flexible).run(data)
    # The model's arrays grow by doubling, and the unit's end with the list: length 2, not 4.
    found = words(fixed.data[: outcome.fixed_top - fixed.base], fixed.base, "08x")
    assert block("objects").startswith(found)
    assert block("objects")[len(found) :].split()[3:5] == ["00000002", "00000000"]
    assert words(flexible.data[16:24], flexible.base + 16, "08x") == block("objects").splitlines()[-1] + "\n"


def test_every_status_is_on_a_page(interface):
    table = {
        int(code): name
        for codes, names in re.findall(r"^\| ([\d, ]+) \| ([A-Z_0-9, ]+) \|", PAGE + CEREAL, re.M)
        for code, name in zip(codes.split(", "), names.split(", "))
    }
    assert table == {code: name for name, code in interface.status.items()}

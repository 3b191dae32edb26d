"""Random messages of random schemas through hw_pb_decode and hw_pb_encode on the simulated SoC, next to nanopb in the
same program.

The cases are a sample of those of tests/unit/test_native_fuzz.py. `HEAPWIRE_CASE=...` runs a kept case again, in either
test."""

import json
import os
import random
import struct

import pytest

from heapwire import interface as interface_module
from heapwire import nanopb
from heapwire.schema import compile_proto
from heapwire.workload.place import load_base
from sim.run import ROOT, run
from tests.common.cases import AGAIN, EVEN
from tests.common.native import NativeCase
from tests.nanopb.program import write_if_changed
from tests.nanopb.schemas import random_input, random_schema
from tests.soc.program import program

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
MESSAGES = 100
WIDE = "-DPB_FIELD_32BIT"
"""The defines of the firmware's build."""


def generate(name, proto, options):
    """Generates nanopb's code of a schema as a folder of peers. Returns that folder, the schema's types in the
    registry's order, and the schema."""
    folder = ROOT / "build" / "test" / "soc" / "peers" / name
    folder.mkdir(parents=True, exist_ok=True)
    write_if_changed(folder / "schema.proto", proto)
    write_if_changed(folder / "schema.options", options)
    nanopb.generate(["schema.proto"], folder, [folder], folder / "schema.options")
    schema = compile_proto(folder / "schema.proto")
    rows = "".join(f'    NANOPB_TYPE("{name}", {name.replace(".", "_")}),\n' for name in schema.type_names())
    write_if_changed(
        folder / "registry.c",
        '#include "nanopb/registry.h"\n#include "schema.pb.h"\n'
        f"const struct nanopb_type nanopb_types[] = {{\n{rows}}};\n"
        "const unsigned nanopb_type_count = sizeof(nanopb_types) / sizeof(nanopb_types[0]);\nconst uint32_t "
        "nanopb_schema_id = 1;\n",
    )
    program.cache_clear()
    return program("nanopb_random", peers=folder), schema


def run_messages(image, types, messages):
    """Runs messages, each a type's name and bytes. Returns what the program says of each that differs, and its
    totals."""
    words = b"".join(
        struct.pack("<II", types.index(name), len(data)) + data + bytes(-len(data) % 4) for name, data in messages
    )
    loads = [(load_base(interface_module.load()), struct.pack("<I", len(messages)) + words)]
    result = run(image, loads=loads, max_cycles=100_000_000).check()
    *differences, counts = [json.loads(line) for line in result.uart.decode().splitlines() if line.startswith("{")]
    print(counts)
    return differences, counts


@pytest.mark.skipif(bool(AGAIN), reason="one case alone")
@pytest.mark.parametrize("seed", range(10 if FULL else 1))
def test_messages(seed):
    dice = random.Random(7000 + seed)
    made = random_schema(dice, 5, wide=True, pointers=seed % 3 < 2)
    image, schema = generate(f"random{seed}", made.proto, made.options)
    types = schema.type_names()
    messages = [
        (name, random_input(schema.message_class(name)(), made.fits, dice)) for name in dice.choices(types, k=MESSAGES)
    ]
    differences, counts = run_messages(image, types, messages)
    faults = []
    for row in differences:
        name, data = messages[row["case"]]
        case = NativeCase(name.replace(".", "_"), data, EVEN, (0, 0), made.proto, made.options, WIDE, row["encoded"])
        faults.append(f"{row} {name} {data.hex()}\nHEAPWIRE_CASE={case.keep()} tests/run soc unit")
    assert not faults, "\n".join(faults[:5])
    assert counts["cases"] == MESSAGES and counts["differences"] == 0
    assert counts["accepted"] > MESSAGES / 4 and counts["encoded"] > MESSAGES / 4
    # A unit does what nanopb accepts, except for the few messages that are interrupted or merged.
    assert (
        counts["decodes"]["by_unit"] >= 0.9 * counts["accepted"]
        and counts["encodes"]["by_unit"] >= 0.9 * counts["encoded"]
    )
    assert counts["decodes"]["redone"] and not counts["decodes"]["software"] and not counts["encodes"]["overruled"]


@pytest.mark.skipif(not NativeCase.again(), reason="HEAPWIRE_CASE names no such case")
def test_a_kept_case():
    case = NativeCase.kept(AGAIN)
    if case.defines != WIDE or case.choice:
        pytest.skip("of structs or counts that only the unit harness has")
    image, schema = generate("kept", case.proto, case.options)
    names = {name.replace(".", "_"): name for name in schema.type_names()}
    differences, _ = run_messages(image, schema.type_names(), [(names[case.type], case.data)])
    assert not differences, differences

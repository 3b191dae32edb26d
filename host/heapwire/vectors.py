"""Golden vectors for tests of the hardware alone, where no firmware runs.

A folder gets `schema.bin`, the schema blob as it stands in memory (klass words patched), and `vectors.json`:

    {"schema_base", "registers": [32 words], "max_depth",
     "fixed_base", "fixed_bytes", "flexible_base", "flexible_bytes",
     "cases": [{"name", "table": address, "input": hex, "status": code, "offset", "digest"}]}

`offset` is the input offset of the error. `digest` is that of the value (docs/reference/firmware_build.md). It is null
if the input is malformed, or if the official library reads it differently (an undeclared number of a closed enum).
"""
from __future__ import annotations

import json
import random
from pathlib import Path

from google.protobuf.message import DecodeError

from heapwire.compare import first_difference
from heapwire.graph import GraphReader
from heapwire.heap import Region, Runtime, model_runtime
from heapwire.interface import Interface
from heapwire.model import Deserializer
from heapwire.wire import MAX_DEPTH
from heapwire.workload.digest import as_on_the_wire, digest
from heapwire.workload.group import Group

SCHEMA_BASE = 0x4200_0000
KLASS_BASE = 0x4000_1000
FIXED_BASE, FLEXIBLE_BASE = 0x4800_0000, 0x4C00_0000
ARENA_BYTES = 1 << 20


def mutate(data: bytes, dice: random.Random) -> bytes:
    """Returns a message with one to four changes: bytes flipped, replaced, dropped, inserted, or cut off."""
    result = bytearray(data)
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(result)) if result else 0
        kind = dice.randrange(5)
        if kind == 0 and result:
            result[at] ^= 1 << dice.randrange(8)
        elif kind == 1 and result:
            result[at] = dice.choice([0, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        elif kind == 2:
            del result[at:at + dice.randrange(1, 5)]
        elif kind == 3:
            result[at:at] = dice.randbytes(dice.randrange(1, 5))
        else:
            del result[at:]
    return bytes(result)


def _expected(data: bytes, kind: int, name: str, runtime: Runtime, group: Group, plain, interface: Interface) -> dict:
    """Returns the status and digest of one input. The digest is null unless model and official library agree."""
    fixed = Region("fixed", FIXED_BASE, bytearray(ARENA_BYTES))
    flexible = Region("flexible", FLEXIBLE_BASE, bytearray(ARENA_BYTES))
    outcome = Deserializer(runtime, fixed, flexible, MAX_DEPTH, as_unit=True).run(data, kind)
    value = None
    if outcome.status == "OK":
        try:
            message = group.schema.message_class(name).FromString(data)
            node = GraphReader(runtime, fixed, flexible).read(outcome.root, kind)
            if first_difference(node, message) is None:
                value = digest(plain.message_class(name).FromString(data))
        except DecodeError:
            pass  # a string is not UTF-8: the library refuses input that is well-formed on the wire
    return {"status": interface.status[outcome.status], "offset": outcome.offset, "digest": value}


def write(group: Group, interface: Interface, folder: Path, mutations: int = 0, seed: int = 1) -> int:
    """Writes the vectors of a group's cases, and of `mutations` damaged ones. Returns their number."""
    compiled = group.compile(interface)
    runtime = model_runtime(interface, compiled, SCHEMA_BASE, KLASS_BASE)
    plain, dice = as_on_the_wire(group.schema), random.Random(seed)
    sources = [(case.name, group.schema.descriptor(case.type_name).full_name, case.data) for case in group.cases]
    inputs = sources + [
        (f"mutation {i} of {name}", type_name, mutate(data, dice))
        for i in range(mutations) for name, type_name, data in [sources[dice.randrange(len(sources))]]]
    cases = []
    for name, type_name, data in inputs:
        kind = compiled.index(type_name)
        cases.append({"name": name, "table": SCHEMA_BASE + compiled.types[kind].table_offset, "input": data.hex(),
                      **_expected(data, kind, type_name, runtime, group, plain, interface)})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.bin").write_bytes(compiled.loaded(SCHEMA_BASE, interface))
    (folder / "vectors.json").write_text(json.dumps({
        "schema_base": SCHEMA_BASE, "registers": runtime.registers + [0] * (32 - len(runtime.registers)),
        "max_depth": MAX_DEPTH, "fixed_base": FIXED_BASE, "fixed_bytes": ARENA_BYTES, "flexible_base": FLEXIBLE_BASE,
        "flexible_bytes": ARENA_BYTES, "cases": cases}, indent=1) + "\n")
    return len(cases)

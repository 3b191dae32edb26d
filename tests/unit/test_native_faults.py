"""Faults that end a command on C structs, each with its status and the address at fault, and strings of all lengths."""

from __future__ import annotations

import random
import struct

import pytest
from harness import shake, status_of
from native import STRUCT_BASE, Native, Writer

from sim.unit.process import SCHEMA_BASE
from tests.nanopb.judge import MEMORY, Made

PROTO = """syntax = "proto2"; package r;
message Leaf { optional int64 n = 1; }
message All {
    optional string text = 1;
    optional bytes data = 2;
    optional Leaf leaf = 3;
    repeated sint64 wide = 4 [packed = true];
    repeated string texts = 5;
    repeated Leaf leaves = 6;
    optional int64 one = 7;
    required int32 needed = 8;
    optional string inside = 9;
    repeated int32 few = 10;
    optional bytes held = 11;
    optional All all = 12;
    repeated bytes blocks = 13;
}
"""
POINTERS = ("text", "data", "leaf", "wide", "texts", "leaves", "one", "needed", "all", "blocks")
OPTIONS = "".join(f"r.All.{name} type:FT_POINTER\n" for name in POINTERS) + "".join(
    f"r.All.{name} {option}\n"
    for name, option in (
        ("inside", "max_size:8"),
        ("few", "max_count:3"),
        ("held", "max_size:8"),
        ("blocks", "max_size:5 fixed_length:true"),
    )
)
#: Bytes of the memory that pointers refer to. Its end is the bounds' limit.
ROOM = 4096
LIMIT = MEMORY + ROOM


class Struct:
    """A struct All in the unit's memory, with its fields by name, and the memory that its pointers refer to."""

    def __init__(self, native: Native, bench: Writer) -> None:
        self.native, self.bench = native, bench
        self.index = native.program.types.index("r_All")
        kind = native.judge.types[self.index]
        message_class = native.program.message_class("r_All")
        self.offsets, self.counts = {}, {}
        slots, fields = struct.unpack_from("<2I", native.judge.tables, kind.table + 16)
        for i in range(fields & 0xFFFF):
            key, offset, _, where = struct.unpack_from(
                "<4I", native.judge.tables, kind.table + 32 + 16 * ((slots & 0xFFFF) + 1 + i)
            )
            name = message_class.DESCRIPTOR.fields_by_number[key >> 3].name
            self.offsets[name], self.counts[name] = offset & 0xFFFF, where >> 16
        self.message, self.memory = bytearray(kind.size), bytearray(b"\x55" * ROOM)
        self.put(MEMORY, struct.pack("<i", 5))
        self.refer("needed", MEMORY)

    def put(self, at: int, data: bytes) -> None:
        """Stores bytes that a pointer refers to."""
        self.memory[at - MEMORY : at - MEMORY + len(data)] = data

    def refer(self, name: str, at: int, count: int = 0) -> None:
        """Makes a pointer refer to an address. count: the number of elements of a repeated field."""
        struct.pack_into("<I", self.message, self.offsets[name], at)
        if count:
            struct.pack_into("<I", self.message, self.counts[name], count)

    def run(self, interface, status: str, at: int | None = None, **options) -> bytes:
        """Serializes the struct, and checks the status and the address at fault."""
        outcome, output = self.bench.run(self.index, Made(bytes(self.message), bytes(self.memory), None, 0), **options)
        assert status_of(self.bench, outcome) == status, hex(outcome.at)
        assert at is None or outcome.at == at, f"{status} at {outcome.at:#x}, not {at:#x}"
        return output


@pytest.fixture
def struct_of(serializer, interface, natives):
    """Returns a function that makes a struct with only `needed` set."""
    native = natives(Native("native_faults", PROTO, OPTIONS, "-DPB_FIELD_32BIT"))
    bench = Writer(serializer, interface, native.judge)
    return lambda: Struct(native, bench)


OUTSIDE = (STRUCT_BASE - 64, STRUCT_BASE - 8, LIMIT, LIMIT + 64, 0xFFFF_FFF8)
MISPLACED = {
    "text": OUTSIDE,
    "data": (*OUTSIDE, MEMORY + 2, LIMIT - 2),
    "leaf": (*OUTSIDE, MEMORY + 4, LIMIT - 8),
    "wide": (*OUTSIDE, MEMORY + 4, LIMIT - 8),
    "texts": (*OUTSIDE, MEMORY + 2, LIMIT - 4),
    "one": (*OUTSIDE, MEMORY + 4, LIMIT - 4),
    "needed": (*OUTSIDE, MEMORY + 2, LIMIT - 2),
    "all": (*OUTSIDE, MEMORY + 2, LIMIT - 8),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_pointers(struct_of, interface, name):
    """The address at fault is the one where a pointer may not lead."""
    for at in MISPLACED[name]:
        made = struct_of()
        made.refer(name, at, 2 if name in ("wide", "texts") else 0)
        made.run(interface, "BAD_OBJECT", at)


def test_elements(struct_of, interface):
    """Each element of an array of structs or blocks is checked, the last one first."""
    for name, size in (("leaves", 16), ("blocks", 5)):
        made = struct_of()
        made.refer(name, LIMIT - 2 * size, 3)
        if name == "leaves":
            made.put(LIMIT - 2 * size, bytes(2 * size))
        made.run(interface, "BAD_OBJECT", LIMIT)
        made.refer(name, LIMIT - 3 * size // 8 * 8, 65_536)
        made.run(interface, "UNSUPPORTED", LIMIT - 3 * size // 8 * 8)
    made = struct_of()
    made.refer("texts", MEMORY + 16, 2)
    made.put(MEMORY + 16, struct.pack("<2I", LIMIT, 0))
    made.run(interface, "BAD_OBJECT", LIMIT)


def test_counts(struct_of, interface):
    """Counts that exceed the bounds, wrap around memory, or exceed the available room."""
    for count in (ROOM // 8 - 1, 1 << 28, 1 << 29, 0x2000_0002, 0xFFFF_FFFF):
        for name in ("wide", "texts"):
            made = struct_of()
            made.refer(name, MEMORY + 16, count * (1 if name == "wide" else 2) & 0xFFFF_FFFF or 1 << 30)
            made.run(interface, "BAD_OBJECT", MEMORY + 16)
        made = struct_of()
        made.refer("data", MEMORY + 16)
        made.put(MEMORY + 16, struct.pack("<I", max(count, ROOM)))
        made.run(interface, "BAD_OBJECT", MEMORY + 16)
    made = struct_of()
    struct.pack_into("<I", made.message, made.counts["few"], 4)
    made.run(interface, "DOES_NOT_FIT", STRUCT_BASE)
    made = struct_of()
    made.message[made.counts["held"]] = 1
    struct.pack_into("<I", made.message, made.offsets["held"], 9)
    made.run(interface, "DOES_NOT_FIT", STRUCT_BASE + made.offsets["held"])


def test_a_string_without_an_end(struct_of, interface):
    """A string without a terminator does not fit in the struct. Behind a pointer nothing ends it."""
    made = struct_of()
    made.message[made.counts["inside"]] = 1
    made.message[made.offsets["inside"] : made.offsets["inside"] + 8] = b"x" * 8
    made.run(interface, "DOES_NOT_FIT", STRUCT_BASE + made.offsets["inside"])
    for behind in (1, 16, 63, 64, 100, 1000):
        made = struct_of()
        made.refer("text", LIMIT - behind)
        made.run(interface, "BAD_OBJECT", LIMIT - behind)


def test_missing_and_depth(struct_of, interface):
    made = struct_of()
    made.refer("needed", 0)
    made.run(interface, "MISSING_REQUIRED", STRUCT_BASE)
    made = struct_of()
    made.refer("all", STRUCT_BASE)
    made.run(interface, "DEPTH_EXCEEDED", STRUCT_BASE, max_depth=3)
    made = struct_of()
    made.refer("leaf", MEMORY + 64)
    made.put(MEMORY + 64, struct.pack("<QQ", 1, 3))
    made.run(interface, "OK", max_depth=1)


def test_strings(struct_of, interface):
    """Strings and bytes of all lengths at all addresses, in the bounds' first and last blocks and between."""
    dice = random.Random(8)
    for length in [*range(36), 63, 64, 65, 111, 112, 126, 127, 128, 129, 200, 247, 248, 254, 255, 256, 257, 1000]:
        made = struct_of()
        shake(made.bench.unit, dice)
        text, data = (bytes(dice.randrange(1, 256) for _ in range(length)) for _ in range(2))
        low = dice.randrange(32)
        here = dice.choice([MEMORY + 64 + low, LIMIT - length - 1])
        made.put(here, text + b"\0")
        made.refer("text", here)
        made.put(MEMORY + 1200 + 4 * low, struct.pack("<I", length) + data)
        made.refer("data", MEMORY + 1200 + 4 * low)
        made.put(MEMORY + 2400 + low, text + b"\0")
        made.put(MEMORY + 2320, struct.pack("<3I", MEMORY + 2400 + low, 0, here))
        made.refer("texts", MEMORY + 2320, 3)
        encoding, _ = made.native.judge.encoded(made.index, bytes(made.message), bytes(made.memory))
        assert encoding and made.run(interface, "OK") == encoding, length


def test_memory_faults(struct_of, interface):
    """Memory that the bus denies: the struct, what a pointer refers to, a table, the output."""
    denied, end = 0x1000_0000, 0x1000_1000
    made = struct_of()
    unit, operation = made.bench.unit, interface.operations["protobuf_serialize"]
    made.run(interface, "OK")
    table = SCHEMA_BASE + made.native.judge.types[made.index].table
    bounds = STRUCT_BASE, LIMIT
    output = 0x4E00_0000, 0x4E00_1000

    def ends(status, struct_at=STRUCT_BASE, table=table, output=output, bounds=bounds):
        outcome = unit.run(operation, [struct_at, table, 0, *output, *bounds])
        assert status_of(made.bench, outcome) == status, hex(outcome.at)

    ends("OK")
    ends("BUS_FAULT", struct_at=denied, bounds=(denied, end))
    for name in ("text", "data", "leaf", "one", "wide", "texts", "leaves"):
        made = struct_of()
        made.refer(name, denied + 64, 3 if name in ("wide", "texts", "leaves") else 0)
        made.run(interface, "BAD_OBJECT")
        ends("BUS_FAULT", bounds=(denied, LIMIT))
    struct_of().run(interface, "OK")
    ends("BUS_FAULT", output=(denied, end))
    unit.register(interface.registers["TABLE_BASE"], 0)
    unit.register(interface.registers["TABLE_LIMIT"], 0xFFFF_FFF0)
    ends("BUS_FAULT", table=denied)

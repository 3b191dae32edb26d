"""The engine writing C structs: tight outputs, damaged structs and tables, reset. test_native_fuzz.py tests the output
for structs."""

from __future__ import annotations

import os
import random

import pytest
from harness import shake, sound, status_of
from native import Native, Writer

from tests.nanopb.judge import Made

FULL = bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture
def bench_of(serializer, interface, natives):
    """Returns a function that makes a schema by its number, and a bench of it."""

    def make(seed: int, pointers: bool) -> tuple[Native, Writer]:
        native = natives(Native.random(seed, pointers))
        return native, Writer(serializer, interface, native.judge)

    return make


@pytest.mark.parametrize("seed", range(20 if FULL else 1))
def test_tight_outputs(bench_of, interface, seed):
    """One byte too few is OUTPUT_FULL. Exactly enough is enough."""
    native, bench = bench_of(seed, seed % 2 == 0)
    dice = random.Random(4000 + seed)
    for index, made in native.structs(dice, 30, 0):
        shake(bench.unit, dice)
        if not made.encoding:
            continue
        outcome, output = bench.run(index, made, (0, dice.randrange(64)), len(made.encoding))
        sound(outcome)
        assert output == made.encoding
        outcome, _ = bench.run(index, made, (0, dice.randrange(64)), dice.randrange(len(made.encoding)))
        assert status_of(bench, outcome) == "OUTPUT_FULL"


@pytest.mark.parametrize("seed", range(60 if FULL else 2))
def test_damaged(bench_of, seed):
    """Whatever tables and structs say, commands end, read within their bounds and write within the output."""
    native, bench = bench_of(seed, seed % 2 == 0)
    dice = random.Random(5000 + seed)
    for index, made in native.structs(dice, 40, 0.2):
        shake(bench.unit, dice)
        tables, message, memory = bytearray(native.judge.tables), bytearray(made.message), bytearray(made.memory)
        for part, times in (
            (tables, dice.choice([0, 1, 8, 40])),
            (message, dice.choice([0, 1, 4])),
            (memory, dice.choice([0, 1, 4])),
        ):
            for _ in range(times if part else 0):
                at = dice.randrange(len(part))
                part[at] = dice.choice([0, 1, 0xFF, part[at] ^ 1 << dice.randrange(8), dice.randrange(256)])
        bench.load(bytes(tables))
        outcome, _ = bench.run(
            index,
            Made(bytes(message), bytes(memory), None, 0),
            (dice.randrange(64), dice.randrange(64)),
            dice.choice([0, 64, 4096]),
        )
        sound(outcome)


def test_reset(bench_of):
    """A command that is cut off leaves nothing behind for the next one."""
    native, bench = bench_of(0, True)
    dice = random.Random(6)
    for index, made in native.structs(dice, 20, 0):
        bench.run(index, made, reset_after=dice.randrange(1, 300))
        bench.load(native.judge.tables)
        outcome, output = bench.run(index, made)
        sound(outcome)
        assert output == (made.encoding or b"")


# Values of one, two, four or eight bytes that are not zero, although their first byte mostly is.
SLOTS = """syntax = "proto3";
enum Small { S0 = 0; S1 = 1; S2 = 127; }
enum Half { H0 = 0; H1 = 1; H256 = 256; H4096 = 0x1000; H32512 = 0x7F00; }
enum Word { W0 = 0; W1 = 1; W256 = 256; W24 = 0x1000000; }
message Slots {
  oneof choice { uint32 low = 1; uint32 high = 256; Half half = 512; bool wide = 4097; }
  KIND value = 3;
  bool behind = 4;
  optional KIND maybe = 5;
  KIND other = 6;
}
message Counts { repeated bool flags = 1; bytes data = 2; repeated Half halves = 3; bool behind = 4; }
"""
KINDS = [
    *((kind, bits) for kind in ("int32", "int64", "uint32", "uint64", "sint32", "sint64") for bits in (8, 16, 32, 64)),
    *((kind, 0) for kind in ("bool", "Small", "Half", "Word", "fixed32", "fixed64", "float", "double")),
]


def values_of(kind: str, bits: int) -> list[int]:
    """Returns values with each byte of their slot alone, as far as the type has them."""
    if kind in ("bool", "Small"):
        return [0, 1]
    if kind in ("Half", "Word"):
        return [0, 1, 256, *([0x1000, 0x7F00] if kind == "Half" else [0x1000000])]
    size = min(bits or 64, 32 if "32" in kind else 64)
    found = [value for at in range(0, size, 8) for value in (1 << at, 0x40 << at)]
    signs = [-value for value in [*found, 1 << size - 1]] if kind.startswith(("int", "sint", "float", "double")) else []
    return [0, *found, *signs]


@pytest.mark.parametrize("pointers", [False, True], ids=["inline", "pointers"])
@pytest.mark.parametrize("defines", ["", "-DPB_FIELD_32BIT"], ids=["narrow", "wide"])
def test_every_byte_of_a_slot(serializer, interface, natives, defines, pointers):
    """A scalar is absent if all of its bytes are zero. A `which` and a count have two bytes or four."""
    proto, texts = SLOTS.split("message Slots"), []
    options = "Small packed_enum:true\nHalf packed_enum:true\nCounts.* max_count:600\nCounts.data max_size:600\n"
    for index, (kind, bits) in enumerate(KINDS):
        slots, counts = proto[1].replace("KIND", kind).split("message Counts")
        texts.append(f"message Slots{index}{slots}")
        for name in ("value", "maybe", "other") if bits else ():
            options += f"Slots{index}.{name} int_size:IS_{bits}\n"
        options += f"Slots{index}.{'value' if pointers else '*'} type:{'FT_POINTER' if pointers else 'FT_STATIC'}\n"
    native = natives(
        Native(
            f"native_slots_{'pointers' if pointers else 'inline'}{len(defines)}",
            f"{proto[0]}{''.join(texts)}message Counts{counts}",
            options,
            defines,
        )
    )
    bench, types = Writer(serializer, interface, native.judge), [kind.name for kind in native.judge.types]

    def check(name: str, **fields) -> None:
        message = native.program.message_class(name)(**fields)
        made = native.judge.made(types.index(name), message.SerializeToString())
        assert made is not None and made.encoding is not None, (name, fields)
        outcome, output = bench.run(types.index(name), made, (0, 1))
        sound(outcome)
        assert output == made.encoding, (name, fields, output.hex(), made.encoding.hex())

    for index, (kind, bits) in enumerate(KINDS):
        for value in values_of(kind, bits):
            check(f"Slots{index}", value=value, behind=True)
            check(f"Slots{index}", other=value, maybe=value)
        for member in ("low", "high", "half", "wide"):
            check(f"Slots{index}", **{member: 256 if member != "wide" else True})
    for count in (0, 1, 255, 256, 257, 512, 600):
        check("Counts", flags=[True] * count, halves=[256] * count)
        check("Counts", data=b"x" * count, behind=True)

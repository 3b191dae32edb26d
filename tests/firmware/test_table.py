"""The codec against the official library and against the host's model."""

import random
import struct
import subprocess

import pytest
from google.protobuf.message import DecodeError

from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.schema import compile_schema
from tests.common.random_messages import fill
from tests.firmware.digest import digest

ARENA = 1 << 20
DEPTH = 64


class Codec:
    """The codec with one schema loaded."""

    def __init__(self, programs, folder, compiled, interface):
        self.program, self.compiled, self.interface = programs / "batch", compiled, interface
        self.blob = folder / "blob"
        self.blob.write_bytes(compiled.blob)

    def run(self, messages, type_name, fixed=ARENA, flexible=ARENA, depth=DEPTH):
        """Returns (status name, offset, digest, fixed bytes, flexible bytes) of each message."""
        kind = self.compiled.index(type_name)
        requests = b"".join(struct.pack("<5I", kind, depth, fixed, flexible, len(m)) + m for m in messages)
        result = subprocess.run([self.program, self.blob], input=requests, capture_output=True)
        assert result.returncode == 0, result.stdout[-500:] + result.stderr[-3000:]
        rows = [list(map(int, line.split())) for line in result.stdout.decode().splitlines()]
        assert len(rows) == len(messages)
        return [(self.interface.status_name(status), *rest) for status, *rest in rows]


@pytest.fixture(scope="module")
def codec(programs, tmp_path_factory, everything, interface):
    roots = [everything.descriptor(name) for name in ("test.Everything", "test.Leaf", "test.Grouped", "test.Special")]
    return Codec(programs, tmp_path_factory.mktemp("codec"), compile_schema(roots, interface), interface)


def messages(schema, name, count, seed):
    dice = random.Random(seed)
    for _ in range(count):
        message = schema.message_class(name)()
        fill(message, dice)
        yield message


@pytest.mark.parametrize("name", ["test.Everything", "test.Grouped"])
def test_equals_the_official_library(codec, everything, name):
    sent = list(messages(everything, name, 150, 1))
    for message, row in zip(sent, codec.run([m.SerializeToString() for m in sent], name)):
        assert row[:3] == ("OK", 0, digest(message))


def mutations(data, dice, count):
    """Yields damaged and reordered variants of a message."""
    for _ in range(count):
        copy = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            if not copy:
                copy.append(dice.randrange(256))
            at = dice.randrange(len(copy))
            action = dice.randrange(5)
            if action == 0:
                copy[at] ^= 1 << dice.randrange(8)
            elif action == 1:
                copy[at] = dice.choice([0, 1, 7, 8, 0x0B, 0x0C, 0x7F, 0x80, 0xFF])
            elif action == 2:
                del copy[at:]
            elif action == 3:
                copy[at:at] = dice.randbytes(dice.randint(1, 6))
            else:
                copy += copy[:at]
        yield bytes(copy)


def damaged(schema, count, seed):
    """Returns `count` damaged messages of test.Everything."""
    dice = random.Random(seed)
    per = 20
    return [
        data
        for message in messages(schema, "test.Everything", count // per, seed)
        for data in mutations(message.SerializeToString(), dice, per)
    ]


def test_accepts_what_the_official_library_accepts(codec, everything):
    """The codec also gets the same value, including merged messages and unknown fields."""
    inputs = damaged(everything, 3000, 2)
    accepted = 0
    for data, (status, offset, value, *_) in zip(inputs, codec.run(inputs, "test.Everything")):
        message = everything.message_class("test.Everything")()
        try:
            message.ParseFromString(data)
        except DecodeError:
            assert status != "OK", data.hex()
            continue
        if status != "FIELD_NUMBER_ZERO":  # which upb accepts in an unknown group (docs/reference/upb.md)
            assert status == "OK", data.hex()
            # The library's conversion through a double changes some NaNs of floats.
            assert value == digest(message) or "nan" in str(message), data.hex()
            accepted += 1
    assert accepted > 300


def test_fails_as_the_model_does(codec, everything, interface):
    """Status and offset of the first error agree, message by message."""
    inputs = damaged(everything, 1000, 3)
    runtime = model_runtime(interface, codec.compiled, 0x42000040, 0x40001000)
    model = Deserializer(
        runtime,
        Region("fixed", 0x48000000, bytearray(ARENA)),
        Region("flexible", 0x4C000000, bytearray(ARENA)),
        max_depth=DEPTH,
    )
    seen = set()
    for data, row in zip(inputs, codec.run(inputs, "test.Everything")):
        outcome = model.run(data)
        assert row[:2] == (outcome.status, outcome.offset), data.hex()
        seen.add(outcome.status)
    assert {"OK", "TRUNCATED", "BAD_LENGTH", "BAD_WIRE_TYPE", "FIELD_NUMBER_ZERO", "BAD_GROUP"} <= seen


@pytest.mark.parametrize(
    "data, status, offset",
    [
        ("0a", "TRUNCATED", 0),
        ("0a0561", "TRUNCATED", 0),
        ("1801" + "08", "TRUNCATED", 2),
        ("80", "TRUNCATED", 0),
        ("18ffffffffffffffffffff01", "VARINT_OVERFLOW", 0),
        ("18ffffffffffffffffffff", "VARINT_OVERFLOW", 0),
        ("ffffffff7f00", "VARINT_OVERFLOW", 0),
        ("f8ffffff7f80", "TRUNCATED", 0),
        ("988080808000" + "01", "VARINT_OVERFLOW", 0),
        ("988080808000", "TRUNCATED", 0),
        ("9880808000" + "01", "OK", 0),
        ("1801" + "8a8080808000" + "0161", "VARINT_OVERFLOW", 2),
        ("0a818080808000" + "61", "VARINT_OVERFLOW", 0),
        ("0a878080808000" + "61", "VARINT_OVERFLOW", 0),
        ("f27f818080808000" + "61", "VARINT_OVERFLOW", 0),
        ("f37f0a818080808000" + "61f47f", "VARINT_OVERFLOW", 2),
        ("f37ff4ff8080808000", "VARINT_OVERFLOW", 2),
        ("f27f8180808000" + "61", "OK", 0),
        ("a3120000a412", "FIELD_NUMBER_ZERO", 2),
        ("0f", "BAD_WIRE_TYPE", 0),
        ("0e", "BAD_WIRE_TYPE", 0),
        ("06", "FIELD_NUMBER_ZERO", 0),
        ("0000", "FIELD_NUMBER_ZERO", 0),
        ("00", "TRUNCATED", 0),
        ("0100", "TRUNCATED", 0),
        ("8080000000", "FIELD_NUMBER_ZERO", 0),
        ("0c", "BAD_GROUP", 0),
        ("0b14", "BAD_GROUP", 1),
        ("0b", "BAD_GROUP", 1),
        ("13ff", "TRUNCATED", 1),
        ("1aff", "TRUNCATED", 0),
        ("1d0000", "TRUNCATED", 0),
        ("188000", "OK", 0),
        ("9880800000", "OK", 0),
        ("18ffffffffffffffffff7f", "OK", 0),
        ("", "OK", 0),
    ],
)
def test_every_error_by_hand(codec, data, status, offset):
    assert codec.run([bytes.fromhex(data)], "test.Leaf")[0][:2] == (status, offset)


@pytest.mark.parametrize(
    "data, status, offset",
    [
        ("13080114", "OK", 0),
        ("1308011c", "BAD_GROUP", 3),
        ("130801", "BAD_GROUP", 3),
        ("131c", "BAD_GROUP", 1),
        ("2b30042c2b30062c", "OK", 0),
        ("12020801", "OK", 0),
    ],
)
def test_known_groups(codec, everything, data, status, offset):
    data = bytes.fromhex(data)
    row = codec.run([data], "test.Grouped")[0]
    assert row[:2] == (status, offset)
    if status == "OK":
        assert row[2] == digest(everything.message_class("test.Grouped").FromString(data))


NEEDED = b"\x08\x01\x12\x00"  # both required fields of test.Special


@pytest.mark.parametrize(
    "data, status",
    [
        (b"", "MISSING_REQUIRED"),
        (b"\x08\x01", "MISSING_REQUIRED"),
        (NEEDED, "OK"),
        (b"\xa2\x01\x02\x08\x01" + NEEDED, "MISSING_REQUIRED"),
        (b"\xa2\x01\x02\x08\x01" + NEEDED + b"\xa2\x01\x02\x12\x00", "OK"),
        # A map entry that lacks something does not matter if its key comes again.
        (NEEDED + b"\xaa\x01\x06\x08\x05\x12\x02\x08\x01", "MISSING_REQUIRED"),
        # The same holds for an entry without a value, which means an empty message.
        (NEEDED + b"\xaa\x01\x02\x08\x05", "MISSING_REQUIRED"),
        (NEEDED + b"\xaa\x01\x02\x08\x05" + b"\xaa\x01\x08\x08\x05\x12\x04" + NEEDED, "OK"),
        (NEEDED + b"\xaa\x01\x06\x08\x05\x12\x02\x08\x01" + b"\xaa\x01\x08\x08\x05\x12\x04" + NEEDED, "OK"),
        (
            NEEDED + b"\xaa\x01\x06\x08\x05\x12\x02\x08\x01" + b"\xaa\x01\x08\x08\x06\x12\x04" + NEEDED,
            "MISSING_REQUIRED",
        ),
    ],
)
def test_required_fields_may_come_later(codec, everything, data, status):
    assert everything.message_class("test.Special").FromString(data).IsInitialized() == (status == "OK")
    assert codec.run([data], "test.Special")[0][:2] == (status, 0 if status == "OK" else len(data))


def nested(depth):
    """Returns test.Everything nested to `depth` levels."""
    data = b""
    for _ in range(depth - 1):
        length = len(data)
        varint = bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])
        data = b"\x5a" + varint + data
    return data


def test_depth_counts_what_is_open_within_the_root(codec):
    rows = [codec.run([nested(levels)], "test.Everything", depth=5)[0][:2] for levels in (1, 5, 6, 7)]
    assert [row[0] for row in rows] == ["OK", "OK", "OK", "DEPTH_EXCEEDED"]
    groups = [b"\x4b" * levels + b"\x4c" * levels for levels in (5, 6)]
    assert [row[:2] for row in codec.run(groups, "test.Leaf", depth=5)] == [("OK", 0), ("DEPTH_EXCEEDED", 5)]
    assert [row[0] for row in codec.run([nested(101), nested(102)], "test.Everything", depth=0)] == [
        "OK",
        "DEPTH_EXCEEDED",
    ]


def test_arenas_that_just_suffice(codec, everything):
    """As many bytes as a run took are enough. With 8 bytes less the status names the arena that was too small."""
    sent = [m.SerializeToString() for m in messages(everything, "test.Everything", 12, 4)]
    for data, (status, _, value, fixed, flexible) in zip(sent, codec.run(sent, "test.Everything")):
        assert status == "OK"
        exact = codec.run([data], "test.Everything", fixed=fixed)[0]
        assert exact[:3] == ("OK", 0, value) and exact[3] == fixed
        assert codec.run([data], "test.Everything", fixed=fixed - 8)[0][0] == "FIXED_ARENA_FULL"
        if flexible:
            assert codec.run([data], "test.Everything", flexible=0)[0][0] == "FLEXIBLE_ARENA_FULL"


def test_packed_varints_fill_a_small_arena_exactly(codec):
    """If the room is too small for as many elements as bytes, it is allocated by elements."""
    data = b"\x92\x02\x14" + b"\xff\x01" * 10  # r4: ten uint64 of two bytes
    assert codec.run([data], "test.Everything", flexible=16 + 80)[0][0] == "OK"
    assert codec.run([data], "test.Everything", flexible=16 + 72)[0][0] == "FLEXIBLE_ARENA_FULL"


def test_mutations_stay_within_their_arenas(codec, everything, programs, tmp_path, request):
    """Every message ends in a result or an error code, under guard words, ASan and UBSan."""
    count = 1_000_000 if request.config.getoption("-m") == "" else 40_000
    seeds = b"".join(
        struct.pack("<2I", codec.compiled.index(name), len(data)) + data
        for name in ("test.Everything", "test.Grouped", "test.Leaf")
        for data in (m.SerializeToString() for m in messages(everything, name, 40, 5))
        if len(data) < 6000
    )
    (tmp_path / "seeds").write_bytes(seeds)
    result = subprocess.run(
        [programs / "fuzz", codec.blob, tmp_path / "seeds", str(count), "1"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-3000:]
    ended = {int(line.split()[0]): int(line.split()[1]) for line in result.stdout.splitlines()}
    assert sum(ended.values()) == count
    assert len(ended) >= 9

"""The engine alone, reading, case by case where the rules of docs/reference/units/protobuf_read.md are subtle."""

import random

import pytest
from harness import status_of
from test_deserializer import ARENA, FULL, same

from tests.common.reference import Reference
from tests.common.wire import varint
from tests.unit.engine import INPUT_BASE, SCHEMA_BASE, EngineReader

PROTO2 = """syntax = "proto2"; package t;
enum Sparse { ZERO = 0; ONE = 1; FAR = 70000; BELOW = -2000000000; %s }
enum Other { NONE = 5; }
message M {
  optional int32 number = 1; optional string text = 2; repeated int32 list = 3; optional M inner = 4;
  repeated M more = 5;
  optional group Bundle = 6 { optional int32 inside = 1; repeated string texts = 2; optional M below = 4; }
  repeated group Many = 7 { optional int32 inside = 1; }
  optional Sparse sparse = 8; repeated Sparse several = 9; repeated Sparse packed = 10 [packed = true];
  optional Other other = 11;
  oneof choice { int64 wide = 12; bool flag = 13; M left = 14; M right = 15; string note = 16;
  group Part = 17 { optional int32 inside = 1; } Sparse kind = 23; }
  map<int32, Sparse> sparse_of = 18; map<string, M> of = 19; repeated double reals = 20; optional Needs needs = 21;
  map<int32, Needs> needs_of = 22; repeated float floats = 24;
}
message Needs { required int32 a = 1; required string b = 2; optional int32 c = 3; }
""" % " ".join(f"V{i} = {1000 + 3 * i};" for i in range(300))
PROTO3 = """syntax = "proto3"; package t;
message M { string text = 1; repeated string texts = 2; bytes raw = 3; M inner = 4; int32 number = 5; map<string,
string> names = 6; oneof c { string one = 7; int32 two = 8; } }
"""


def field(number: int, body: bytes | int) -> bytes:
    """Returns a field with a length, or a varint."""
    if isinstance(body, int):
        return varint(number << 3) + varint(body)
    return varint(number << 3 | 2) + varint(len(body)) + body


def group(number: int, body: bytes) -> bytes:
    return varint(number << 3 | 3) + body + varint(number << 3 | 4)


class Machine:
    """A unit with a schema that is written as text."""

    def __init__(self, unit, interface, folder, text: str) -> None:
        self.schema, self.bench = EngineReader.of_text(unit, interface, folder, text)
        self.name, self.interface = self.schema.type_names()[0], interface

    def run(self, data: bytes, **arguments):
        """Runs a command. Returns status name, offset and outcome."""
        outcome = self.bench.run(data, self.bench.schema.index(self.name), **{"arena": ARENA, **arguments})
        return status_of(self, outcome), outcome.offset, outcome

    def agrees(self, data: bytes, **arguments) -> str:
        """Checks that the status is the reference's and that the objects are the official library's. Returns the
        status."""
        status, offset, outcome = self.run(data, **arguments)
        expected = Reference(self.schema, self.name, data, arguments.get("max_depth", 0))
        assert (status, offset) == expected.ends, data.hex()
        if status == "OK":
            same(self.bench, outcome, self.schema, self.name, data)
        return status


@pytest.fixture
def proto2(unit, interface, tmp_path):
    return Machine(unit, interface, tmp_path, PROTO2)


@pytest.fixture
def proto3(unit, interface, tmp_path):
    return Machine(unit, interface, tmp_path, PROTO3)


LISTS = [
    field(3, 7) + field(3, 8),
    field(3, bytes([1, 2, 3])),
    field(20, bytes(24)),
    field(5, field(1, 2)),
    field(50, b"unknown"),
    field(2, b"text"),
]


@pytest.mark.parametrize("seed", range(200 if FULL else 8))
def test_messages_merge(proto2, seed):
    """Any number of occurrences of a message, with lists, unknown fields and submessages."""
    dice = random.Random(seed)

    def body(depth):
        parts = dice.choices(LISTS, k=dice.randint(0, 4))
        for _ in range(dice.choice([1, 2, 3]) if depth else 0):
            number = dice.choice([4, 4, 14, 15, 6, 17, 5, 7])
            inside = body(depth - 1) if number not in (6, 7, 17) else field(1, 3) + field(51, 4)
            parts.append(group(number, inside) if number in (6, 7, 17) else field(number, inside))
        if not dice.randrange(4):
            parts.append(field(dice.choice([12, 13]), dice.getrandbits(40)))
        dice.shuffle(parts)
        return b"".join(parts)

    for _ in range(4):
        assert proto2.agrees(b"".join(field(4, body(2)) for _ in range(3)) + body(3)) == "OK"


def test_oneofs(proto2):
    members = [
        field(12, 1 << 40),
        field(13, 1),
        field(14, field(1, 1)),
        field(15, field(3, 2)),
        field(16, b"note"),
        group(17, field(1, 9)),
        field(14, b""),
        field(12, 0),
    ]
    for first in members:
        for second in members:
            for third in (b"", first):
                assert proto2.agrees(first + second + third) == "OK"


def test_enums(proto2):
    for value in (0, 1, 70000, -2000000000, 1000, 1000 + 3 * 299, 1001, 2, -1, (1 << 40) + 1, 5):
        for data in (
            field(8, value),
            field(11, value),
            field(9, value) * 3,
            field(1, 1) + field(8, value) + field(50, 1) + field(8, 1),
            field(23, value),
        ):
            assert proto2.agrees(data) == "OK"
        proto2.agrees(field(10, varint(1) + varint(value)))
        proto2.agrees(field(18, field(1, 7) + field(2, value)) + field(1, 1))
    assert proto2.agrees(field(10, varint(1) + varint(1001))) == "UNSUPPORTED"
    assert proto2.agrees(field(18, field(2, 1001))) == "UNSUPPORTED"


def test_runs_of_fixed_width(proto2, unit):
    """Elements are copied as they are, unless the array has no room for all of them or the last one is cut."""
    one = varint(24 << 3 | 5) + b"wxyz"
    run = {count: field(24, bytes(range(4 * count))) for count in (0, 1, 2, 3, 5, 20)}
    reals = field(20, bytes(range(64)))
    inner = field(4, run[3] + reals)
    for data in (
        *run.values(),
        run[0] + run[1] + run[3] + one + run[2] + one,
        one + run[20] + reals + run[3] + one + reals,
        run[5] + inner + run[3] + inner + run[1],
        field(5, run[3]) + run[5] + field(5, run[1] + reals) + run[2],
    ):
        assert proto2.agrees(data) == "OK"
        enough = [proto2.run(data, flexible=flexible)[0] for flexible in range(0, 1000, 8)].index("OK")
        for flexible in range(0, 1000, 8):
            if flexible < 8 * enough:
                assert proto2.run(data, flexible=flexible)[0] == "FLEXIBLE_ARENA_FULL"
            else:
                assert proto2.agrees(data, flexible=flexible) == "OK"
    assert proto2.run(field(1, 1) + run[3], flexible=8)[:2] == ("FLEXIBLE_ARENA_FULL", 2)
    for length in (1, 3, 6, 10, 39):
        assert proto2.agrees(field(24, bytes(length))) != "OK"
        assert proto2.agrees(run[3] + field(20, bytes(length))) != "OK"
    unit.memory(1, 0, 1, 1)
    cycles = [proto2.run(field(24, bytes(4 * count)))[2].cycles for count in (100, 500)]
    assert cycles[1] - cycles[0] < 1.2 * 400, "one by one, each takes 2"


def test_damaged_enum_lists(proto2, unit, interface):
    bench = proto2.bench
    record = bench.schema.types[0]
    lists = record.table_offset + record.table.enum_lists

    def ends(at: int, damage: int, width: int = 4, value: int = 1003) -> str:
        blob = bytearray(bench.blob)
        blob[at : at + width] = damage.to_bytes(width, "little")
        unit.load(SCHEMA_BASE, bytes(blob))
        bench.registers()
        return proto2.run(field(number, value))[0]

    number = 8
    assert ends(lists, 0) == "OK"  # the entry says where the values are
    assert ends(lists + 4, 0) == "OK"  # not declared
    for count in (1 << 16, 0x3FFF_FFFF, 0xFFFF_FFFF):
        assert ends(lists + 4, count, value=1001) == "BAD_DESCRIPTOR"
    number = 23  # in a oneof: the list is looked for
    distance = record.table_offset + interface.header["enum_lists"].offset + interface.header["enum_lists"].bit // 8
    assert ends(lists, 23) == "OK"
    assert ends(distance, 0, 2) == "BAD_DESCRIPTOR"
    assert ends(distance, 0xFFFF, 2) == "BAD_DESCRIPTOR"
    assert ends(lists, 0) == "BAD_DESCRIPTOR"
    for count in (1 << 29, 0x3FFF_FFFF, 0x7FFF_FFFF, 0xFFFF_FFFF):
        assert ends(lists + 4, count) == "BAD_DESCRIPTOR"


@pytest.mark.parametrize(
    "data, status",
    [
        ("888080800005", "OK"),
        ("88808080800005", "VARINT_OVERFLOW"),
        ("888080808000", "TRUNCATED"),
        ("1281808080006138", "TRUNCATED"),
        ("12818080800061", "OK"),
        ("1281808080800061", "VARINT_OVERFLOW"),
        ("128780808080800061", "VARINT_OVERFLOW"),
        ("0801" + "2208" + "1281808080800061", "VARINT_OVERFLOW"),
        ("08ffffffffffffffffff01", "OK"),
        ("1a8680808000010203040506", "OK"),
        ("1a868080808000010203040506", "VARINT_OVERFLOW"),
        ("1a06808080808000", "OK"),  # an element
        ("f27f818080800061", "OK"),
        ("f27f81808080800061", "VARINT_OVERFLOW"),
        ("f37f0a81808080800061f47f", "VARINT_OVERFLOW"),
        ("f37ff4ff80808000", "VARINT_OVERFLOW"),
        ("a3120000a412", "FIELD_NUMBER_ZERO"),
    ],
)
def test_keys_and_lengths_have_five_bytes_at_most(proto2, data, status):
    """Even in unknown fields, which are written as they came: a unit never writes what upb refuses to read. Other
    varints have up to ten."""
    assert proto2.agrees(bytes.fromhex(data)) == status


def test_groups(proto2):
    inner = field(
        4, group(6, field(1, 1) + field(2, b"x") + group(50, field(1, 1) + group(6, b"")) + field(4, group(6, b"")))
    )
    assert proto2.agrees(inner * 2 + group(7, b"") + group(7, field(1, 5)) + group(6, b"") + inner) == "OK"
    ended = varint(6 << 3 | 4)
    for data in (
        ended,
        field(4, ended),
        varint(6 << 3 | 3),
        field(4, varint(6 << 3 | 3)) + ended,
        varint(6 << 3 | 3) + varint(7 << 3 | 4),
        group(6, varint(50 << 3 | 3)),
        group(6, field(4, ended)),
        group(6, b"") + ended,
        group(50, ended),
    ):
        assert proto2.agrees(data) == "BAD_GROUP"
    for depth in (1, 2, 3):
        for data in (
            group(6, field(4, group(6, b""))),
            group(6, group(50, group(50, b""))),
            field(4, group(7, b"") + group(50, b"") + field(4, b"")),
        ):
            proto2.agrees(data, max_depth=depth)


def test_required(proto2):
    whole = field(1, 1) + field(2, b"b")
    assert proto2.agrees(field(21, whole)) == "OK"
    assert proto2.agrees(field(21, whole) + field(21, field(3, 1)) + field(21, b"")) == "OK"
    for part in (b"", field(1, 1), field(2, b""), field(3, 3), field(50, 1) + field(1, 1)):
        assert proto2.agrees(field(1, 1) + field(21, part) + field(21, whole)) == "MISSING_REQUIRED"


@pytest.mark.parametrize("latency", [1, 20, 100])
def test_required_behind_a_message_whose_table_is_large(unit, interface, tmp_path, latency):
    """The header of the outer message has left the cache when the outer message ends, directly behind the inner one."""
    fields = " ".join(f"optional int32 f{i} = {i};" for i in range(1, 480))
    machine = Machine(
        unit,
        interface,
        tmp_path,
        """syntax = "proto2"; package t;
message M { optional Middle middle = 1; }
message Middle { optional Large large = 1; required int32 needed = 2; }
message Large { %s }
"""
        % fields,
    )
    unit.memory(1, 0, latency, latency)
    large = b"".join(field(i, 1) for i in range(1, 480))
    assert machine.agrees(field(1, field(1, large))) == "MISSING_REQUIRED"
    assert machine.agrees(field(1, field(2, 5) + field(1, large))) == "OK"


def test_map_entries_without_value(proto2):
    """An entry without a value means an empty message, which lacks its required fields."""
    assert proto2.agrees(field(19, field(1, b"key")) + field(19, b"") + field(18, field(1, 3))) == "OK"
    assert proto2.agrees(field(22, field(1, 3) + field(2, field(1, 5) + field(2, b"b")))) == "OK"
    for entry in (b"", field(1, 3), field(1, 3) + field(2, field(1, 5)), field(2, b"")):
        assert proto2.agrees(field(1, 1) + field(22, entry)) == "MISSING_REQUIRED"
        assert not proto2.schema.message_class("t.M").FromString(field(22, entry)).IsInitialized()


def test_utf8_faults_come_in_order(proto3, unit):
    """Bytes that are not UTF-8, at each place of a chunk, are reported before any other fault behind them."""
    behind = [
        b"",
        b"\x00",
        b"\x08",
        varint(5 << 3 | 4),
        field(1, b"fine"),
        field(5, 1),
        field(4, b""),
        b"\x0a\x7f",
        field(4, b"\x07"),
    ]
    for length in range(36):
        for wrong in (b"\xe2\x82", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f\x98"):
            unit.memory(length, 0 if length % 2 else 100, 20, 40)
            tail = behind[length % len(behind)]
            assert proto3.agrees(field(5, 1) + field(2, b"a" * length + wrong) + tail) == "INVALID_UTF8"
            assert proto3.agrees(field(4, field(1, b"a" * length + wrong + b"b" * 20)) + tail) == "INVALID_UTF8"
            assert proto3.agrees(field(6, field(2, b"a" * length + wrong))) == "INVALID_UTF8"
        assert (
            proto3.agrees(
                field(3, b"\xff" * length)
                + field(7, "é€😀".encode() * length)
                + field(1, b"a" * (16 - length % 3) + "😀".encode())
            )
            == "OK"
        )


@pytest.mark.parametrize("seed", range(40 if FULL else 8))
@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_text_that_does_not_fit_is_not_looked_at(proto3, unit, number, seed):
    """The copy of a string begins before the string is known to fit, and the program may be held up meanwhile. A full
    arena is reported before wrong UTF-8."""
    dice = random.Random(100 * number + seed)
    before = b"".join(
        field(dice.choice([1, 2, 3, 7]), dice.randbytes(0) + b"x" * dice.randrange(60))
        for _ in range(dice.randrange(12))
    )
    data = before + field(number, b"\xff" * dice.choice([1, 8, 24]))
    needs = proto3.run(before, arena=ARENA)[2]
    used = needs.fixed_top - proto3.bench.fixed_region[0]
    unit.memory(seed, dice.choice([0, 100, 250]), 1, dice.choice([1, 40, 120]))
    try:
        # The root and the list's object have room. The string itself has none.
        assert proto3.run(data, arena=used + 24, flexible=ARENA, filler=0)[:2] == ("FIXED_ARENA_FULL", len(before))
        assert proto3.run(data, arena=used + 200, flexible=ARENA, filler=0)[:2] == ("INVALID_UTF8", len(before))
    finally:
        unit.memory(1, 0, 1, 1)


def test_unknown_fields_keep_their_bytes(proto2, unit):
    """Runs of unknown fields of any length at any address, one behind the other, apart, and around messages and
    lists."""
    dice = random.Random(5)
    for _ in range(60):
        unit.memory(dice.getrandbits(32), dice.choice([0, 80]), 10, 30)
        parts = []
        for _ in range(dice.randint(1, 8)):
            parts.append(
                dice.choice(
                    [
                        field(60, dice.randbytes(dice.choice([0, 1, 7, 8, 30, 500]))),
                        field(61, dice.getrandbits(60)),
                        varint(1 << 3 | 5) + bytes(4),
                        group(62, field(1, 1)),
                        *LISTS,
                    ]
                )
            )
            if dice.random() < 0.3:
                parts.append(field(dice.choice([4, 5]), b"".join(dice.choices(parts, k=3))))
        assert (
            proto2.agrees(b"".join(parts), skew=(dice.randrange(64), 8 * dice.randrange(8), 8 * dice.randrange(8)))
            == "OK"
        )


def test_full_arenas_blame_the_first_unknown_field(proto2):
    data = field(1, 1) + field(60, bytes(100)) + field(61, 1)
    _, _, roomy = proto2.run(data)
    fixed, flexible = (
        roomy.fixed_top - proto2.bench.fixed_region[0],
        roomy.flexible_top - proto2.bench.flexible_region[0],
    )
    assert proto2.run(data, arena=fixed, flexible=flexible)[0] == "OK"
    assert proto2.run(data, arena=fixed - 8, flexible=flexible)[:2] == ("FIXED_ARENA_FULL", 2)
    assert proto2.run(data, arena=fixed, flexible=flexible - 8)[:2] == ("FLEXIBLE_ARENA_FULL", 2)


@pytest.mark.parametrize(
    "fields",
    [
        " ".join(f"required int32 f{i} = {i};" for i in range(1, 34)),
        " ".join(f"optional int32 f{i} = {i};" for i in range(1, 513)),
    ],
)
def test_types_too_large_are_left_to_software(unit, interface, tmp_path, fields):
    machine = Machine(
        unit,
        interface,
        tmp_path,
        f'syntax = "proto2"; package t; message M {{ optional Large large = 1; }} message Large {{ {fields} }}',
    )
    assert machine.run(b"")[:2] == ("OK", 0)
    assert machine.run(b"\x10\x01" + field(1, b""))[:2] == ("UNSUPPORTED", 2)


def test_a_message_that_ends_in_an_unknown_group_has_its_own_hasbits(unit, interface, tmp_path):
    """The message's unknown fields go to its own list, whatever the group's level held before."""
    fields = " ".join(f"optional int32 f{i} = {i};" for i in range(2, 42))
    machine = Machine(
        unit, interface, tmp_path, f'syntax = "proto2"; package t; message M {{ optional M m = 1; {fields} }}'
    )
    for _ in range(2):
        assert machine.agrees(field(1, field(2000, 5)) + field(2000, 6)) == "OK"
        assert machine.agrees(varint(1000 << 3 | 3)) == "BAD_GROUP"
        assert machine.agrees(field(1, varint(1000 << 3 | 3)) + field(3, 1)) == "BAD_GROUP"


@pytest.mark.parametrize("latency", [18, 19, 20])
def test_what_is_read_back_lies_where_tables_are_cached(unit, interface, tmp_path, latency):
    """Two lists take turns. Their state lies in all places that a line of the cache may have."""
    machine = Machine(
        unit,
        interface,
        tmp_path,
        'syntax = "proto3"; package t; message M { repeated int32 a = 1 [packed = false]; '
        "repeated int32 b = 2 [packed = false]; int32 c = 3; int32 d = 4; }",
    )
    data = b"".join(field(number, number + i) for i in range(4) for number in (1, 2, 1, 3, 4))
    unit.memory(1, 0, latency, latency)
    for place in range(0, 8192, 64):
        assert machine.run(data, skew=(0, place + 48, place + 32))[0] == "OK"


MERGED = {
    "packed": field(3, bytes([1])),
    "unpacked": field(3, 1),
    "strings": field(26, b""),
    "unknown": field(50, 1),
    "messages": field(5, b""),
}


@pytest.mark.parametrize("kind", MERGED)
def test_a_message_that_is_merged_time_after_time_takes_room_for_its_elements(kind, unit, interface, tmp_path):
    """The message's list is reopened each time. It would be full each time if it were closed without slack."""
    machine = Machine(
        unit, interface, tmp_path, PROTO2.replace("message M {", "message M { repeated string strings = 26;", 1)
    )
    room = {}
    for times in (64, 512):
        status, _, outcome = machine.run(field(4, MERGED[kind]) * times, arena=1 << 20)
        assert status == "OK"
        room[times] = outcome.flexible_top - 0x4C00_0000
    assert room[512] < 12 * room[64]
    assert machine.agrees(field(4, MERGED[kind]) * 40, arena=1 << 16) == "OK"


@pytest.mark.parametrize("at, length", [(2, 0xFFFF_FFFF), (2, 0xFFFF_FFC0), (0x30, 0xFFFF_FFF8), (0, 0xBC00_0001)])
def test_an_input_that_ends_beyond_all_addresses(at, length, proto2):
    bench = proto2.bench
    bench.unit.load(INPUT_BASE, field(1, 1) * 100)
    outcome = bench.unit.run(
        bench.interface.operations["protobuf_deserialize"],
        [
            INPUT_BASE + at,
            length,
            SCHEMA_BASE + bench.schema.types[0].table_offset,
            0,
            0x4800_0000,
            0x4801_0000,
            0x4C00_0000,
            0x4C01_0000,
        ],
    )
    assert status_of(bench, outcome) == "OUT_OF_BOUNDS"
    assert proto2.agrees(field(1, 1)) == "OK"

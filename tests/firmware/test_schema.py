"""The schema loader makes all refusals that docs/reference/schema_blob.md demands."""

import random
import resource
import struct
import subprocess
import zlib

import pytest

from heapwire.schema import compile_proto, compile_schema
from tests.common.random_messages import fill


@pytest.fixture(scope="module")
def compiled(everything, interface):
    return compile_schema(everything.descriptor("test.Everything"), interface)


def load(programs, folder, blob):
    """Returns the loader's message."""
    (folder / "blob").write_bytes(blob)
    result = subprocess.run(
        [programs / "batch", folder / "blob"], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert result.returncode in (0, 4), result.stderr
    return result.stdout.strip()


def changed(blob, offset, value, sealed=True):
    """Returns the blob with another word at `offset`. `sealed` corrects the CRC."""
    data = bytearray(blob)
    struct.pack_into("<I", data, offset, value)
    if sealed:
        struct.pack_into("<I", data, 12, 0)
        struct.pack_into("<I", data, 12, zlib.crc32(data))
    return bytes(data)


def word(blob, offset):
    return struct.unpack_from("<I", blob, offset)[0]


def test_accepts_a_good_one(programs, tmp_path, compiled):
    assert load(programs, tmp_path, compiled.blob) == ""


@pytest.mark.parametrize(
    "offset, value, complaint",
    [
        (0, 1, "magic"),
        (4, 1, "version of the format"),
        (8, 128, "CRC"),
        (8, 100, "size"),
        (8, 1 << 30, "size"),
        (16, 99, "interface"),
        (20, 0, "section"),
        (20, 5000, "section"),
        (24, 0xFFFFFFF0, "section"),
        (24, 68, "section"),
        (28, 8, "section"),
        (32, 32, "section"),
        (36, 1 << 30, "section"),
        (40, 0xFFFFFFFF, "section"),
        (44, 0, "section"),
        (48, 77, "section"),
    ],
)
def test_refuses_a_bad_header(programs, tmp_path, compiled, offset, value, complaint):
    assert complaint in load(programs, tmp_path, changed(compiled.blob, offset, value))


@pytest.mark.parametrize(
    "offset, value", [(0, 0), (0, 0xFFFFFFFF), (4, 64), (4, 8), (8, 0), (8, 0x7FFFFFC0), (24, 2), (24, 0xFFFFFFFC)]
)
def test_refuses_a_bad_record(programs, tmp_path, compiled, offset, value):
    at = word(compiled.blob, 24) + offset
    assert "record" in load(programs, tmp_path, changed(compiled.blob, at, value))


def test_refuses_a_bad_table(programs, tmp_path, compiled, interface):
    table = word(compiled.blob, word(compiled.blob, 24) + 8)
    assert "table" in load(programs, tmp_path, changed(compiled.blob, table + interface.header["magic"].offset, 0))
    slots = interface.header["last_slot"].offset
    assert "table" in load(
        programs, tmp_path, changed(compiled.blob, table + slots, word(compiled.blob, table + slots) | 0xFFFF)
    )
    assert "table" in load(
        programs, tmp_path, changed(compiled.blob, table + slots, word(compiled.blob, table + slots) ^ 1)
    )


def section(blob, name):
    """Returns the offset of a section."""
    return word(blob, {"types": 24, "klasses": 28, "tables": 32, "strings": 40}[name])


@pytest.mark.parametrize(
    "moved, onto",
    [
        ("types", None),
        ("klasses", "types"),
        ("klasses", "tables"),
        ("tables", "types"),
        ("tables", "klasses"),
        ("strings", "tables"),
        ("strings", "types"),
        ("types", "tables"),
    ],
)
def test_refuses_sections_over_each_other(programs, tmp_path, compiled, moved, onto):
    """A patched word must never be one that was checked."""
    at = {"types": 24, "klasses": 28, "tables": 32, "strings": 40}[moved]
    target = section(compiled.blob, onto) // 64 * 64 if onto else 0
    assert "section" in load(programs, tmp_path, changed(compiled.blob, at, target))


def test_refuses_strings_that_end_behind_it(programs, tmp_path, compiled):
    """By a byte, or so far that the end wraps around to the second byte of the interface's version, which is 0."""
    strings = section(compiled.blob, "strings")
    for size in (len(compiled.blob) - strings + 1, (1 << 32) - strings + 18):
        assert "section" in load(programs, tmp_path, changed(compiled.blob, 44, size))


def test_refuses_records_that_share(programs, tmp_path, compiled):
    """A record shares its klass or table with another record, or its table lies within the one before."""
    types = section(compiled.blob, "types")
    first, second = types, types + 32
    for word_at in (4, 8):
        shared = changed(compiled.blob, second + word_at, word(compiled.blob, first + word_at))
        assert "record" in load(programs, tmp_path, shared)
    assert "record" in load(programs, tmp_path, changed(compiled.blob, second + 8, word(compiled.blob, first + 8) + 64))
    for word_at in (12, 28):
        assert "record" in load(programs, tmp_path, changed(compiled.blob, second + word_at, 8))


def sealed(data):
    return changed(data, 12, 0)


def damaged_header(compiled, interface, **values):
    """Returns the blob with other fields in the header of the first table."""
    data = bytearray(compiled.blob)
    for name, value in values.items():
        interface.header[name].put(data, compiled.types[0].table_offset, value)
    return sealed(data)


def damaged_entry(compiled, interface, number, **values):
    """Returns the blob with other fields in the first table's entries, hashed and ordered, of a field number."""
    data = bytearray(compiled.blob)
    for at in entries_of(compiled, interface, number):
        for name, value in values.items():
            interface.entry[name].put(data, at, value)
    return sealed(data)


def entries_of(compiled, interface, number):
    """Returns the offsets of the hashed and of the ordered entry of a field of the first table."""
    record, size = compiled.types[0], interface.descriptor["entry_size"]
    above = sum(field.number > number for field in record.message.fields)
    return (
        record.table_offset + interface.descriptor["header_size"] + size * record.table.hash.slots.index(number),
        record.table_offset + record.table.ordered + size * above,
    )


@pytest.mark.parametrize(
    "values",
    [
        {"object_size": 0},
        {"object_size": 8},
        {"object_size": 12},
        {"object_size": 0xFFF8, "hasbits_offset": 0xFFF8, "hasbits_words": 9},
        {"hasbits_offset": 0},
        {"hasbits_offset": 9},
        {"hasbits_words": 0},
        {"hasbits_words": 0xFFFF},
        {"memoized_size_offset": 4},
        {"memoized_size_offset": 17},
        {"memoized_size_offset": 0xFFFC},
        {"memoized_is_initialized_offset": 0xFFF8},
        {"memoized_is_initialized_offset": 18},
        {"unknown_fields_offset": 0xFFFC},
        {"unknown_fields_offset": 8},
        {"last_slot": 0xFFFF},
        {"last_slot": 0x7FFF},
        {"last_slot": 2},
        {"usual": 1},
        {"field_count": 0},
        {"field_count": 0xFFFF},
    ],
)
def test_refuses_a_header_no_object_can_have(programs, tmp_path, compiled, interface, values):
    assert "table" in load(programs, tmp_path, damaged_header(compiled, interface, **values))


@pytest.mark.parametrize(
    "number, values",
    [
        (1, {"offset": 0xFFF8, "unsupported": 1}),
        (1, {"offset": 0}),
        (1, {"offset": 12}),
        (5, {"offset": 30}),
        (9, {"offset": 0xFFFC}),
        (31, {"offset": 4}),
        (31, {"offset": 0xFFFC}),
        (5, {"type": 0}),
        (5, {"type": 19}),
        (5, {"type": 31}),
        (8, {"type": 1}),
        (5, {"hasbit": 64}),
        (5, {"hasbit": 0xFFFF, "unsupported": 1}),
        (31, {"hasbit": 512}),
        (31, {"hasbit": 0}),
        (5, {"has_hasbit": 0}),
        (31, {"has_hasbit": 0}),
        (31, {"repeated": 0}),
        (11, {"sub_table": 64}),
        (11, {"sub_table": 0x7FFFFFC0}),
        (11, {"sub_table": -64}),
        (41, {"sub_table": 16}),
        (9, {"type": 11, "sub_table": 32}),
    ],
)
def test_refuses_an_entry_that_leads_out_of_its_object(programs, tmp_path, compiled, interface, number, values):
    assert "table" in load(programs, tmp_path, damaged_entry(compiled, interface, number, **values))


@pytest.fixture(scope="module")
def special(everything, interface):
    return compile_schema(everything.descriptor("test.Special"), interface)


@pytest.mark.parametrize(
    "number, values",
    [
        (1, {"presence": 0}),
        (3, {"presence": 5}),
        (3, {"presence": 6}),
        (3, {"presence": 2}),
        (4, {"presence": 0}),
        (20, {"presence": 1}),
        (10, {"presence": 0}),
        (3, {"presence": 3}),
        (3, {"in_oneof": 1, "presence": 3}),
        (10, {"in_oneof": 0, "presence": 0}),
        (10, {"case_offset": 4}),
        (10, {"case_offset": 14}),
        (14, {"case_offset": 0xFFFC}),
        (14, {"hasbit": 2}),
        (10, {"hasbit": 63}),
        (3, {"packed": 1}),
        (20, {"packed": 1}),
        (4, {"packed": 0}),
        (20, {"closed_enum": 1}),
        (3, {"check_utf8": 1}),
        (1, {"check_utf8": 1}),
        (3, {"enum_high": 5}),
        (3, {"enum_low": -3}),
        (4, {"enum_low": 1}),
        (3, {"enum_values": 0}),
        (4, {"enum_values": 0x40}),
        (12, {"sub_table": 0x100}),
        (11, {"type": 5}),
        (10, {"type": 9}),
    ],
)
def test_refuses_an_entry_that_contradicts_the_table(programs, tmp_path, special, interface, number, values):
    assert "table" in load(programs, tmp_path, damaged_entry(special, interface, number, **values))


def test_refuses_a_type_that_is_not_as_usual(programs, tmp_path, special, interface):
    """A word behind the header lies elsewhere, or there is not one word of hasbits. Such a layout is valid, but the
    table calls it usual."""
    base = special.types[0].table_offset
    was = {name: field.get(special.blob, base) for name, field in interface.header.items()}
    assert was["usual"] == 1
    moved = {
        "memoized_size_offset": was["memoized_is_initialized_offset"],
        "memoized_is_initialized_offset": was["memoized_size_offset"],
    }
    hasbits = {"hasbits_offset": was["memoized_size_offset"], "memoized_size_offset": was["hasbits_offset"]}
    for values in (moved, hasbits):
        assert "table" in load(programs, tmp_path, damaged_header(special, interface, **values))
        assert "table" not in load(programs, tmp_path, damaged_header(special, interface, usual=0, **values))


def test_refuses_slots_that_a_oneof_does_not_share(programs, tmp_path, special, interface):
    """References and scalars have separate slots, which they share with no other field or oneof."""
    fields, cases = special.types[0].layout.fields, special.types[0].layout.cases
    assert fields[10] == fields[13] != fields[11] == fields[12]
    for number, values in (
        (10, {"offset": fields[11]}),
        (12, {"offset": fields[10]}),
        (14, {"offset": fields[11]}),
        (15, {"offset": fields[10]}),
        (3, {"offset": fields[10]}),
        (14, {"case_offset": cases[special.types[0].message.field(10).oneof]}),
    ):
        assert "table" in load(programs, tmp_path, damaged_entry(special, interface, number, **values)), (
            number,
            values,
        )


@pytest.mark.parametrize(
    "values",
    [
        {"required_count": 1},
        {"required_count": 3},
        {"unknown_hasbit": 0},
        {"unknown_hasbit": 40},
        {"enum_lists": 0},
        {"enum_lists": 1},
        {"enum_lists": 0xFFFF},
        {"field_count": 8},
        {"model": 1},
        {"cleared": 1},
        {"has_required": 0},
    ],
)
def test_refuses_a_header_that_contradicts_its_entries(programs, tmp_path, special, interface, values):
    assert load(programs, tmp_path, special.blob) == ""
    assert "table" in load(programs, tmp_path, damaged_header(special, interface, **values))


@pytest.mark.parametrize("field", ["optional Value", "repeated Value", "map<int32, Value>"])
def test_refuses_a_table_that_denies_the_required_fields_below_it(programs, tmp_path, interface, field):
    (tmp_path / "t.proto").write_text(
        f'syntax = "proto2"; package t; message Outer {{ {field} v = 1; }} message Value {{ required int32 x = 1; }}'
    )
    outer = compile_schema(compile_proto(tmp_path / "t.proto").descriptor("t.Outer"), interface)
    assert load(programs, tmp_path, outer.blob) == ""
    data = bytearray(outer.blob)
    interface.header["has_required"].put(data, outer.types[outer.index("t.Outer")].table_offset, 0)
    assert "table" in load(programs, tmp_path, sealed(data))


def test_refuses_a_map_entry_outside_a_map(programs, tmp_path, compiled, interface):
    """Software would take its `child` for the list of a map when it rejects an entry."""
    assert "table" in load(programs, tmp_path, damaged_header(compiled, interface, map_entry=1))


def test_refuses_ordered_entries_that_are_not_those_of_the_hash(programs, tmp_path, special, interface):
    for number in (1, 3, 10, 20):
        for at in entries_of(special, interface, number):
            for word_at in range(0, 16, 4):
                blob = changed(special.blob, at + word_at, word(special.blob, at + word_at) ^ 8)
                assert "table" in load(programs, tmp_path, blob), (number, at, word_at)
    first, second = (entries_of(special, interface, number)[1] for number in (20, 15))
    data = bytearray(special.blob)
    data[first : first + 16], data[second : second + 16] = data[second : second + 16], data[first : first + 16]
    assert "table" in load(programs, tmp_path, sealed(data))


def test_refuses_enum_lists_that_are_cut_or_out_of_order(programs, tmp_path, special):
    record = special.types[0]
    at = record.table_offset + record.table.enum_lists
    assert [word(special.blob, at + 4 * i) for i in range(3)] == [3, 6, 0xFFFFFFFD]
    for offset, value in ((0, 4), (4, 5), (4, 7), (4, 0xFFFFFFFF), (8, 0), (12, 2), (16, 5), (32, 3)):
        assert "table" in load(programs, tmp_path, changed(special.blob, at + offset, value)), offset


@pytest.mark.parametrize("word_at", range(8))
@pytest.mark.parametrize("schema", ["everything", "special"])
def test_refuses_another_klass_than_the_format_says(programs, tmp_path, everything, interface, schema, word_at):
    """A collector follows the references that the klass names. Names, superclass and long bitmap of the blob are not
    patched yet."""
    compiled = compile_schema(everything.descriptor(f"test.{schema.capitalize()}"), interface)
    at = compiled.types[0].klass_offset + 4 * word_at
    for value in (word(compiled.blob, at) ^ 1 << bit for bit in (0, 4, 16, 31)):
        assert "record" in load(programs, tmp_path, changed(compiled.blob, at, value)), value


def test_refuses_a_bitmap_that_is_not_the_tables(programs, tmp_path, compiled, special):
    """The collector would follow numbers of the input as references."""
    record = special.types[0]
    at = record.klass_offset + 20
    for slot in range(31):
        assert "record" in load(programs, tmp_path, changed(special.blob, at, word(special.blob, at) ^ 1 << slot)), slot
    bitmap = word(compiled.blob, section(compiled.blob, "types") + 24)
    assert bitmap
    for index in range(word(compiled.blob, bitmap)):
        for bit in (0, 7, 20, 31):
            at = bitmap + 4 * (1 + index)
            assert "record" in load(
                programs, tmp_path, changed(compiled.blob, at, word(compiled.blob, at) ^ 1 << bit)
            ), (index, bit)


@pytest.mark.parametrize("offset", [16, 20])
def test_refuses_a_record_that_contradicts_its_type(programs, tmp_path, special, offset):
    at = section(special.blob, "types") + offset
    assert "record" in load(programs, tmp_path, changed(special.blob, at, word(special.blob, at) ^ 1))


def test_refuses_fields_over_each_other(programs, tmp_path, compiled, interface):
    """The collector would follow a number in a list's slot as a reference."""
    fields = compiled.types[0].layout.fields
    assert "table" in load(programs, tmp_path, damaged_entry(compiled, interface, 5, offset=fields[31]))
    assert "table" in load(programs, tmp_path, damaged_entry(compiled, interface, 8, offset=fields[1] + 3))


def test_looks_at_all_of_a_large_object(programs, tmp_path, interface):
    """An object of 16 KB is looked at in several passes. Its oneofs have members by turns."""
    scalars = " ".join(f"fixed64 f{i} = {i};" for i in range(100, 2100))
    oneofs = "oneof a { int32 x = 1; string y = 3; } oneof b { int64 z = 2; string w = 4; bool v = 6; }"
    (tmp_path / "wide.proto").write_text(f'syntax = "proto3"; package test; message Wide {{ {oneofs} {scalars} }}')
    wide = compile_schema(compile_proto(tmp_path / "wide.proto").descriptor("test.Wide"), interface)
    fields = wide.types[0].layout.fields
    assert load(programs, tmp_path, wide.blob) == ""
    for number, other in ((150, 151), (1000, 1001), (2099, 2098), (100, 2099), (3, 4), (2, 1)):
        assert "table" in load(programs, tmp_path, damaged_entry(wide, interface, number, offset=fields[other])), number
    hasbit = interface.entry["hasbit"].get(wide.blob, entries_of(wide, interface, 2000)[0])
    assert "table" in load(programs, tmp_path, damaged_entry(wide, interface, 1999, hasbit=hasbit))


def test_refuses_an_empty_slot_that_is_not_empty(programs, tmp_path, special, interface):
    """A key with the number 0 would find this entry, a field that nothing has checked."""
    record = special.types[0]
    empty = record.table.hash.slots.index(0)
    at = record.table_offset + interface.descriptor["header_size"] + interface.descriptor["entry_size"] * empty
    assert [word(special.blob, at + 4 * i) for i in range(4)] == [0, 0, 0, 0]
    for word_at, value in ((0, 1 << 31), (4, 0xFFF8 | 11 << 16 | 1 << 23), (8, 1), (12, 0xFFF0)):
        assert "table" in load(programs, tmp_path, changed(special.blob, at + word_at, value)), word_at


MAPS = """syntax = "proto2"; package test;
message Maps { map<string, Value> m = 1; map<int32, bytes> n = 2; repeated Other o = 3; }
message Value { required int32 x = 1; }
message Other { %s }"""


@pytest.mark.parametrize(
    "fields",
    [
        "oneof key { string k = 1; Value other = 3; } optional Value v = 2;",
        "oneof key { string k = 1; bytes v = 2; }",
        "optional string k = 1; optional int32 v = 2;",
        "optional string k = 1; optional int32 v = 2; optional int32 more = 3;",
        "optional string k = 1; optional int32 v = 3;",
        "repeated string k = 1; optional int32 v = 2;",
        "optional string k = 1; repeated int32 v = 2;",
        "optional string k = 1;",
        "optional float k = 1; optional int32 v = 2;",
    ],
)
def test_refuses_another_message_as_the_entry_of_a_map(programs, tmp_path, interface, fields):
    """Software compares the keys of entries without checking their types."""
    (tmp_path / "maps.proto").write_text(MAPS % fields)
    maps = compile_schema(compile_proto(tmp_path / "maps.proto").descriptor("test.Maps"), interface)
    assert load(programs, tmp_path, maps.blob) == ""
    data = bytearray(maps.blob)
    interface.header["map_entry"].put(data, maps.types[maps.index("test.Other")].table_offset, 1)
    assert "table" in load(programs, tmp_path, sealed(data))


@pytest.mark.parametrize("key", ["float", "bytes"])
def test_refuses_a_key_that_no_map_has(programs, tmp_path, interface, key):
    (tmp_path / "maps.proto").write_text(MAPS % "optional int32 x = 1;")
    maps = compile_schema(compile_proto(tmp_path / "maps.proto").descriptor("test.Maps"), interface)
    record = maps.types[maps.index(f"test.Maps.{'MEntry' if key == 'bytes' else 'NEntry'}")]
    number, wire = {"float": (2, 5), "bytes": (12, 2)}[key]
    data = bytearray(maps.blob)
    entry, header = interface.descriptor["entry_size"], interface.descriptor["header_size"]
    hashed = record.table_offset + header + entry * record.table.hash.slots.index(1)
    for at in (hashed, record.table_offset + record.table.ordered + entry):
        interface.entry["type"].put(data, at, number)
        if key == "bytes":
            interface.entry["check_utf8"].put(data, at, 0)
    interface.entry["key"].put(data, record.table_offset + record.table.ordered + entry, 1 << 3 | wire)
    assert "table" in load(programs, tmp_path, sealed(data))


def test_checks_a_large_oneof_in_linear_time(programs, tmp_path, interface):
    members = " ".join(f"bool f{i} = {i};" for i in range(20_000, 50_000))
    (tmp_path / "large.proto").write_text(
        f'syntax = "proto3"; package test; message Large {{ oneof o {{ {members} }} }}'
    )
    large = compile_schema(compile_proto(tmp_path / "large.proto").descriptor("test.Large"), interface)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert load(programs, tmp_path, large.blob) == ""
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 2


def test_what_is_not_refused_does_no_harm(programs, tmp_path, everything, compiled):
    """Random words of records and tables change. Either the blob is refused, or messages end within their arenas (guard
    words, ASan)."""
    dice = random.Random(11)
    requests = b""
    for _ in range(30):
        message = everything.message_class("test.Everything")()
        fill(message, dice)
        data = message.SerializeToString()
        requests += struct.pack("<5I", 0, 20, 1 << 14, 1 << 14, len(data)) + data
    places = [
        *range(section(compiled.blob, "types"), section(compiled.blob, "types") + 64, 4),
        *range(section(compiled.blob, "tables"), section(compiled.blob, "strings"), 4),
    ]
    loaded = 0
    for _ in range(60):
        at = dice.choice([at for at in places if word(compiled.blob, at)])
        value = word(compiled.blob, at) ^ 1 << dice.randrange(32)
        (tmp_path / "blob").write_bytes(changed(compiled.blob, at, value))
        result = subprocess.run([programs / "batch", tmp_path / "blob"], input=requests, capture_output=True)
        assert result.returncode in (0, 4), (at, value, result.stderr[-2000:])
        loaded += result.returncode == 0
    assert 0 < loaded < 60


def test_refuses_every_damaged_or_cut_blob(programs, tmp_path, compiled):
    for at in range(0, len(compiled.blob), len(compiled.blob) // 40):
        data = bytearray(compiled.blob)
        data[at] ^= 4
        assert load(programs, tmp_path, bytes(data)) != ""
    for size in (0, 63, 64, len(compiled.blob) - 64, len(compiled.blob) - 1):
        assert load(programs, tmp_path, compiled.blob[:size]) != ""

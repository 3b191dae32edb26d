"""Reading schemas, object layouts, and the blob as a whole."""

import struct
import zlib
from dataclasses import replace

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from heapwire import interface as interface_module
from heapwire.records.schema import Header, TypeFlags, TypeRecord
from heapwire.schema import Schema, SchemaError, check_blob, compile_proto, compile_schema, load, load_descriptor_set
from heapwire.schema.blob import type_records
from heapwire.schema.layout import lay_out
from heapwire.schema.types import message_types

FIELD_TYPES = [t for t in range(1, 19) if t not in (10, 11, 14)]


def synthetic(fields, name="Root"):
    """Returns a schema of one message from (number, type, repeated) triples."""
    file = descriptor_pb2.FileDescriptorProto(name="synthetic.proto", package="s", syntax="proto2")
    message = file.message_type.add(name=name)
    for number, kind, repeated in fields:
        message.field.add(name=f"f{number}", number=number, type=kind, label=3 if repeated else 1)
    return Schema(descriptor_pb2.FileDescriptorSet(file=[file]), "synthetic")


UTF8 = """edition = "2023"; package u; %s
message M {
  string a = 1; string b = 2 [features.utf8_validation = NONE]; string c = 3 [features.utf8_validation = VERIFY];
  repeated string d = 4 [features.utf8_validation = NONE]; map<string, string> e = 5;
  map<string, string> f = 6 [features.utf8_validation = NONE]; map<string, string>
  g = 7 [features.utf8_validation = VERIFY];
}
"""


@pytest.mark.parametrize("option", ["", "option features.utf8_validation = NONE;"])
def test_strings_are_checked_where_the_library_checks_them(tmp_path, option):
    (tmp_path / "u.proto").write_text(UTF8 % option)
    schema = compile_proto(tmp_path / "u.proto")
    message = compile_schema(schema.descriptor("u.M"), interface_module.load()).types[0].message
    entries = {kind.name: kind for kind in message_types([schema.descriptor("u.M")], interface_module.load())}
    refused = set()
    for field in message.fields:
        entry = field.sub_type is not None
        try:
            schema.message_class("u.M").FromString(
                bytes([field.number << 3 | 2, 6, 10, 1, 255, 18, 1, 97] if entry else [field.number << 3 | 2, 1, 255])
            )
        except DecodeError:
            refused.add(field.name)
        checked = entries[f"u.M.{field.name.upper()}Entry"].fields[0] if entry else field
        assert checked.check_utf8 == (field.name in refused), field.name
    assert refused == ({"c", "g"} if option else {"a", "c", "e", "g"})


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.integers(1, 5000), st.tuples(st.sampled_from(FIELD_TYPES), st.booleans()), max_size=90))
def test_layout_properties(fields):
    interface = interface_module.load()
    schema = synthetic([(n, *rest) for n, rest in fields.items()])
    record = compile_schema(schema.descriptor("s.Root"), interface).types[0]
    layout, taken = record.layout, {}

    def take(offset, size):
        assert offset % size == 0 and offset + size <= layout.size
        for byte in range(offset, offset + size):
            assert byte not in taken, "overlap"
            taken[byte] = True

    take(interface.object["mark"], 4)
    take(interface.object["klass"], 4)
    for word in range(layout.hasbits_words):
        take(layout.hasbits + 4 * word, 4)
    for offset in (layout.memoized_size, layout.memoized_is_initialized, layout.unknown_fields):
        take(offset, 4)
    for field in record.message.fields:
        take(layout.fields[field.number], 4 if field.repeated else field.type.size)
    assert layout.size % interface.object["alignment"] == 0
    assert layout.size - len(taken) < 12, "more than the unavoidable padding"
    assert 32 * layout.hasbits_words >= record.message.hasbit_count == len(record.message.fields) + 1


def test_blob_header_and_records(interface, everything):
    compiled = compile_schema(everything.descriptor("test.Everything"), interface)
    blob = compiled.blob
    head = Header.unpack(blob)
    assert blob[:4] == b"HWSB" and head.size == len(blob) and len(blob) % 64 == 0
    assert zlib.crc32(blob[:12] + bytes(4) + blob[16:]) == head.crc
    assert head.schema_id == compiled.schema_id
    assert check_blob(blob)[0] == "test.Everything"
    for i, (record, packed) in enumerate(zip(compiled.types, type_records(blob), strict=True)):
        klass, bitmap = packed.klass, packed.bitmap
        assert (klass, packed.table) == (record.klass_offset, record.table_offset)
        assert (packed.object_size, packed.flags) == (record.layout.size, 0)
        assert packed.id == 64 + i and packed.field_count == len(record.message.fields)
        word = struct.unpack_from("<I", blob, klass + interface.klass["reference_bitmap"])[0]
        if bitmap:
            words = struct.unpack_from("<I", blob, bitmap)[0]
            bits = int.from_bytes(blob[bitmap + 4 : bitmap + 4 + 4 * words], "little")
            assert word == 0 and (record.layout.size - 8) // 4 > 30
        else:
            bits = word
            assert bits >> 30 == 0
        assert [8 + 4 * b for b in range(bits.bit_length()) if bits >> b & 1] == list(record.layout.references)


def test_loaded_blob_is_patched(interface, everything):
    compiled = compile_schema(everything.descriptor("test.Everything"), interface)
    base = 0x4200_0000
    memory = compiled.loaded(base, interface)
    for record in compiled.types:
        assert interface.header["klass"].get(memory, record.table_offset) == base + record.klass_offset
        name = struct.unpack_from("<I", memory, record.klass_offset + interface.klass["name"])[0] - base
        assert memory[name : memory.index(b"\0", name)].decode() == record.message.name
    long = struct.unpack_from("<I", memory, compiled.types[0].klass_offset + interface.klass["reference_bitmap"])[0]
    assert long >> 31 and base < (long << 1 & 0xFFFFFFFF) < base + len(memory)


@pytest.mark.parametrize("damage", [0, 4, 8, 12, 70, -1])
def test_damaged_blob_is_refused(interface, everything, damage):
    blob = bytearray(compile_schema(everything.descriptor("test.Everything"), interface).blob)
    blob[damage] ^= 0x10
    with pytest.raises(SchemaError):
        check_blob(bytes(blob))


def test_schema_id_follows_what_matters(interface):
    one = compile_schema(synthetic([(1, 5, False)]).descriptor("s.Root"), interface)
    same = compile_schema(synthetic([(1, 5, False)]).descriptor("s.Root"), interface)
    other = compile_schema(synthetic([(1, 17, False)]).descriptor("s.Root"), interface)
    assert one.schema_id == same.schema_id != other.schema_id


def test_several_roots(interface, everything):
    compiled = compile_schema([everything.descriptor(n) for n in ("test.Nothing", "test.Everything")], interface)
    assert compiled.index("test.Nothing") == 0 and compiled.index("test.Everything") == 1
    with pytest.raises(SchemaError, match="no type"):
        compiled.index("test.WithGroup")


def test_groups_are_supported(interface, everything):
    record = compile_schema(everything.descriptor("test.WithGroup"), interface).types[0]
    assert [f.unsupported for f in record.message.fields] == [False, False]


def test_members_of_a_oneof_share_two_slots(interface, everything):
    """References and scalars have separate slots, so that the collector sees only references."""
    record = compile_schema(everything.descriptor("test.Everything"), interface).types[0]
    number, text, child = (record.message.field(n) for n in (200, 201, 202))
    at = record.layout.fields
    assert at[201] == at[202] in record.layout.references and at[200] not in record.layout.references
    assert number.hasbit == text.hasbit == child.hasbit and number.oneof == child.oneof == 0
    assert len(record.layout.cases) == 1 and record.layout.cases[0] not in at.values()


def test_more_hasbits_than_a_unit_holds(interface):
    held = 32 * interface.descriptor["max_hasbits_words"]
    schema = synthetic([(n, 5, False) for n in range(1, held + 2)] + [(2000, 5, True)])
    compiled = compile_schema(schema.descriptor("s.Root"), interface)
    fields = compiled.types[0].message.fields
    assert [f.number for f in fields if f.unsupported] == [held + 1, 2000]
    assert compiled.types[0].software_only
    assert TypeRecord.unpack(compiled.blob, Header.SIZE).flags == TypeFlags.SOFTWARE_ONLY


def test_object_too_large(interface):
    """The type is made from a smaller one, because the official library has no message of more than 64 KB either."""
    message = message_types(
        [synthetic([(n, interface.type_named["DOUBLE"].code, False) for n in range(1, 1000)]).descriptor("s.Root")],
        interface,
    )[0]
    large = replace(
        message,
        name="Large",
        fields=tuple(replace(f, number=f.number + 1000 * i) for i in range(9) for f in message.fields),
    )
    with pytest.raises(SchemaError, match="Large: .*must be smaller than 65536"):
        lay_out(large, interface)


def test_type_not_found_lists_types(everything):
    with pytest.raises(SchemaError, match="no message type 'Missing'.*test.Everything"):
        everything.descriptor("Missing")
    assert everything.descriptor("Nothing").full_name == "test.Nothing"


def test_the_entry_of_a_map_is_no_type(tmp_path):
    (tmp_path / "t.proto").write_text('syntax = "proto3"; package t; message M { map<int32, int32> m = 1; }')
    with pytest.raises(SchemaError, match="t.M.MEntry is the entry of a map, .* t.M$"):
        compile_proto(tmp_path / "t.proto").root("t.M.MEntry")


def test_a_schema_without_messages(tmp_path):
    (tmp_path / "t.proto").write_text('syntax = "proto3"; package t; enum E { A = 0; }')
    with pytest.raises(SchemaError, match="no message type 't.M'; it has: none"):
        compile_proto(tmp_path / "t.proto").descriptor("t.M")


def test_proto_errors_carry_protocs_text(tmp_path):
    (tmp_path / "bad.proto").write_text('syntax = "proto3"; message M { int32 a = 1; int32 b = 1; }')
    with pytest.raises(SchemaError, match="bad.proto.*already"):
        compile_proto(tmp_path / "bad.proto")
    with pytest.raises(SchemaError, match="no such file"):
        load(tmp_path / "absent.proto")


def test_imports_and_well_known_types(tmp_path, interface):
    (tmp_path / "other.proto").write_text('syntax = "proto3"; package o; message O { O o = 1; }')
    (tmp_path / "main.proto").write_text(
        'syntax = "proto3"; import "other.proto"; import "google/protobuf/timestamp.proto";'
        "message M { o.O o = 1; google.protobuf.Timestamp at = 2; }"
    )
    schema = compile_proto(tmp_path / "main.proto")
    assert [r.message.name for r in compile_schema(schema.descriptor("M"), interface).types] == [
        "M",
        "o.O",
        "google.protobuf.Timestamp",
    ]
    (tmp_path / "set.binpb").write_bytes(schema.files.SerializeToString())
    assert load(tmp_path / "set.binpb").descriptor("M").full_name == "M"


def test_imports_named_from_a_folder_above(tmp_path):
    folder = tmp_path / "company" / "product"
    folder.mkdir(parents=True)
    (folder / "base.proto").write_text('syntax = "proto3"; package p; message Base { int32 a = 1; }')
    (folder / "main.proto").write_text(
        'syntax = "proto3"; import "company/product/base.proto"; message M { p.Base b = 1; }'
    )
    assert compile_proto(folder / "main.proto").type_names() == ["p.Base", "M"]
    (folder / "lost.proto").write_text('syntax = "proto3"; import "nowhere.proto";')
    with pytest.raises(SchemaError, match="lost.proto does not compile:\nnowhere.proto"):
        compile_proto(folder / "lost.proto")


def test_not_a_descriptor_set(tmp_path):
    (tmp_path / "x.binpb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(SchemaError, match="FileDescriptorSet"):
        load_descriptor_set(tmp_path / "x.binpb")

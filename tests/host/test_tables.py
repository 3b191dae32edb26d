"""The hash tables over field numbers, and the tables as bytes."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapwire import interface as interface_module
from heapwire.schema import SchemaError, compile_proto, compile_schema
from heapwire.schema.tables import build_hash

MAX_NUMBER = (1 << 29) - 1
PROBES = [1, 2, 15, 16, 127, 128, 2047, 2048, 1 << 20, MAX_NUMBER - 1, MAX_NUMBER]


def check(numbers, interface):
    table = build_hash(numbers, interface)
    assert sorted(n for n in table.slots if n) == sorted(numbers)
    assert len({table.find(n) for n in numbers}) == len(numbers)
    for number in numbers:
        assert table.slots[table.find(number)] == number
    known = set(numbers)
    for stranger in PROBES + [n + d for n in numbers for d in (-1, 1, len(table.slots)) if 0 < n + d <= MAX_NUMBER]:
        if stranger not in known:
            assert table.find(stranger) is None
    return table


@settings(max_examples=150, deadline=None)
@given(st.sets(st.one_of(st.integers(1, 64), st.integers(1, MAX_NUMBER)), max_size=60))
def test_finds_every_field_and_no_other(numbers):
    check(sorted(numbers), interface_module.load())


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [1],
        [MAX_NUMBER],
        list(range(1, 17)),
        list(range(1, 501)),
        [1 << i for i in range(29)],
        [i << 20 for i in range(1, 100)],
        [1 + (i << 9) for i in range(200)],
        [MAX_NUMBER - i for i in range(64)],
        [0x155555 * i for i in range(1, 90)],
    ],
    ids=lambda numbers: f"{len(numbers)} from {numbers[0] if numbers else 0}",
)
def test_adversarial_numbers(numbers, interface):
    table = check(numbers, interface)
    assert len(table.slots) <= 4 * max(1, 1 << max(len(numbers) - 1, 0).bit_length())
    # Numbers that lie in one row, because only their upper bits differ.
    worst = {29: 12, 99: 98}
    assert table.max_probe <= worst.get(len(numbers), 8)


def test_numbers_that_would_take_too_many_probes_have_a_larger_table(interface):
    folds, numbers = [interface.descriptor[name] for name in ("fold0", "fold1")], []
    for high in range(1, 400):
        number = high << 11
        for bit in reversed(range(11)):
            number ^= (number ^ number >> folds[0] ^ number >> folds[1]) & 1 << bit
        numbers.append(number)
    table = check(numbers, interface)
    assert len(table.slots) > 4 * 512 and table.max_probe < interface.header["max_probe"].limit


def test_more_presence_bits_than_a_table_can_say(interface, tmp_path):
    fields = "\n".join(f"optional bool f{i} = {i};" for i in range(1, 33770) if not 19000 <= i < 20000)
    (tmp_path / "many.proto").write_text(f'syntax = "proto2"; package many; message Many {{ {fields} }}')
    schema = compile_proto(tmp_path / "many.proto")
    with pytest.raises(SchemaError, match="many.Many has 32769"):
        compile_schema(schema.descriptor("many.Many"), interface)


def test_dense_numbers_cost_one_probe(interface):
    for count in (1, 7, 30, 100, 250):
        assert check(list(range(1, count + 1)), interface).max_probe == 0


def test_many_random_numbers(interface):
    dice = random.Random(7)
    assert check(sorted(dice.sample(range(1, MAX_NUMBER), 300)), interface).max_probe <= 6


def test_number_outside_the_range_is_refused(interface):
    with pytest.raises(SchemaError, match="field number"):
        build_hash([1 << 29], interface)


def read_entry(interface, blob, table, number):
    """Looks a field up in the bytes of a table as a unit does. Returns None if it is unknown."""
    header, entry = interface.header, interface.entry
    slots = header["last_slot"].get(blob, table) + 1
    first = number ^ number >> interface.descriptor["fold0"] ^ number >> interface.descriptor["fold1"]
    for probe in range(header["max_probe"].get(blob, table) + 1):
        at = (
            table + interface.descriptor["header_size"] + interface.descriptor["entry_size"] * ((first + probe) % slots)
        )
        found = entry["number"].get(blob, at)
        if found == number:
            return {name: field.get(blob, at) for name, field in entry.items()}
        if found == 0:
            return None
    return None


def test_tables_as_bytes(interface, everything):
    compiled = compile_schema(everything.descriptor("test.Everything"), interface)
    for record in compiled.types:
        layout, base = record.layout, record.table_offset
        assert base % 64 == 0
        header = {name: field.get(compiled.blob, base) for name, field in interface.header.items()}
        assert header["magic"] == interface.descriptor["magic"] and header["klass"] == 0
        assert header["object_size"] == layout.size and header["field_count"] == len(record.message.fields)
        assert header["hasbits_words"] == layout.hasbits_words
        for field in record.message.fields:
            entry = read_entry(interface, compiled.blob, base, field.number)
            assert entry["offset"] == layout.fields[field.number]
            assert (entry["type"], entry["repeated"]) == (field.type.code, field.repeated)
            assert entry["has_hasbit"] == 1 and entry["hasbit"] == field.hasbit
            assert entry["in_oneof"] == (field.oneof is not None) and entry["packed"] == field.packed
            if field.oneof is not None:
                assert entry["case_offset"] == layout.cases[field.oneof]
            if field.sub_type is not None:
                distance = (entry["sub_table"] ^ 1 << 31) - (1 << 31)
                assert base + distance == compiled.types[field.sub_type].table_offset
        assert read_entry(interface, compiled.blob, base, 12345) is None


def test_ordered_entries_are_those_of_the_hash_by_descending_number(interface, everything):
    for name in ("test.Everything", "test.WithGroup"):
        for record in compile_schema(everything.descriptor(name), interface).types:
            blob = compile_schema(everything.descriptor(name), interface).blob
            size, at, numbers = interface.descriptor["entry_size"], record.table_offset + record.table.ordered, []
            for field in reversed(record.message.fields):
                entry = {name: value.get(blob, at) for name, value in interface.entry.items()}
                hashed = read_entry(interface, blob, record.table_offset, entry["key"] >> 3)
                numbers.append(entry["key"] >> 3)
                assert entry["key"] & 7 == (2 if field.packed else field.type.wire_type)
                assert all(entry[name] == value for name, value in hashed.items() if name not in ("key", "number"))
                at += size
            assert numbers == sorted((field.number for field in record.message.fields), reverse=True)


def test_enum_lists(interface, everything):
    """The closed enum of test.Everything has the values -5, 0, 1, whose longest range is 0 .. 1."""
    compiled = compile_schema(everything.descriptor("test.Everything"), interface)
    record = compiled.types[0]
    at = record.table_offset + record.table.enum_lists
    assert record.table.enum_lists == 16 * interface.header["enum_lists"].get(compiled.blob, record.table_offset)
    words = [int.from_bytes(compiled.blob[at + 4 * i : at + 4 * i + 4], "little", signed=True) for i in range(11)]
    assert words == [14, 3, -5, 0, 1, 44, 3, -5, 0, 1, 0]
    for number, values in ((14, 4), (44, 24)):
        entry = read_entry(interface, compiled.blob, record.table_offset, number)
        assert (entry["closed_enum"], entry["enum_low"], entry["enum_high"]) == (1, 0, 1)
        assert entry["enum_values"] == record.table.enum_lists + values


def test_hasbits_number_required_fields_singular_ones_oneofs_lists(interface, everything):
    for record in compile_schema(everything.descriptor("test.Everything"), interface).types:
        fields = record.message.fields
        assert sorted({f.hasbit for f in fields}) == list(range(record.message.hasbit_count - 1))
        order = sorted(fields, key=lambda f: f.hasbit)
        kinds = [3 if f.repeated else 2 if f.oneof is not None else 1 for f in order]
        assert kinds == sorted(kinds)
        shared = [f.hasbit for f in fields if f.oneof is not None]
        assert len(set(shared)) == len(record.message.oneofs)

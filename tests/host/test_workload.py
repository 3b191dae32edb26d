"""Digests of messages, and the workloads that carry messages to the machine."""

import struct
import zlib

import pytest

from base.errors import HeapwireError
from heapwire.records import workload as record
from heapwire.schema import check_blob, compile_proto
from heapwire.workload import group as workload
from heapwire.workload.case import Case
from heapwire.workload.digest import as_on_the_wire, digest, mix


def test_digest_by_hand(everything):
    cls = as_on_the_wire(everything).message_class("test.Everything")
    assert digest(cls()) == 4
    negative = mix(mix(1, 0xFFFFFFFF), 0)
    assert digest(cls(an_int32=-1)) == (4 + mix(mix(3, 5), negative)) & 0xFFFFFFFF
    text = mix(mix(mix(2, int.from_bytes(b"abcd", "little")), int.from_bytes(b"e", "little")), 5)
    assert digest(cls(a_string="abcde")) == (4 + mix(mix(3, 9), text)) & 0xFFFFFFFF
    double = int.from_bytes(struct.pack("<d", 2.5), "little")
    one = mix(5, mix(mix(1, double & 0xFFFFFFFF), double >> 32))
    assert digest(cls(doubles=[2.5])) == (4 + mix(mix(3, 31), mix(one, 1))) & 0xFFFFFFFF


def test_digest_tells_values_apart(everything):
    cls = as_on_the_wire(everything).message_class("test.Everything")
    scalars = [cls(an_int32=1), cls(a_sint32=1), cls(an_int32=2), cls(a_double=0.0), cls(a_double=-0.0)]
    lists = [cls(int32s=[1]), cls(int32s=[1, 0]), cls(strings=["", "a"]), cls(strings=["a", ""])]
    variants = [*scalars, *lists, cls(child=cls()), cls(child=cls(an_int32=1))]
    assert len({digest(message) for message in variants}) == len(variants)


def test_digest_keeps_map_entries_as_they_were_sent(everything):
    cls = as_on_the_wire(everything).message_class("test.Everything")
    entry = bytes([0xA2, 0x06, 5, 10, 1, ord("k"), 16, 1])
    assert digest(cls.FromString(entry)) != digest(cls.FromString(entry + entry))


@pytest.mark.parametrize(
    "head, option",
    [
        ('syntax = "proto3"', ""),
        ('edition = "2023"; option features.field_presence = IMPLICIT', ""),
        ('edition = "2023"', "[features.field_presence = IMPLICIT]"),
    ],
)
def test_digest_keeps_zeros_that_were_sent(tmp_path, head, option):
    (tmp_path / "zero.proto").write_text(f"{head}; message Zero {{ int32 number = 1 {option}; }}")
    cls = as_on_the_wire(compile_proto(tmp_path / "zero.proto")).message_class("Zero")
    assert digest(cls.FromString(b"\x08\0")) != digest(cls())


def test_workload(interface, everything):
    cls = everything.message_class("test.Everything")
    group = workload.Group(
        "g",
        everything,
        [Case("one", "Everything", cls(an_int32=5).SerializeToString()), Case("two", "test.Nothing", b"")],
    )
    data = workload.pack(group, interface)
    head = record.Header.unpack(data)
    assert (data[:4], head.version, head.bytes, head.count) == (b"HWLD", 1, len(data), 2)
    assert zlib.crc32(data[32:]) == head.crc and head.schema % 64 == 0
    assert check_blob(data[head.schema : head.schema + head.schema_bytes])[:2] == ["test.Everything", "test.Nothing"]
    case = record.Case.unpack(data, 32)
    assert data[case.name : data.index(b"\0", case.name)] == b"one"
    assert data[case.type : data.index(b"\0", case.type)] == b"test.Everything"
    assert data[case.message : case.message + case.length] == group.cases[0].data
    assert (case.engines, case.warm) == (7, 2) and case.digest == digest(cls(an_int32=5))
    assert record.Case.unpack(data, 64).digest == 4


def test_workload_without_nanopb_where_it_cannot(interface, everything):
    group = workload.Group("g", everything, [Case("one", "test.WithGroup", b"")])
    assert record.Case.unpack(workload.pack(group, interface), 32).engines == 3
    with pytest.raises(HeapwireError, match="bad: the official library refuses"):
        workload.pack(workload.Group("g", everything, [Case("bad", "test.Nothing", b"\x0f")]), interface)


def test_a_group_by_units_has_neither_software_nor_structs(everything):
    cases = [
        Case("both", "everything.Everything", b"", workload.ALL_AND_FLIGHT),
        Case("software", "everything.Everything", b"", ("table", "nanopb")),
    ]
    (case,) = workload.by_units(workload.Group("g", everything, cases, layouts=2)).cases
    assert case.name == "both" and case.engines == ("hw", workload.FLIGHT)

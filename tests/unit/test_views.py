"""Strings that stay in the input: what is read of them, and views that lead anywhere. That views are right is shown by
test_fuzz.py, whose cases have them."""

import struct

import pytest
from harness import status_of

from heapwire.graph import GraphReader
from tests.unit.engine import EngineReader, EngineWriter

PROTO = """syntax = "proto3"; package t;
message M { int32 number = 1; bytes raw = 2; repeated bytes several = 3; string text = 4; M inner = 5; }"""
LONG = bytes(range(256)) * 20


@pytest.fixture
def reader(unit, interface, tmp_path):
    return EngineReader.of_text(unit, interface, tmp_path, PROTO)


@pytest.fixture
def writer(serializer, interface, tmp_path):
    return EngineWriter.of_text(serializer, interface, tmp_path, PROTO)


@pytest.mark.parametrize("behind", [{}, {"text": "behind"}, {"inner": {"number": 3}}])
def test_long_bytes_are_not_read(reader, behind):
    """The stream begins again behind long bytes; a text is read to its end, since it is checked."""
    schema, bench = reader
    message = schema.message_class("t.M")(number=1, raw=LONG, several=[LONG, b"", LONG], **behind)
    data = message.SerializeToString()
    outcome = bench.run(data, 0, views=100, owned=True)
    assert status_of(bench, outcome) == "OK"
    node = GraphReader(bench.runtime, *bench.regions(), bench.source).read(outcome.root)
    assert (node.fields[2], node.fields[3]) == (LONG, [LONG, b"", LONG])
    assert outcome.fixed_top - bench.fixed_region[0] < 300
    assert sum(outcome.gets["input"]) < len(data) // 64 // 4
    text = schema.message_class("t.M")(text="a" * len(LONG)).SerializeToString()
    outcome = bench.run(text, 0, views=100)
    assert status_of(bench, outcome) == "OK"
    assert sum(outcome.gets["input"]) >= len(text) // 64


@pytest.mark.parametrize("length, stays", [(99, False), (100, True), (70_000, True)])
@pytest.mark.parametrize("views", [100, 0])
def test_from_which_length_on(reader, length, stays, views):
    schema, bench = reader
    data = schema.message_class("t.M")(raw=bytes(length)).SerializeToString()
    outcome = bench.run(data, 0, views=views, arena=1 << 18)
    used = outcome.fixed_top - bench.fixed_region[0]
    assert (used < 100) == (stays and views != 0)


def test_arena_full(reader):
    schema, bench = reader
    data = schema.message_class("t.M")(raw=LONG).SerializeToString()
    room = bench.run(data, 0, views=100).fixed_top - bench.fixed_region[0]
    assert status_of(bench, bench.run(data, 0, views=100, arena=room)) == "OK"
    outcome = bench.run(data, 0, views=100, arena=room - 8)
    assert (status_of(bench, outcome), outcome.offset) == ("FIXED_ARENA_FULL", 0)


WITHIN = 1000
"""Bytes of the array that the views below may be of."""


@pytest.mark.parametrize("field", ["raw", "several"])
@pytest.mark.parametrize(
    "owner, offset, length, status",
    [
        ("array", 0, WITHIN, "OK"),
        ("array", WITHIN, 0, "OK"),
        ("array", 1, WITHIN, "BAD_OBJECT"),
        ("array", WITHIN + 1, 0, "BAD_OBJECT"),
        ("array", 0xFFFF_FFFF, 2, "BAD_OBJECT"),
        ("array", 2, 0xFFFF_FFFF, "BAD_OBJECT"),
        ("odd array", 0, 1, "BAD_OBJECT"),
        ("array elsewhere", 0, 1, "BAD_OBJECT"),
        ("array that ends elsewhere", 0, 1 << 20, "BAD_OBJECT"),
        ("memory", 0, WITHIN, "OK"),
        ("memory", -0x0800_0000, 16, "BAD_OBJECT"),
        ("memory", 0, 1 << 20, "BAD_OBJECT"),
        ("memory", 0, 0xFFFF_FFFF, "BAD_OBJECT"),
        ("view ends elsewhere", 0, 1, "BAD_OBJECT"),
    ],
)
def test_views_that_lead_anywhere(writer, interface, field, owner, offset, length, status):
    schema, bench = writer
    given = {"raw": b"?"} if field == "raw" else {"several": [b"?"]}
    root = bench.build(schema.message_class("t.M")(number=5, **given).SerializeToString(), 0, swap=True)
    constants, elements = interface.object, bytes(i % 251 for i in range(WITHIN))
    base, content = bench.fixed.base, bench.fixed.data
    array, start = bench.fixed.limit, bench.fixed.limit + constants["array_elements"]
    klass = bench.runtime.register("KLASS_BYTE_ARRAY")
    size = (1 << 20) + 1 if owner == "array that ends elsewhere" else WITHIN
    content += struct.pack("<4I", bench.runtime.register("MARK_PROTOTYPE"), klass, size, 0) + elements
    view = bench.fixed.limit
    reference = {"odd array": array + 4, "array elsewhere": bench.flexible.base - 64}.get(
        owner, array if "array" in owner else 0
    )
    content += struct.pack(
        "<6I",
        bench.runtime.register("MARK_PROTOTYPE"),
        bench.runtime.register("KLASS_BYTE_VIEW"),
        reference,
        constants["byte_view_mark"],
        (offset + (start if owner == "memory" else 0)) & 0xFFFF_FFFF,
        length,
    )
    if owner == "view ends elsewhere":
        del content[-8:]
    slot = root - base + bench.schema.types[0].layout.fields[2 if field == "raw" else 3]
    if field == "raw":
        struct.pack_into("<I", content, slot, view)
    else:
        struct.pack_into("<I", bench.flexible.data, constants["array_elements"], view)
    bench.place()
    # The bounds end with the view.
    outcome = bench.run(root, 0)
    assert status_of(bench, outcome) == status
    if status != "OK":
        assert outcome.at == view
        return
    written = schema.message_class("t.M").FromString(bench.output(outcome))
    expected = elements[offset : offset + length]
    assert (written.number, written.raw if field == "raw" else written.several[0]) == (5, expected)

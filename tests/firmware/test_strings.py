"""Strings of the codec. It copies them by words in both directions and checks UTF-8 by words, so that every length at
every alignment is tested."""

import pytest

from heapwire.conformance import codec as writer
from heapwire.schema import compile_proto, compile_schema
from tests.common.wire import varint
from tests.firmware.digest import digest
from tests.firmware.test_table import Codec

PROTO = (
    'syntax = "proto3"; package test; message Texts { optional bytes before = 1; optional string text = 2; optional '
    "string after = 3; }"
)
LENGTHS = [*range(42), 63, 64, 65, 127, 128, 129, 140, 300]
ROOM = 1024
STRING = 32
"""Bytes of a byte string and of its empty array."""


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    path = tmp_path_factory.mktemp("strings") / "texts.proto"
    path.write_text(PROTO)
    return compile_proto(path)


@pytest.fixture(scope="module")
def codec(programs, tmp_path_factory, schema, interface):
    return Codec(
        programs,
        tmp_path_factory.mktemp("codec"),
        compile_schema([schema.descriptor("test.Texts")], interface),
        interface,
    )


def wire(text, before):
    """Returns the wire bytes of `text` behind `before` bytes, and those of a string that ends the input."""
    field = b"\x12" + varint(len(text)) + text
    return (b"\x0a" + varint(before) + b"b" * before if before else b"") + field, b"\x1a\x03end"


@pytest.mark.parametrize("last", [False, True], ids=["within", "last"])
def test_every_length_at_every_alignment(codec, schema, last):
    letters = "abcdefghijklmnop\u1234qrstuvwxyz\u00e4" * 12
    sent = []
    for length in LENGTHS:
        for text in {letters.encode()[:length].decode(errors="ignore"), "x" * length}:
            for before in range(1, 5):
                head, tail = wire(text.encode(), before)
                sent.append(head if last else head + tail)
    cls = schema.message_class("test.Texts")
    for data, row in zip(sent, codec.run(sent, "test.Texts", fixed=ROOM, flexible=0)):
        assert row[:3] == ("OK", 0, digest(cls.FromString(data))), data.hex()


@pytest.mark.parametrize("before", range(1, 5))
def test_one_bad_byte_anywhere(codec, before):
    sent, at = [], 2 + before
    for length in LENGTHS[1:]:
        for place in range(length):
            head, tail = wire(b"t" * place + b"\xff" + b"t" * (length - place - 1), before)
            sent.append(head + tail)
    for data, row in zip(sent, codec.run(sent, "test.Texts", fixed=ROOM, flexible=0)):
        assert row[:2] == ("INVALID_UTF8", at), data.hex()


@pytest.mark.parametrize("length", [1, 8, 15, 129])
def test_what_is_wrong_with_a_string_comes_before_its_room(codec, length):
    good, bad = wire(b"t" * length, 0)[0], wire(b"t" * (length - 1) + b"\xff", 0)[0]
    whole = codec.run([good], "test.Texts")[0][3]
    assert [row[0] for row in codec.run([good, bad], "test.Texts", fixed=whole)] == ["OK", "INVALID_UTF8"]
    assert [row[0] for row in codec.run([good, bad], "test.Texts", fixed=whole - 8)] == [
        "FIXED_ARENA_FULL",
        "INVALID_UTF8",
    ]
    assert codec.run([good], "test.Texts", fixed=whole - STRING - length)[0][0] == "FIXED_ARENA_FULL"


@pytest.mark.parametrize("room", [0, 1, 5, 100], ids=lambda room: f"room {room}")
def test_written_at_every_length_and_alignment(programs, schema, interface, room):
    """The program's output has exactly the bytes that are asked for, and the message ends where it ends."""
    compiled = compile_schema([schema.descriptor("test.Texts")], interface)
    letters = "abcdefgh\u00e4\u00f6ijklm\u1234nopqrst\U0001f600uvwxyz\u00df" * 12
    sent = []
    for length in LENGTHS:
        for text in {letters.encode()[:length].decode(errors="ignore"), "x" * length}:
            for behind in range(4):
                last = b"\x1a" + varint(behind) + b"e" * behind
                sent.append(wire(text.encode(), length % 3)[0] + last)
    requests = [writer.Request("test.Texts", data, output=len(data) + room) for data in sent]
    full = [writer.Request("test.Texts", data, output=max(0, len(data) - 1 - len(data) % 5)) for data in sent]
    program = writer.Codec(programs / "codec", compiled, interface)
    for data, answer in zip(sent, program.run(requests)):
        assert answer.serialized == data, data.hex()
    assert {answer.serialize_status for answer in program.run(full)} == {"OUTPUT_FULL"}

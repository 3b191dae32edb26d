"""The nanopb encodings that the suite `core` expects are those of the official library."""

import zlib

import pytest

from heapwire.schema import compile_proto
from study.bench.built import STUDY
from study.records import core as expected

IMAGES = (("http://javaone.com/keynote_large.jpg", 1024, 768, 1), ("http://javaone.com/keynote_small.jpg", 320, 240, 0))


def sint32_unpacked_100(schema):
    return schema.message_class("core.Unpacked")(value=[-(i // 2) if i % 2 else i // 2 for i in range(100)])


def uint64_packed_1000(schema):
    return schema.message_class("core.Packed")(value=[1 << 63 | i * 0x123456789AB for i in range(1000)])


def strings_10_of_32(schema):
    return schema.message_class("core.Strings")(value=[chr(ord("a") + i) * 32 for i in range(10)])


def media_content(schema):
    message = schema.message_class("core.MediaContent")()
    for uri, width, height, size in IMAGES:
        message.image.add(uri=uri, title="Javaone Keynote", width=width, height=height, size=size)
    media = message.media
    media.uri, media.title, media.format = "http://javaone.com/keynote.mpg", "Javaone Keynote", "video/mpg4"
    media.width, media.height, media.duration, media.size, media.bitrate = 640, 480, 18_000_000, 58_982_400, 262_144
    media.person.extend(["Bill Gates", "Steve Jobs"])
    media.player = 0
    return message


def nested_4(schema):
    message = level = schema.message_class("core.Level1")()
    for depth, number in enumerate((150, 200, 300, 4), 1):
        level.number, level.text = number, f"level {depth}"
        level = level.next if depth < 4 else None
    return message


@pytest.fixture(scope="module")
def core():
    return compile_proto(STUDY / "firmware" / "programs" / "bench" / "core.proto")


@pytest.mark.parametrize("make", [sint32_unpacked_100, uint64_packed_1000, strings_10_of_32, media_content, nested_4])
def test_the_official_library_writes_it(core, make):
    wire = make(core).SerializeToString(deterministic=True)
    size, crc = (getattr(expected, f"{make.__name__.upper()}_{what}") for what in ("BYTES", "CRC"))
    assert (size, crc) == (len(wire), zlib.crc32(wire)), f"{len(wire)}, {zlib.crc32(wire):#010x}"

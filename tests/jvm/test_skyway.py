"""Skyway's buffers of a JVM, beside those of Python and of the C code."""

import json
import zlib
from random import Random

from heapwire.cereal import difference
from heapwire.klasses import REGISTRY, Maker
from heapwire.skyway import Header, SkywayError, read, write
from heapwire.skyway.stream import HEAD, HEADER
from tests.common.skyway_damage import mutate
from tests.skyway.node import Node, held

DAMAGED, FULL_DAMAGED = 1000, 20_000
LIST, FULL_LIST = 5000, 100_000
LONGEST = 10_000
OWN = {"java.util.HashMap", "java.util.LinkedHashMap", "java.util.IdentityHashMap", "heapwire.heap.ClassName"}
ERRORS = {"EOFException", "StreamCorruptedException", "InvalidClassException", "InvalidObjectException"}


def short(streams):
    return [each for each in streams if len(each) < LONGEST]


def header(phase=1, stream=1):
    return Header(REGISTRY, 7, phase, stream)


def test_fingerprints(skyway):
    """Reflection finds what the tool finds: a class's shape, and names and places of its fields."""
    described = json.loads((skyway.tables / "classes.json").read_text())
    expected = []
    for each in (each for each in described if each["metadata"]):
        cls = skyway.klasses[each["name"]].cls
        crc = zlib.crc32(bytes([cls.kind.code, cls.shift]) + (4 * len(cls.references)).to_bytes(4, "little"))
        crc = zlib.crc32(bytes(cls.references), crc)
        for name, descriptor, offset in each["fields"]:
            text = f"{name}\0{descriptor}\0".encode() + (offset - 16).to_bytes(4, "little")
            crc = zlib.crc32(text, crc)
        expected.append(str(crc))
    assert skyway.check("classes")[1:] == expected


def test_graphs_and_bytes(skyway, full):
    """A JVM reads what it has written (Check compares), and Python writes the same bytes."""
    streams = skyway.written(FULL_LIST if full else LIST)
    registry, most = skyway.klasses.registry, 0
    for each in streams:
        found = read(each, registry)
        most = max(most, len(found.objects))
        if len(found.roots) == 1:
            assert write(found.roots, registry, header()) == each
    assert most > (FULL_LIST if full else LIST) and len(found.roots) > 10
    assert found.roots[-2] is None and found.roots[-1] is found.roots[0]


def test_buffers_of_python(skyway, seed):
    """Segments of all lengths, several roots, and buffers one after the other."""
    registry, random = skyway.klasses.registry, Random(seed)
    # A JVM has classes of its own, and builds hash tables anew.
    whole = [read(each, registry) for each in short(skyway.written())]
    whole = [each for each in whole if not any(one.cls.name in OWN for one in each.objects)]
    streams = [write([*each.roots, None, *each.roots], registry, header(), random) for each in whole for _ in range(8)]
    lines, again = skyway.read(streams)
    assert set(lines) == {"OK"}
    for stream, other in zip(streams, again):
        assert difference(held(read(stream, registry).roots), held(read(other, registry).roots)) is None


def test_phases_and_refused_roots(skyway):
    """Check writes a and b in one buffer (with a flush, and a root that is refused, between them), then each in one of
    the next phase."""
    assert skyway.check("phases", skyway.folder / "phases") == ["good"]
    data, at, seen = (skyway.folder / "phases").read_bytes(), 0, []
    while at < len(data):
        found = read(data, skyway.klasses.registry, at=at)
        at += found.length
        seen.append((found.header.phase, found.header.stream, len(found.roots)))
    assert seen == [(1, 1, 2), (2, 1, 1), (2, 2, 1)]


def test_damaged_streams(skyway, nodes, status, full, seed):
    """The JVM gives Python's status and offset, and accepts nothing that the C code refuses."""
    random, whole, registry = Random(seed), short(skyway.written()), skyway.klasses.registry
    streams = [mutate(random, random.choice(whole)) for _ in range(FULL_DAMAGED if full else DAMAGED)]
    lines, _ = skyway.read(streams)
    refused = 0
    with Node(nodes / "node") as node:
        node.drive(REGISTRY)
        for each in skyway.classes.classes:
            assert node.define(each) == registry.ids[each.name]
        node.limits(1 << 20, 1 << 15)
        for line, stream in zip(lines, streams):
            error, _, told = line.partition(" ")
            assert line == "OK" or error in ERRORS
            try:
                stream = stream[: read(stream, registry).length]
            except SkywayError as expected:
                refused += 1
                assert told.startswith(f"{expected.status} at {expected.at}:"), (line, expected)
            if line == "OK":
                found = node.read(stream)
                assert found.status == status["END"], found
                node.free(found.buffer)
            node.collect(drop=True)
    assert refused > len(streams) // 2


def test_what_the_language_forbids(skyway):
    make = Maker(skyway.klasses)
    for root, error in (
        (make.references("[Ljvm.Plain;", [make.string("x"), None]), "InvalidClassException"),
        (make.new("java.lang.Enum"), "InvalidClassException"),
        (make.values("[Z", b"\1\2"), "StreamCorruptedException BAD_VALUE at 16"),
        (make.new("java.lang.String"), "InvalidObjectException"),
    ):
        lines, _ = skyway.read([write([root], skyway.klasses.registry, header())])
        assert lines[0].startswith(error)


def test_memory_is_taken_for_what_has_come(skyway):
    """Streams that announce gigabytes, in a heap of 16 MB."""
    whole = short(skyway.written())[0]
    huge = []
    for at, word in ((8, 0x7FFF_FF00), (12, 0xFFFF_FFF0), (12, 0x1FFF_FFF0)):
        stream = bytearray(whole)
        stream[HEADER.size + at : HEADER.size + at + 4] = word.to_bytes(4, "little")
        huge.append(bytes(stream))
    make = Maker(skyway.klasses)
    for root in (make.references("[Ljava.lang.Object;", []), make.values("[J", [])):
        stream = bytearray(write([root], skyway.klasses.registry, header()))
        stream[HEADER.size + HEAD.size + 8 : HEADER.size + HEAD.size + 12] = (0x7FF_FFF0).to_bytes(4, "little")
        huge.append(bytes(stream))
    lines, _ = skyway.read(huge, options=["-Xmx16m"])
    assert all(line.split()[0] in ERRORS for line in lines), lines

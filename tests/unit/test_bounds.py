"""The harness's check of bounds can fail: with a range that is told shorter than it is, a right command of the engine
or of the serialization unit breaks it. And a unit's guards refuse what goes astray: if the harness moves a right
command's writes out of a range, nothing of them is written, and the command ends with OUT_OF_BOUNDS."""

from __future__ import annotations

import random

import pytest

from heapwire.cereal import Object, objects, write
from heapwire.skyway.registry import Registry
from sim.unit import process
from sim.unit.build import build
from sim.unit.process import Unit
from tests.common.schemas import random_schema
from tests.common.wire import Writer
from tests.unit import cereal_read, cereal_write, engine, skyway_read
from tests.unit.cereal_heap import Heap, array, sized
from tests.unit.cereal_read import ReadBench
from tests.unit.cereal_write import HEAP_BASE, WriteBench
from tests.unit.cereal_writing import NODE, TREE, VALUES, chain, small
from tests.unit.engine import EngineReader, EngineWriter
from tests.unit.harness import sound, status_of
from tests.unit.skyway_read import ChunkBench
from tests.unit.skyway_write import Sent, SkywayBench


def alone(width: int, seed: int, *kind: str):
    unit = Unit(build(width, *kind), seed)
    yield unit
    unit.close()


@pytest.fixture
def writing_unit(width, seed_of):
    """Returns a serialization unit that has Skyway's mode."""
    yield from alone(width, seed_of, "SerializationUnit", "skyway")


@pytest.fixture
def reading_unit(width, seed_of):
    """Returns a deserialization unit that has Skyway's mode."""
    yield from alone(width, seed_of, "DeserializationUnit", "4-skyway")


@pytest.fixture
def shorten(monkeypatch):
    """Returns a function that makes the harness believe that this range ends behind its first byte, and that all
    others are right."""
    right = process.grants

    def shorten(short: str) -> None:
        def wrong(name, ranges, wrong_tables):
            told = {each: (at, at + 1 if each == short else end) for each, (at, end) in ranges.items()}
            return right(name, told, wrong_tables)

        monkeypatch.setattr(process, "grants", wrong)

    return shorten


def found(run, shorten, ranges: str) -> None:
    """Checks that a command is sound, and that it is not with any of these ranges shorter."""
    shorten("")
    sound(run())
    for each in ranges.split():
        shorten(each)
        outcome = run()
        assert outcome.strays or outcome.outside, each


@pytest.fixture
def engines(unit, serializer, interface):
    """Returns a reader and a writer of a message, the message, and the index of its type."""
    dice, schema = random.Random(6), random_schema(random.Random(11))
    name = schema.type_names()[0]
    data = b""
    while len(data) < 1000:
        data += Writer(dice, wild=False).message(schema.descriptor(name), 3)
    reader, writer = EngineReader.of(unit, interface, schema), EngineWriter.of(serializer, interface, schema)
    return reader, writer, data, reader.schema.index(name)


def test_engine(engines, shorten):
    reader, writer, data, index = engines

    def read():
        reader.registers()
        return reader.run(data, index)

    def write():
        writer.registers()
        return writer.run(root, index)

    found(read, shorten, "input tables fixed flexible")
    root = writer.build(data, index)
    found(write, shorten, "heap tables output")


def test_cereal_and_skyway(writing_unit, interface, shorten):
    registered, nodes = small(), chain(200)
    heap = Heap(random.Random(1), registered, nodes, HEAP_BASE)
    epochs = iter(range(1, 100))

    def cereal():
        heap.load(writing_unit)
        return WriteBench(writing_unit, interface, registered).run(
            heap, nodes[0], size=1 << 16, work=1 << 16, epoch=next(epochs)
        )

    def skyway():
        heap.load(writing_unit)
        bench = SkywayBench(writing_unit, interface, registered, Registry(1))
        bench.epochs(1)
        return bench.run(heap, nodes[0], size=1 << 16, owner=1 << 16 | 1)

    found(cereal, shorten, "heap output")
    found(skyway, shorten, "heap output")


BLOCK = 64


def refused(unit, run, *moves: tuple[int, int, int]) -> None:
    """Checks that a command is sound, and that it is refused if the writes for some addresses, from the first on and
    below the second, are moved by so many bytes."""
    unit.astray()
    assert run() == "OK"
    for low, high, by in moves:
        unit.astray(low, high, by)
        assert run() == "OUT_OF_BOUNDS", (hex(low), hex(high), by)
    unit.astray()
    assert run() == "OK"


def out_of(low: int, high: int, top: bool = False) -> list[tuple[int, int, int]]:
    """Returns how the writes in a range may go astray: all of them, to what is right behind it and right below it; and
    alone those of its first block or, with `top`, of its last one, to the block beside it."""
    whole = -(-(high - low) // BLOCK) * BLOCK
    edge = (high - BLOCK, high, BLOCK) if top else (low, low + BLOCK, -BLOCK)
    return [(low, high, whole), (low, high, -whole), edge]


def test_engine_astray(unit, serializer, engines):
    reader, writer, data, index = engines
    size = 1 << 16
    root, end = writer.build(data, index), engine.OUTPUT_BASE + (1 << 22)
    arenas = [move for base in (engine.FIXED_BASE, engine.FLEXIBLE_BASE) for move in out_of(base, base + size)]
    refused(unit, lambda: status_of(reader, reader.run(data, index)), *arenas)
    refused(serializer, lambda: status_of(writer, writer.run(root, index)), *out_of(end - size, end, top=True))


def tree(count: int) -> list[Object]:
    """Returns the nodes of a binary tree, breadth first: most of them wait at the same time."""
    nodes = [Object(TREE) for _ in range(count)]
    for i, node in enumerate(nodes):
        node.slots = [i, *(nodes[k] if k < count else None for k in (2 * i + 1, 2 * i + 2)), i]
    return nodes


def test_serialization_astray(writing_unit, interface):
    """Also, `output` has no part of the work area that `side` has, and the other way round."""
    registered, nodes = small(TREE), tree(4000)
    heap = Heap(random.Random(1), registered, nodes, HEAP_BASE)
    epochs, size, quarter = iter(range(1, 1000)), 1 << 20, 1 << 15
    output, work = cereal_write.OUTPUT_BASE, cereal_write.WORK_BASE
    ring, end = work + 3 * quarter, work + 4 * quarter

    def cereal():
        heap.load(writing_unit)
        bench = WriteBench(writing_unit, interface, registered)
        return status_of(bench, bench.run(heap, nodes[0], size=size, work=end - work, epoch=next(epochs)))

    def skyway():
        heap.load(writing_unit)
        bench = SkywayBench(writing_unit, interface, registered, Registry(1))
        bench.epochs(1)
        return status_of(bench, bench.run(heap, nodes[0], size=size, owner=1 << 16 | 1, work=17))

    common = out_of(heap.bound, heap.limit) + out_of(output, output + size)
    sections = [(work, work + quarter, 3 * quarter), (work + 2 * quarter, ring, quarter), (work, ring, -3 * quarter)]
    parts = out_of(ring, end) + sections
    refused(writing_unit, cereal, *common, *parts)
    refused(writing_unit, skyway, *common, *out_of(work, end))


def test_deserialization_astray(reading_unit, interface):
    # The work area has the map of the long array, in which no object starts: nothing reads what is not written there.
    registered, root = small(), Object(NODE)
    root.slots = [1, array(VALUES, 300_000, [])]
    stream, room = write(root, registered.set), sum(map(sized, objects(root)))

    def cereal():
        bench = ReadBench(reading_unit, interface, 1)
        bench.register(registered)
        return status_of(bench, bench.run(stream, room=room, work=work))

    def skyway():
        bench = ChunkBench(reading_unit, interface, registered, Registry(1))
        sent = Sent(bench.registry)
        sent.add(root)
        return status_of(bench, bench.run(sent.image(), work=work))

    work = skyway_read.map_bytes(room)
    for run, image, starts in (
        (cereal, cereal_read.IMAGE_BASE, cereal_read.WORK_BASE),
        (skyway, skyway_read.CHUNK_BASE, skyway_read.WORK_BASE),
    ):
        refused(reading_unit, run, *out_of(image, image + room), *out_of(starts, starts + work, top=True))
    refused(reading_unit, cereal, *out_of(cereal_read.IMAGE_BASE, cereal_read.IMAGE_BASE + room, top=True)[-1:])

"""The harness's check of bounds can fail: with a range that is told shorter than it is, a right command of the engine
or of the serialization unit breaks it."""

from __future__ import annotations

import random

import pytest

from heapwire.skyway.registry import Registry
from sim.unit import process
from tests.common.schemas import random_schema
from tests.common.wire import Writer
from tests.unit.cereal_heap import Heap
from tests.unit.cereal_write import HEAP_BASE, WriteBench
from tests.unit.cereal_writing import chain, small
from tests.unit.engine import EngineReader, EngineWriter
from tests.unit.harness import sound
from tests.unit.skyway_write import SkywayBench


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


def test_engine(unit, serializer, interface, shorten):
    dice, schema = random.Random(6), random_schema(random.Random(11))
    name = schema.type_names()[0]
    data = b""
    while len(data) < 1000:
        data += Writer(dice, wild=False).message(schema.descriptor(name), 3)
    reader, writer = EngineReader.of(unit, interface, schema), EngineWriter.of(serializer, interface, schema)
    index = reader.schema.index(name)

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

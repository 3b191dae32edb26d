"""Commands of Cereal's serialization unit alone: their arguments, areas and sizes, the classes that software registers,
and resets."""

import os
import random
from typing import Iterable

import pytest

from heapwire.cereal import Class, Kind, Object, write
from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import Header
from sim.unit.process import MEMORY_BASE
from tests.unit.cereal_heap import Registered, array, bitmap, shape, sized
from tests.unit.cereal_write import KLASS_BASE, OUTPUT_BASE, WORK_BASE, WriteBench
from tests.unit.cereal_writing import (
    NODE,
    REFERENCES,
    TREE,
    VALUES,
    WORK,
    a_heap,
    attempt,
    chain,
    check,
    small,
    some_classes,
    some_graph,
)
from tests.unit.harness import shake, sound, status_of

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
KEPT = 8
"""Words of a packed section that stay in the unit: keptWords of SerializationUnitParameter."""


@pytest.mark.parametrize("seed", range(100 if FULL else 6))
def test_tight_areas(writing_unit, interface, seed):
    """A too small output ends in OUTPUT_FULL at every size, and a too small work area in WORK_FULL. A command with
    enough room then works."""
    dice = random.Random(10_000 + seed)
    registered = some_classes(dice, 16)
    bench = WriteBench(writing_unit, interface, registered)
    graph = some_graph(dice, registered, dice.choice([1, 5, 40, 200]))
    heap = a_heap(dice, registered, graph, shuffle=True)
    need = len(write(graph[0], registered.set))
    sizes = sorted({*range(0, 128, 8), need - 16, need - 1, need, need + 1, *(dice.randrange(need) for _ in range(10))})
    for epoch, size in enumerate(sizes, 1):
        shake(writing_unit, dice)
        outcome = attempt(bench, heap, graph[0], epoch, size)
        assert status_of(bench, outcome) == ("OK" if size >= need else "OUTPUT_FULL"), (size, need)
    fitted = False
    for epoch, work in enumerate([*range(0, 1024, 64), 1024, 2048, 4096, 8192, 16384, 1 << 16], 1000):
        shake(writing_unit, dice)
        status = status_of(bench, attempt(bench, heap, graph[0], epoch, work=work))
        assert status == "OK" or not fitted and status == "WORK_FULL"
        fitted = status == "OK"
    assert fitted
    check(bench, heap, graph[0], 2000)


def test_sizes(writing_unit, interface, seed_of):
    """An array for which the image has no room ends in OUTPUT_FULL. One that does not fit into the heap is no object.
    One of half an image fits, and is not counted again in its turn.

    Memory has only the beginnings of these heaps. The unit reads no more."""
    dice = random.Random(seed_of)
    words = Class("l[]", Kind.VALUES, 3)
    registered = Registered([NODE, REFERENCES, VALUES, words], [KLASS_BASE + 32 * i for i in range(4)])
    bench = WriteBench(writing_unit, interface, registered)
    image = FORMAT.graph_limit
    for epoch, (leaves, cls, length, room, status) in enumerate(
        [
            (10, VALUES, image // 2, image, "OUTPUT_FULL"),
            (40, VALUES, image // 2, image, "OUTPUT_FULL"),
            (10, VALUES, image - 256, image, "OUTPUT_FULL"),
            (0, VALUES, image, 2 * image, "OUTPUT_FULL"),
            (0, VALUES, image + 8, 2 * image, "OUTPUT_FULL"),
            (10, VALUES, 3 * image, 4 * image, "OUTPUT_FULL"),
            (10, words, image // 8, 2 * image, "OUTPUT_FULL"),
            (10, VALUES, image // 2, image // 2, "BAD_OBJECT"),
            (10, VALUES, image, image, "BAD_OBJECT"),
            (10, VALUES, 0xFFFF_FFF8, 4 * image, "BAD_OBJECT"),
            (10, words, image + 1, 4 * image, "BAD_OBJECT"),
            (10, words, 1 << 31, 4 * image, "BAD_OBJECT"),
        ],
        1,
    ):
        big = array(cls, 16, [0] * cls.slots(16))
        items = [*(Object(NODE, slots=[i, None]) for i in range(leaves)), big]
        graph = [array(REFERENCES, len(items), items), *items]
        heap = a_heap(dice, registered, graph)
        at = heap.of(big) - heap.bound + 2 * FORMAT.slot
        heap.data[at : at + 4] = length.to_bytes(4, "little")
        heap.limit = heap.of(big) + room
        outcome = attempt(bench, heap, graph[0], epoch)
        assert status_of(bench, outcome) == status, (leaves, length, room)
        before, size = sum(map(sized, graph[:-1])), cls.size(length)
        if before + size < image and size <= room:
            assert outcome.results[1:] == (len(graph), before + size, 0), (leaves, length, room)
        else:
            assert outcome.results[1:] == (len(graph) - 1, before, heap.of(big)), (leaves, length, room)


def forgotten(bench: WriteBench, many: Registered) -> None:
    """Classes are unknown once software makes the unit forget them, or after a reset, whatever was registered before
    and whichever are registered again."""
    dice, tried = random.Random(7), range(200, 264)

    def known(epoch: int) -> list[int]:
        found = []
        for i in tried:
            heap = a_heap(dice, many, [Object(many.classes[i], slots=[1, None])])
            status = status_of(bench, attempt(bench, heap, heap.graph[0], epoch + i))
            assert status in ("OK", "UNREGISTERED_CLASS")
            if status == "OK":
                found.append(i)
        return found

    def register(places: Iterable[int]) -> None:
        for i in places:
            one = many.classes[i]
            many.tell_class(bench.unit, bench.interface, i, many.klass[one], shape(one), bitmap(one))

    for round in range(2):
        bench.set("CEREAL_MODE", FORMAT.mode_forget)
        some = sorted(dice.sample(tried, 5))
        register(some)
        assert known(1000 + 1000 * round) == some
    register(tried)
    bench.set("CEREAL_MODE", FORMAT.mode_forget)
    assert known(3000) == []
    register(tried)
    heap = a_heap(dice, many, [Object(many.classes[200], slots=[1, None])])
    heap.load(bench.unit)
    bench.run(heap, heap.graph[0], size=4096, work=4096, epoch=4000, reset_after=20)
    bench.set("CEREAL_CLASS_SET", many.set.fingerprint)
    register([230])
    assert known(5000) == [230]


def test_classes(writing_unit, interface):
    """Classes that are not registered, no longer registered, or registered twice, and more classes than the table
    holds."""
    dice = random.Random(6)
    registered, nodes = small(), chain(5)
    bench = WriteBench(writing_unit, interface, Registered([], []))
    bench.set("CEREAL_CLASS_SET", registered.set.fingerprint)
    bench.registered = registered
    heap = a_heap(dice, registered, nodes)
    outcome = attempt(bench, heap, nodes[0], 1)
    assert status_of(bench, outcome) == "UNREGISTERED_CLASS" and outcome.results[3] == heap.of(nodes[0])
    registered.tell_class(writing_unit, interface, 9, KLASS_BASE, shape(TREE), bitmap(TREE))
    registered.tell_class(writing_unit, interface, 0, KLASS_BASE, shape(NODE), bitmap(NODE))
    check(bench, heap, nodes[0], 2)
    bench.set("CEREAL_MODE", FORMAT.mode_forget)
    assert status_of(bench, attempt(bench, heap, nodes[0], 3)) == "UNREGISTERED_CLASS"
    many = Registered(
        [Class(f"c{i}", Kind.INSTANCE, 0, (False, True)) for i in range(600)], [KLASS_BASE + 32 * i for i in range(600)]
    )
    bench = WriteBench(writing_unit, interface, many)
    held = 0
    for i, one in enumerate(many.classes):
        heap = a_heap(dice, many, [Object(one, slots=[1, None])])
        status = status_of(bench, attempt(bench, heap, heap.graph[0], 10 + i))
        assert status in ("OK", "UNREGISTERED_CLASS")
        held += status == "OK"
    assert 200 <= held <= 256
    forgotten(bench, many)
    few = Registered(many.classes[:100], list(many.klass.values())[:100])
    bench = WriteBench(writing_unit, interface, few)
    for i, one in enumerate(few.classes):
        item = Object(one, slots=[1, None])
        check(bench, a_heap(dice, few, [item]), item, 1000 + i)


def test_bad_commands(writing_unit, interface):
    dice = random.Random(8)
    registered, nodes = small(), chain(5)
    bench = WriteBench(writing_unit, interface, registered)
    heap = a_heap(dice, registered, nodes)
    root = heap.of(nodes[0])
    heap.load(writing_unit)
    good = dict(
        root=root,
        output=OUTPUT_BASE,
        output_limit=OUTPUT_BASE + 4096,
        work=WORK_BASE,
        work_limit=WORK_BASE + 4096,
        bound=heap.bound,
        limit=heap.limit,
        mode=7 << 16 | 7,
    )
    cases = [
        ({}, "OK"),
        ({"output": OUTPUT_BASE + 8}, "BAD_ALIGNMENT"),
        ({"work": WORK_BASE + 32}, "BAD_ALIGNMENT"),
        ({"work_limit": WORK_BASE + 4000}, "BAD_ALIGNMENT"),
        ({"output": OUTPUT_BASE + 8192}, "OUT_OF_BOUNDS"),
        ({"bound": heap.limit + 8}, "OUT_OF_BOUNDS"),
        ({"work": WORK_BASE + 8192}, "OUT_OF_BOUNDS"),
        ({"mode": 0}, "BAD_COMMAND"),
        ({"mode": 7 << 16 | 8}, "BAD_COMMAND"),
        ({"root": 0}, "BAD_OBJECT"),
        ({"root": root + 4}, "BAD_OBJECT"),
        ({"root": heap.limit - 8}, "BAD_OBJECT"),
        ({"root": heap.bound - 8}, "BAD_OBJECT"),
        ({"bound": 0, "limit": 0}, "BAD_OBJECT"),
        ({"limit": heap.limit - 1}, "BAD_OBJECT"),
        ({"output_limit": OUTPUT_BASE + 31}, "OUTPUT_FULL"),
        ({"work_limit": WORK_BASE}, "WORK_FULL"),
        ({"root": MEMORY_BASE - 64, "bound": 0, "limit": MEMORY_BASE}, "BUS_FAULT"),
        ({"output": 0x1000, "output_limit": 0x2000}, "BUS_FAULT"),
    ]
    for i, (change, status) in enumerate(cases):
        arguments = {**good, "mode": (20 + i) << 16 | (20 + i), **change}
        outcome = writing_unit.run(interface.operations["cereal_write_object"], list(arguments.values()))
        assert status_of(bench, outcome) == status, change
    outcome = writing_unit.run(interface.operations["cereal_read_object"], list(good.values()))
    assert status_of(bench, outcome) == "BAD_COMMAND"
    check(bench, heap, nodes[0], 100)


def test_the_work_area_is_the_commands_own(writing_unit, interface):
    """Commands with and without a work area alternate, at any time. The area of an earlier command decides nothing."""
    dice = random.Random(9)
    registered = small()
    bench = WriteBench(writing_unit, interface, registered)
    for turn in range(24):
        nodes = chain(1 + turn)
        heap = a_heap(dice, registered, nodes)
        heap.load(writing_unit)
        none = bench.run(heap, nodes[0], size=4096, work=0, epoch=1 + 2 * turn)
        sound(none)
        assert status_of(bench, none) == "WORK_FULL"
        check(bench, heap, nodes[0], 2 + 2 * turn)


def test_short_sections_stay_in_the_unit(writing_unit, interface, width):
    """A stream whose packed sections have at most KEPT words touches no work area. A longer one finds that this work
    area is no memory. Commands of both kinds alternate."""
    dice = random.Random(10)
    registered = small()
    bench = WriteBench(writing_unit, interface, registered)
    seen, kept = set(), KEPT * (16 if width == 128 else 8)
    for epoch, count in enumerate([n for few in range(6, 206, 5) for n in (few, 500 - few)], 1):
        leaf = Object(NODE, slots=[1, None])
        graph = chain(count) if count % 4 else [array(REFERENCES, count, [leaf] * count), leaf]
        heap = a_heap(dice, registered, graph)
        heap.load(writing_unit)
        stream = write(graph[0], registered.set)
        header = Header.unpack(stream)
        short = max(header.references, header.layouts) <= kept
        seen.add((header.references <= kept, header.layouts <= kept))
        outcome = writing_unit.run(
            interface.operations["cereal_write_object"],
            [heap.of(graph[0]), OUTPUT_BASE, OUTPUT_BASE + 8192, 0x1000, 0x40000, heap.bound, heap.limit]
            + [epoch << 16 | epoch],
        )
        sound(outcome)
        assert status_of(bench, outcome) == ("OK" if short else "BUS_FAULT"), (count, header)
        if short:
            assert writing_unit.dump(OUTPUT_BASE, len(stream)) == stream
        check(bench, heap, graph[0], 1000 + epoch)
    assert seen >= {(True, True), (False, True), (False, False)}


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_reset(writing_unit, interface, seed):
    """After a reset at any time the unit works again, once software has registered its classes."""
    dice = random.Random(30_000 + seed)
    registered = some_classes(dice, 16)
    graph = some_graph(dice, registered, 60)
    heap = a_heap(dice, registered, graph)
    for epoch in range(1, 8):
        bench = WriteBench(writing_unit, interface, registered)
        shake(writing_unit, dice)
        heap.load(writing_unit)
        bench.run(heap, graph[0], size=1 << 16, work=WORK, epoch=epoch, reset_after=dice.randrange(1, 1500))
    bench = WriteBench(writing_unit, interface, registered)
    check(bench, heap, graph[0], 100)

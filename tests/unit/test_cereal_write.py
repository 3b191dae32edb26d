"""Cereal's serialization unit alone. Random graphs against a plain model of the format, with exact bytes and metadata.
Also marks of other serializations, damaged heaps, and what the unit asks the shared cache to allocate."""

import os
import random

import pytest

from heapwire.cereal import Object, objects, read
from heapwire.cereal.numbers import FORMAT
from sim.unit.process import NO_ALLOCATE, NONE
from tests.common.random_graphs import random_graph
from tests.unit.cereal_heap import Heap, array, sized
from tests.unit.cereal_write import OUTPUT_BASE, OWNER, WriteBench
from tests.unit.cereal_writing import (
    NODE,
    REFERENCES,
    VALUES,
    a_heap,
    attempt,
    chain,
    check,
    small,
    some_classes,
    some_graph,
)
from tests.unit.harness import shake, status_of

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
DAMAGED = 700 if FULL else 12
"""Number of seeds, each with 29 heaps: 20,300 in the full tests."""


@pytest.mark.parametrize("seed", range(300 if FULL else 12))
def test_random_graphs(writing_unit, interface, seed):
    """Commands run back to back with successive epochs. The marks of earlier commands are stale."""
    dice = random.Random(seed)
    registered = some_classes(dice, dice.choice([12, 24, 40]))
    bench = WriteBench(writing_unit, interface, registered, strip=bool(seed & 1))
    for epoch in range(1, 9):
        shake(writing_unit, dice)
        graph = some_graph(dice, registered, dice.choice([1, 2, 3, 10, 40, 150]))
        stale = {
            id(item): (dice.randrange(epoch) << 16 | dice.randrange(4), dice.getrandbits(32))
            for item in graph
            if dice.random() < 0.3
        }
        heap = a_heap(dice, registered, graph, gap=dice.choice([0, 0, 4]), shuffle=dice.random() < 0.5, metadata=stale)
        check(bench, heap, graph[0], epoch)
        heap.data = bytearray(heap.claimed(graph[0], epoch, OWNER))
        check(bench, heap, dice.choice(graph), epoch + 100)


def test_large_graph(writing_unit, interface, seed_of):
    """A random graph of a given number of objects."""
    dice = random.Random(seed_of)
    registered = some_classes(dice, 24)
    bench = WriteBench(writing_unit, interface, registered)
    shake(writing_unit, dice)
    graph = objects(random_graph(dice, registered.classes, 100_000 if FULL else 3_000, 12))
    check(bench, a_heap(dice, registered, graph, shuffle=True), graph[0], work=1 << 23)


def test_allocation(writing_unit, interface):
    """Headers, metadata and full blocks of the stream ask the shared cache not to allocate once the image has 32 KB and
    the stream 8 KB of values, but not before. A header that is read again, and what is read of an object behind its
    first 32 bytes, always asks so."""
    dice = random.Random(10)
    bench = WriteBench(writing_unit, interface, small())
    writing_unit.memory(1, 0, 20, 20)
    size = sized(Object(NODE))

    def counts(graph: list[Object], epoch: int):
        outcome = check(bench, a_heap(dice, bench.registered, graph), graph[0], epoch)
        assert outcome.gets["objects"][NO_ALLOCATE] == sum(outcome.gets["objects"])
        # The short sections of few nodes are not read back.
        assert (sum(outcome.gets["objects"]) > 0) == (len(graph) > 10)
        assert outcome.gets["side"][NONE] == sum(outcome.gets["side"])
        assert outcome.puts["side"][NONE] == sum(outcome.puts["side"])
        return outcome.gets["headers"], outcome.puts["headers"], outcome.puts["output"]

    for epoch, count in enumerate((10, 400), 1):
        reads, claims, stream = counts(chain(count), epoch)
        # Without pipelining, a narrow port also reads some headers of a list again.
        assert reads[NONE] >= count * size // 32 and sum(claims[1:]) == sum(stream[1:]) == 0
    reads, claims, stream = counts(repeats(dice, 200), 3)
    assert 0 < reads[NO_ALLOCATE] <= 200 and sum(claims[1:]) == sum(stream[1:]) == 0
    reads, claims, stream = counts(chain(4000), 4)
    assert abs(claims[NONE] - 32768 // size) <= 32 and claims[NONE] + claims[NO_ALLOCATE] == 4000
    assert abs(reads[NONE] - 32768 // 32) <= 64 and reads[NO_ALLOCATE] > reads[NONE]
    assert 8192 // 64 <= stream[NONE] <= 8192 // 64 + 64 and stream[NO_ALLOCATE] > 4 * stream[NONE]


def repeats(dice: random.Random, count: int) -> list[Object]:
    """Returns an array of references to new objects. Now and then a reference repeats an object that came a little
    before, so that the unit reads its header while the claim is on its way."""
    leaves, found = [Object(NODE, slots=[i, None]) for i in range(count)], []
    for leaf in leaves:
        found.append(leaf)
        if len(found) > 16 and dice.random() < 0.1:
            found.append(found[-dice.randrange(5, 16)])
    return [array(REFERENCES, len(found), found), *leaves]


@pytest.mark.parametrize("offset", range(0, 64, 8))
def test_repeats(writing_unit, interface, seed_of, offset):
    """An object is numbered once, even if its header takes two reads (from offset 40 on) and the first is issued long
    before the second."""
    dice = random.Random(seed_of)
    bench = WriteBench(writing_unit, interface, small())
    for epoch in range(1, 300 if FULL else 60 if offset == 48 else 12):
        writing_unit.memory(dice.getrandbits(31), 16, 5, 60)
        graph = repeats(dice, 400)
        check(bench, a_heap(dice, bench.registered, graph, offset=offset), graph[0], epoch, work=1 << 16)


def damaged(dice: random.Random, heap: Heap, epoch: int) -> None:
    """Changes a word of a reachable object, often its class or a reference, to a class, an object, an address near one
    or near the heap's ends, or anything."""
    item = dice.choice(heap.graph)
    at = heap.of(item) - heap.bound + 4 * dice.choice([0, 1, 1, 2, 2, 3, 4, 5, dice.randrange(sized(item) // 4)])
    slots = [i for i in range(len(item.slots)) if item.cls.is_reference(i, item.length)]
    if slots and dice.random() < 0.3:
        at = heap.of(item) - heap.bound + item.cls.header + FORMAT.slot * dice.choice(slots)
    other = heap.of(dice.choice(heap.graph))
    value = dice.choice(
        [
            dice.getrandbits(32),
            dice.choice(list(heap.registered.klass.values())),
            other,
            other + 8 * dice.randrange(-3, 4),
            heap.of(item),
            heap.of(heap.graph[0]),
            heap.limit - dice.randrange(64),
            heap.bound - 8,
            0xFFFF_FFF8,
            0,
            dice.randrange(1000),
            1 << dice.randrange(32),
            epoch << 16 | OWNER,
        ]
    )
    heap.data[at : at + 4] = (value & 0xFFFF_FFFF).to_bytes(4, "little")


@pytest.mark.parametrize("seed", range(DAMAGED))
def test_damaged_heaps(writing_unit, interface, seed):
    """Whatever the heap contains, commands end, and read and write only where they may. They report the fault, or write
    a stream that a reader accepts."""
    dice = random.Random(20_000 + seed)
    registered = some_classes(dice, 16)
    bench = WriteBench(writing_unit, interface, registered)
    seen = set()
    for epoch in range(1, 30):
        shake(writing_unit, dice)
        heap = a_heap(
            dice, registered, some_graph(dice, registered, dice.choice([2, 5, 20, 60])), gap=dice.choice([0, 4])
        )
        for _ in range(dice.choice([1, 1, 4, 20])):
            damaged(dice, heap, epoch)
        outcome = attempt(bench, heap, heap.graph[0], epoch, work=1 << 16)
        status = status_of(bench, outcome)
        assert status in ("OK", "BAD_OBJECT", "UNREGISTERED_CLASS", "SHARED_OBJECT", "OUTPUT_FULL", "WORK_FULL"), status
        if status in ("BAD_OBJECT", "UNREGISTERED_CLASS", "SHARED_OBJECT"):
            assert outcome.results[3] != 0
        elif status == "OK":
            read(bench.unit.dump(OUTPUT_BASE, outcome.results[0]), registered.set)
        seen.add(status)
    whole = some_graph(dice, registered, 50)
    check(bench, a_heap(dice, registered, whole), whole[0], 100)
    assert len(seen) > 1


def test_epochs(writing_unit, interface):
    """Marks of other serializations. The unit ignores those of closed ones, and a mark of an open one ends the command.
    The set of open epochs is read each time."""
    dice = random.Random(5)
    registered = small()
    bench = WriteBench(writing_unit, interface, registered)
    nodes = chain(20)
    for epoch, found, opened, status in (
        (10, 3, (3, 10), "OK"),
        (11, 12, (11,), "OK"),
        (12, 13, (12, 13), "SHARED_OBJECT"),
        (12, 13, (12, 8 << 16 | 13), "OK"),
        (12, 13, (12, 7 << 16 | 13), "SHARED_OBJECT"),
        (13, 14, (1, 2, 3, 4, 5, 6, 13, 14), "SHARED_OBJECT"),
        (14, 0xFFFF, (14,), "OK"),
        (0xFFFF, 0xFFFE, (0xFFFF,), "OK"),
    ):
        bench.epochs(*opened)
        heap = a_heap(dice, registered, nodes, shuffle=True, metadata={id(nodes[11]): (found << 16 | 7, 12345)})
        outcome = attempt(bench, heap, nodes[0], epoch)
        assert status_of(bench, outcome) == status, found
        if status != "OK":
            assert outcome.results[3] == heap.of(nodes[11]) and outcome.results[1] == 11
        else:
            check(bench, heap, nodes[0], epoch)
    # A list that is no memory ends the command that needs it; a command that meets no mark does not read it.
    bench.set("OPEN_EPOCHS", 0x3000_0000)
    marked = a_heap(dice, registered, nodes, metadata={id(nodes[11]): (15 << 16 | 7, 0)})
    assert status_of(bench, attempt(bench, marked, nodes[0], 14)) == "BUS_FAULT"
    assert status_of(bench, attempt(bench, a_heap(dice, registered, nodes), nodes[0], 14)) == "OK"
    bench.set("OPEN_EPOCHS", 0)
    heap = a_heap(dice, registered, nodes)
    assert status_of(bench, attempt(bench, heap, nodes[0], 15)) == "OK"
    heap = a_heap(dice, registered, nodes, metadata={id(nodes[0]): (99 << 16, 0)})
    assert status_of(bench, attempt(bench, heap, nodes[0], 16)) == "SHARED_OBJECT"


def test_far_references(writing_unit, interface):
    """References behind a long array take three buckets each."""
    dice, registered = random.Random(9), small()
    leaves = [Object(NODE, slots=[i, None]) for i in range(60)]
    elements = [array(VALUES, 300_000, []), *leaves, *dice.choices(leaves, k=900)]
    root = array(REFERENCES, len(elements), elements)
    bench = WriteBench(writing_unit, interface, registered)
    for epoch in range(1, 5):
        shake(writing_unit, dice)
        check(bench, a_heap(dice, registered, objects(root)), root, epoch, work=1 << 20)


def test_long_array(writing_unit, interface, seed_of):
    """Its layout ends behind 2^18 slots."""
    dice, registered = random.Random(seed_of), small()
    leaf = Object(NODE, slots=[7, None])
    elements = [leaf if i % 5000 == 0 else None for i in range((1 << 18) + dice.randrange(1 << 15))]
    bench = WriteBench(writing_unit, interface, registered)
    root = array(REFERENCES, len(elements), elements)
    check(bench, a_heap(dice, registered, objects(root)), root, work=1 << 20)


def test_long_list(writing_unit, interface):
    dice = random.Random(7)
    registered = small()
    bench = WriteBench(writing_unit, interface, registered)
    nodes = chain(100_000 if FULL else 5_000)
    check(bench, a_heap(dice, registered, nodes, shuffle=True), nodes[0], work=1 << 21)

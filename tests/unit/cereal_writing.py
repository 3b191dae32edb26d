"""Shared by the tests of Cereal's serialization unit: classes, graphs, heaps, and the checks of a command that succeeds
and of one that may fail."""

from __future__ import annotations

import random

from heapwire.cereal import Class, Kind, Object, objects, write
from heapwire.cereal.numbers import FORMAT
from tests.common.random_graphs import random_classes, random_graph
from tests.unit.cereal_heap import BLOCK_BYTES, Heap, Registered, instances, sized
from tests.unit.cereal_write import HEAP_BASE, KLASS_BASE, OUTPUT_BASE, OWNER, WORK_BASE, WriteBench
from tests.unit.harness import sound, status_of

WORK = 1 << 18
FAR_HEAP_BASE = 0x5EF0_0000

(NODE,) = instances((0, 1))
(TREE,) = instances((0, 1, 1, 0))
REFERENCES, VALUES = Class("R[]", Kind.REFERENCES, 2), Class("b[]", Kind.VALUES, 0)


def small(instance: Class = NODE) -> Registered:
    return Registered([instance, REFERENCES, VALUES], [KLASS_BASE + 32 * i for i in range(3)])


def some_classes(dice: random.Random, count: int) -> Registered:
    return Registered.scattered(dice, random_classes(dice, count, widest=40, reach=FORMAT.shape_slots), KLASS_BASE)


def some_graph(dice: random.Random, registered: Registered, count: int) -> list[Object]:
    """Returns the objects of a random graph, the root first."""
    return objects(random_graph(dice, registered.classes, count, 300))


def chain(count: int) -> list[Object]:
    """Returns the nodes of a list. The second field of each refers to the next node."""
    nodes = [Object(NODE) for _ in range(count)]
    for i, node in enumerate(nodes):
        node.slots = [i, nodes[i + 1] if i + 1 < count else None]
    return nodes


def a_heap(dice: random.Random, registered: Registered, graph: list[Object], **layout) -> Heap:
    """Returns a heap from a random address on, in which each bit of a memory's address has either value."""
    base = dice.choice((HEAP_BASE, FAR_HEAP_BASE)) + BLOCK_BYTES * dice.randrange(1 << 14)
    return Heap(dice, registered, graph, base + 8 * dice.randrange(8), **layout)


def check(bench: WriteBench, heap: Heap, root: Object, epoch: int = 1, work: int = WORK, room: int | None = None):
    """Serializes, and checks the stream, the bytes around it, and the heap."""
    expected = write(root, bench.registered.set, bench.strip)
    size = len(expected) if room is None else room
    bench.unit.fill(OUTPUT_BASE - 64, size + 128, 0xA5)
    heap.load(bench.unit)
    outcome = bench.run(heap, root, size=size, work=work, epoch=epoch)
    assert status_of(bench, outcome) == "OK", hex(outcome.results[3])
    written = bench.unit.dump(OUTPUT_BASE - 64, size + 128)
    assert written[64 : 64 + len(expected)] == expected
    assert set(written[:64] + written[64 + len(expected) :]) <= {0xA5}
    graph = objects(root)
    assert outcome.results == (len(expected), len(graph), sum(map(sized, graph)), 0)
    assert bench.unit.dump(heap.bound, len(heap.data)) == heap.claimed(root, epoch, OWNER)
    return outcome


def attempt(bench: WriteBench, heap: Heap, root: Object, epoch: int, size: int = 1 << 16, work: int = WORK):
    """Runs a command that may fail. Only the areas and the metadata of objects may change."""
    heap.load(bench.unit)
    for base, length in ((OUTPUT_BASE, size), (WORK_BASE, work)):
        bench.unit.fill(base - 64, 64, 0xA5)
        bench.unit.fill(base + length, 64, 0xA5)
    outcome = bench.run(heap, root, size=size, work=work, epoch=epoch)
    sound(outcome)
    for base, length in ((OUTPUT_BASE, size), (WORK_BASE, work)):
        assert bench.unit.dump(base - 64, 64) == bench.unit.dump(base + length, 64) == b"\xa5" * 64
    before, after = bytes(heap.data), bench.unit.dump(heap.bound, len(heap.data))
    owner = (epoch << 16 | OWNER).to_bytes(4, "little")
    for at in range(0, len(before), 4):
        if before[at : at + 4] != after[at : at + 4]:
            assert owner in (after[at : at + 4], after[max(at - 4, 0) : at]), hex(heap.bound + at)
    if outcome.status:
        assert outcome.results[0] == 0
    return outcome

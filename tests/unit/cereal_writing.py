"""Shared by the tests of Cereal's serialization unit: a few classes, heaps, and the check of a command that
succeeds."""

from __future__ import annotations

import random

from heapwire.cereal import Class, Kind, Object, objects, write
from sim.unit.cereal_heap import Heap, Registered, instances, sized
from sim.unit.cereal_write import HEAP_BASE, KLASS_BASE, OUTPUT_BASE, OWNER, WriteBench
from tests.unit.harness import sound

WORK = 1 << 18

(NODE,) = instances((0, 1))
(TREE,) = instances((0, 1, 1, 0))
REFERENCES, VALUES = Class("R[]", Kind.REFERENCES, 2), Class("b[]", Kind.VALUES, 0)


def small(instance: Class = NODE) -> Registered:
    return Registered([instance, REFERENCES, VALUES], [KLASS_BASE + 32 * i for i in range(3)])


def chain(count: int) -> list[Object]:
    """Returns the nodes of a list. The second field of each refers to the next node."""
    nodes = [Object(NODE) for _ in range(count)]
    for i, node in enumerate(nodes):
        node.slots = [i, nodes[i + 1] if i + 1 < count else None]
    return nodes


def a_heap(dice: random.Random, registered: Registered, graph: list[Object], **layout) -> Heap:
    return Heap(dice, registered, graph, HEAP_BASE + 8 * dice.randrange(8), **layout)


def check(bench: WriteBench, heap: Heap, root: Object, epoch: int = 1, work: int = WORK, room: int | None = None):
    """Serializes, and checks the stream, the bytes around it, and the heap."""
    expected = write(root, bench.registered.set, bench.strip)
    size = len(expected) if room is None else room
    bench.unit.fill(OUTPUT_BASE - 64, size + 128, 0xA5)
    heap.load(bench.unit)
    outcome = bench.run(heap.of(root), size=size, work=work, bound=heap.bound, limit=heap.limit, epoch=epoch)
    sound(outcome)
    assert bench.interface.status_name(outcome.status) == "OK", (
        bench.interface.status_name(outcome.status),
        hex(outcome.results[3]),
    )
    written = bench.unit.dump(OUTPUT_BASE - 64, size + 128)
    assert written[64 : 64 + len(expected)] == expected
    assert set(written[:64] + written[64 + len(expected) :]) <= {0xA5}
    graph = objects(root)
    assert outcome.results == (len(expected), len(graph), sum(map(sized, graph)), 0)
    assert bench.unit.dump(heap.bound, len(heap.data)) == heap.claimed(root, epoch, OWNER)
    return outcome

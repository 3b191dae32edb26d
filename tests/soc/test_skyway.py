"""Skyway between two simulated SoCs in lock-step, over their second UARTs. The heaps have different bases. One SoC is
the driver of class numbering, the other the worker. Most cases run on the host build (tests/skyway)."""

import os
import struct
from random import Random

import pytest

from heapwire import interface as interface_module
from heapwire.cereal import Class, Kind, Object, difference
from sim.pair import run_pair
from tests.common.random_graphs import random_classes, random_graph
from tests.soc.program import program
from tests.soc.skyway_script import Machine, run

FULL_RUN = bool(os.environ.get("HEAPWIRE_FULL"))
SEED = int(os.environ.get("HEAPWIRE_SEED") or 2018)
REGISTRY = 0x5EED
BASES = 0, 3 << 20
"""Offsets of the two heaps. No object has the same address in both."""
BYTE_CYCLES = 20
OK, LOST_DRIVER, CLASS_CONFLICT = 0, 0x201, 0x203


def pair(classes):
    """Returns the driver, which defines the classes, and a worker that joins and looks them up."""
    driver, worker = Machine(BASES[0], 1), Machine(BASES[1], 2)
    driver.drive(REGISTRY)
    for each in classes:
        driver.define(each)
    worker.join()
    for each in reversed(classes):
        worker.define(each)
    for each in (driver, worker):
        each.phase()
    return driver, worker


def check_numbers(told, classes):
    """Checks that both machines of `pair` have the same type ids. Returns the remaining answers."""
    driver, worker = told
    count = len(classes)
    assert driver[:count] == list(range(1, count + 1)) and worker[: count + 1] == [OK, *range(count, 0, -1)]
    assert driver[count] == worker[count + 1] == OK
    return driver[count + 1 :], worker[count + 2 :]


def holder_of(classes):
    return next(each for each in classes if each.name == "[Ljava.lang.Object;")


def array(classes, items):
    return Object(holder_of(classes), 0, len(items), [*items, *[0] * (len(items) % 2)])


def sharing(random, classes, graph):
    """Returns an array that refers to the graph and to parts of it."""
    parts = [graph, *(each for each in graph.references() if each is not None)][:4]
    return array(classes, [random.choice(parts) for _ in range(3)])


def round_trips(classes, roots, buffer, stress=False):
    """Sends each root from the driver to the worker in a separate phase, and back in the next, with its identity hash.
    Afterwards nothing of it is left.

    Returns each graph as it was at the worker and at the driver."""
    driver, worker = pair(classes)
    for root in roots:
        driver.build(root, 0)
        driver.identity_hash(0)
        for each in (driver, worker):
            each.stress(stress)
        driver.send(0, 1, buffer)
        worker.receive(1, 0)
        worker.identity_hash(0)
        worker.describe(0)
        worker.collect(False)
        worker.phase()
        worker.send(0, 1, buffer)
        driver.phase()
        driver.receive(1, 8)
        for each in (driver, worker):
            each.stress(False)
        driver.collect(True)
        driver.identity_hash(8)
        driver.describe(8)
        for each in (driver, worker):
            each.free()
            each.used()
            each.phase()
    told, results = run((driver, worker), BYTE_CYCLES)
    at_driver, at_worker = (iter(each) for each in check_numbers(told, classes))
    found, left = [], [set(), set()]
    for _ in roots:
        identity = next(at_driver)
        assert next(at_driver) == (OK, OK) and next(at_worker) == (1, 1, 0)
        assert next(at_worker) == identity != 0
        there = next(at_worker)
        assert (next(at_worker), next(at_worker)) == (OK, (OK, OK))
        assert (next(at_driver), next(at_driver)) == (OK, (1, 1, 0))
        assert next(at_driver) == identity == there.hash
        found.append((there, next(at_driver)))
        left[0].add(next(at_driver))
        left[1].add(next(at_worker))
        assert next(at_driver) == next(at_worker) == OK
    assert all(len(each) == 1 for each in left), left
    assert all(each.link["lost"] == 0 for each in results)
    return found


def every_class(classes):
    """Returns an array of one object of each class. Arrays of values have some elements."""
    items = []
    for each in classes:
        length = 5 if each.is_array else 0
        item = Object(each, 0, length)
        item.slots += [
            None if each.is_reference(i, length) else 0x01010101 * i if each.kind == Kind.INSTANCE or i < 1 else 0
            for i in range(each.slots(length))
        ]
        items.append(item)
    bearing = [(item, i) for item in items for i, slot in enumerate(item.slots) if slot is None]
    for (item, i), other in zip(bearing, items[::-1] * len(bearing)):
        item.slots[i] = other
    return array(classes, items)


@pytest.mark.parametrize("stress", [False, True], ids=["", "stress"])
def test_round_trips(stress):
    """Graphs with every class, and random graphs with cycles and sharing, in several phases. Under stress every
    allocation collects, at both ends."""
    random = Random(f"{SEED} {stress}")
    for _ in range(10 if FULL_RUN else 1):
        classes = random_classes(random, count=12, widest=30)
        sizes = (4,) if stress else (40,)
        graphs = [every_class(classes), *(random_graph(random, classes, count, 30) for count in sizes)][stress:]
        roots = [sharing(random, classes, graph) for graph in graphs]
        for root, found in zip(roots, round_trips(classes, roots, 256 if stress else 1024, stress)):
            root.hash = found[0].hash
            assert [difference(each, root) for each in found] == [None, None]


def test_several_roots_in_a_buffer():
    """The roots arrive in order and share what they shared. A root that was already sent is not copied again. One root
    is null, and one comes twice."""
    random = Random(f"{SEED} roots")
    classes = random_classes(random, count=11, widest=20)
    graph = random_graph(random, classes, 20, 30)
    inner = next((each for each in graph.references() if each is not None), graph)
    sent = array(classes, [graph, None, inner, graph])
    driver, worker = pair(classes)
    driver.build(sent, 0)
    worker.receive(1, 0)
    worker.receive(1, 16)
    driver.send(0, 1, 512)  # the array that holds them
    driver.send(0, 3, 4096)  # the same array and two empty places, in a separate stream
    worker.describe(0)
    worker.describe(16)
    told, _ = run((driver, worker), BYTE_CYCLES)
    at_driver, at_worker = check_numbers(told, classes)
    assert at_driver == [(OK, OK), (OK, OK)] and at_worker[:2] == [(1, 1, 0), (1, 3, 0)]
    for found in at_worker[2:]:
        assert difference(found, sent) is None


def test_a_conflict():
    """The worker's class of this name has another layout."""
    driver, worker = Machine(BASES[0], 1, patience=30_000), Machine(BASES[1], 2)
    driver.drive(REGISTRY)
    driver.define(Class("Node", Kind.INSTANCE, 0, (False, True)))
    driver.receive(1, 0)
    worker.join()
    worker.define(Class("Node", Kind.INSTANCE, 0, (True, False)))
    (first, second), _ = run((driver, worker), BYTE_CYCLES)
    assert first == [1, (0, 0, 0)] and second == [OK, -CLASS_CONFLICT]


def test_a_lost_driver():
    """The other machine has ended. Nobody answers, and nothing hangs."""
    worker = Machine(BASES[1], 2, patience=20_000)
    worker.join()
    (_, told), _ = run((Machine(BASES[0], 1), worker), BYTE_CYCLES)
    assert told == [LOST_DRIVER]


def test_a_map_is_looked_up_where_it_arrives():
    cluster = interface_module.load().cluster
    loads = [
        [(cluster["memoryBase"] + cluster["memoryBytes"] // 8, struct.pack("<2I", role, base))]
        for role, base in enumerate(BASES)
    ]
    image = program("skyway_map")
    first, second = run_pair((image, image), loads, max_cycles=60_000_000, byte_cycles=BYTE_CYCLES)
    hashes = first.check().uart
    assert second.check().uart == hashes and len(set(hashes.split())) > 12


@pytest.mark.full
def test_it_repeats_to_the_cycle():
    node = Class("Node", Kind.INSTANCE, 0, (False, True))

    def once():
        driver, worker = pair([node])
        driver.build(Object(node, 0, 0, [5, None]), 0)
        driver.send(0, 1, 256)
        worker.receive(1, 0)
        told, results = run((driver, worker), BYTE_CYCLES)
        return told, [(each.cycles, each.link) for each in results]

    assert once() == once()

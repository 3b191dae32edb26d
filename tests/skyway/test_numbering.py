"""Global class numbering (Algorithm 1): C workers, a Python driver, and failures between them."""

import socket
from random import Random

import pytest
from lines import Faulty, driven
from node import HOLDER, Node, held

from heapwire.cereal import Class, Kind, Object, difference
from heapwire.records.skyway import SKYWAY_CLASSES, SKYWAY_NAME_MAX
from heapwire.skyway import Driver, Registry, fingerprint, write
from tests.common.random_graphs import random_classes


def test_two_workers_and_the_driver_agree(programs, status):
    """Ids come from the view if it has them, and otherwise from LOOKUP. They are the same for all workers, whoever
    asked first."""
    random = Random(3)
    first, second = random_classes(random, 60), random_classes(random, 90)
    own = [Class("driver.Own", Kind.INSTANCE, 0, (True, False)), HOLDER]
    registry = Registry()
    for each in own:
        registry.load(each)
    driver = Driver(registry)
    with (
        driven(driver) as one,
        driven(driver) as other,
        Node(programs / "node", driver=one) as a,
        Node(programs / "node", driver=other) as b,
    ):
        assert a.join() == status["OK"]
        ids = {each.name: a.define(each) for each in first}
        assert b.join() == status["OK"]
        for each in second:
            found = b.define(each)
            assert found == ids.setdefault(each.name, found) and b.known(each) == found
        again = {each.name: a.load(each) if each in a.places else a.define(each) for each in second}
        assert again == {each.name: ids[each.name] for each in second}
        assert ids == {name: registry.ids[name] for name in ids}
        assert sorted(registry.ids.values()) == list(range(1, len(registry.entries) + 1))
        assert registry.entries[ids[first[0].name] - 1].fingerprint == fingerprint(first[0])


def test_a_view_of_many_packets(programs, status):
    """A view of 600 long names, and of the longest possible one."""
    registry = Registry()
    classes = [Class("x" * (1 + i % 200) + f".{i}", Kind.INSTANCE, 0, (False, True)) for i in range(600)]
    classes.append(Class("y" * SKYWAY_NAME_MAX, Kind.VALUES, 3))
    for each in classes:
        registry.load(each)
    with driven(Driver(registry)) as line, Node(programs / "node", driver=line) as node:
        assert node.join() == status["OK"]
        for each in classes[::50] + classes[-1:]:
            assert node.define(each) == registry.ids[each.name]
        assert node.define(Class("z" * (SKYWAY_NAME_MAX + 1), Kind.VALUES, 3)) == -status["UNREGISTERED_CLASS"]


def test_conflicting_versions(programs, status):
    """A class with the same name and another layout. The driver reports it, or the worker finds it in the view."""
    here, there = Class("Changed", Kind.INSTANCE, 0, (True, False)), Class("Changed", Kind.INSTANCE, 0, (False, True))
    for before in (True, False):
        registry = Registry()
        with driven(Driver(registry)) as line, Node(programs / "node", driver=line) as node:
            if before:
                registry.load(there)
            assert node.join() == status["OK"]
            if not before:
                registry.load(there)
            assert node.define(here) == -status["CLASS_CONFLICT"] and node.known(here) == 0
            assert node.define(HOLDER) == 2


def test_full_registries(programs, status):
    registry = Registry()
    with driven(Driver(registry)) as line, Node(programs / "node", driver=line) as node:
        assert node.join() == status["OK"]
        for i in range(SKYWAY_CLASSES):
            registry.lookup(f"c{i}", 0)
        assert node.define(HOLDER) == -status["REGISTRY_FULL"]


def test_a_lost_driver(programs, status):
    """The driver was never there, or goes away. A worker without a view numbers nothing."""
    with Node(programs / "node", patience=20) as node:
        assert node.define(HOLDER) == -status["NO_REGISTRY"]
        assert node.join() == status["LOST_DRIVER"]
        assert node.load(HOLDER) == -status["NO_REGISTRY"]
    registry = Registry()
    with driven(Driver(registry)) as line, Node(programs / "node", driver=line) as node:
        assert node.join() == status["OK"]
        assert node.define(HOLDER) == 1
        line.shutdown(socket.SHUT_RDWR)
        assert node.define(Class("Late", Kind.VALUES)) == -status["LOST_DRIVER"]
        assert node.load(HOLDER) == 1


def test_restarts(programs, status):
    """A worker that restarts gets the same ids. A driver that restarts numbers anew. Its workers notice that and join
    again."""
    registry, classes = Registry(), [HOLDER, Class("[I", Kind.VALUES, 2), Class("A", Kind.INSTANCE, 0, (True, False))]
    driver = Driver(registry)
    ids = []
    for _ in range(2):
        with driven(driver) as line, Node(programs / "node", driver=line) as node:
            assert node.join() == status["OK"]
            ids.append([node.define(each) for each in (classes if not ids else classes[::-1])])
            if len(ids) == 2:
                assert ids[1] == ids[0][::-1]
                driver.registry = Registry()
                assert node.define(Class("B", Kind.VALUES)) == -status["OTHER_REGISTRY"]
                assert node.join() == status["OK"] and node.known(HOLDER) == 0
                assert node.load(classes[2]) == 1 and node.load(classes[0]) == 2


def test_classes_that_arrive(programs, status):
    """A sender loads the classes that it meets. A receiver gets the classes that were numbered since it joined, and
    loads by name those that it does not have.

    The receiver refuses a class that it cannot load, that it has in another version, or that another driver has
    numbered. Nothing of the stream stays."""
    late = [Class(f"Late{i}", Kind.INSTANCE, 0, (True, False)) for i in range(40)]
    other = Class("Late39", Kind.INSTANCE, 0, (False, False))
    driver = Driver(Registry())
    with (
        driven(driver) as one,
        driven(driver) as two,
        Node(programs / "node", driver=one) as sender,
        Node(programs / "node", driver=two) as receiver,
    ):
        assert sender.join() == receiver.join() == status["OK"]
        assert receiver.define(HOLDER) == 1
        for each in [HOLDER, *late]:
            assert sender.define(each, load=False) == 0
        root = None
        for i, each in enumerate(late):
            root = Object(each, i, 0, [root, i])
        sender.build(held([root, root.slots[0]]))
        sender.open(0, 128, collect=1)
        assert sender.phase() == sender.write(0) == sender.write(1) == sender.finish() == status["OK"]
        stream = sender.taken()[1]
        assert [sender.known(each) for each in late] == list(range(41, 1, -1))

        receiver.collect()
        empty = receiver.used()
        assert receiver.read(stream).status == status["UNKNOWN_CLASS"]
        for each in late[:39]:
            assert receiver.define(each, load=False) == 0
        assert receiver.read(stream).status == status["UNKNOWN_CLASS"]
        assert receiver.define(other, load=False) == 0
        assert receiver.read(stream).status == status["CLASS_CONFLICT"]
        receiver.collect(drop=True)
        assert receiver.used() == empty
        driver.registry = Registry()
        assert receiver.join() == status["OK"]
        assert receiver.read(stream).status == status["OTHER_REGISTRY"]
    with driven(Driver(driver.registry)) as line, Node(programs / "node", driver=line) as node:
        assert node.join() == status["OK"] and node.define(HOLDER) == 1
        driver.registry.load(late[0])
        assert node.define(late[0], load=False) == 0
        found = node.read(write([Object(late[0], 9, 0, [None, 7])], driver.registry))
        assert (found.status, found.roots) == (status["END"], 1) and node.known(late[0]) == 2
        assert difference(node.describe(), held([Object(late[0], 9, 0, [None, 7])])) is None


@pytest.mark.parametrize("rate", [100, 300])
def test_a_bad_line(programs, status, seed, rate):
    """Frames are lost, duplicated, delayed and damaged. No class has another number than at the driver, and none has
    two."""
    random, registry = Random(seed), Registry()
    classes = random_classes(random, 40)
    near, far = socket.socketpair()
    with driven(Driver(registry)) as line:
        fault = Faulty(far, line, seed, rate)
        with Node(programs / "node", driver=near, patience=50) as node:
            joined = node.join()
            while joined != status["OK"]:
                assert joined == status["LOST_DRIVER"]
                joined = node.join()
            for each in classes:
                found = node.define(each)
                while found == -status["LOST_DRIVER"]:
                    found = node.load(each)
                assert found == registry.ids[each.name]
            assert len(registry.entries) == len(classes)
        fault.cut()
    near.close()
    assert sum(fault.faults.values()) > 0

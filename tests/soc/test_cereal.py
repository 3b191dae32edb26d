"""Cereal's units in the SoC: round trips with each other, with software and with Python, several commands at a time,
collections, and the work that goes to software.

A configuration with two units each runs in `make test`. Those with 1, 4 and 8 units and without pipelining run in `make
test-full`."""

import os
from random import Random

import pytest

from heapwire import interface as interface_module
from heapwire.cereal import Class, Kind, Object, difference, objects, read, write
from heapwire.simulation import parts
from sim.run import Build
from tests.cereal.script import Outcome, UnitScript
from tests.common.random_graphs import random_classes, random_graph

FULL_RUN = bool(os.environ.get("HEAPWIRE_FULL"))
SEED = int(os.environ.get("HEAPWIRE_SEED") or 2020)
NODE = Class("Node", Kind.INSTANCE, 0, (False, True))
ARRAY = Class("[LNode;", Kind.REFERENCES, 2)
WIDEST = 32
"""Slots of the largest instance that a unit can describe."""
CONFIGS = ["skyway-x2"] + (["cereal", "cereal-x4", "cereal-x8", "cereal-vanilla"] if FULL_RUN else [])
OK = 0


@pytest.fixture(scope="module", params=CONFIGS)
def config(request):
    if not Build.of(request.param).binary.is_file():
        pytest.fail(f"there is no simulator. What to do: make sim CONFIG={request.param}")
    return request.param


@pytest.fixture(scope="module")
def status(config):
    return interface_module.load(parts(config).gen / "heapwire.json").status


@pytest.fixture(scope="module")
def units(config):
    return interface_module.load(parts(config).gen / "heapwire.json").cluster["units"]["cereal_serializer"]


def unit_classes(random):
    """Returns random classes that a unit can describe."""
    return [each for each in random_classes(random) if len(each.references) <= WIDEST]


def linked(count):
    last = None
    for value in range(count):
        last = Object(NODE, 0, 0, [value, last])
    return last


def by_unit(stream=b""):
    return Outcome(OK, 0, stream)


def by_software(stream=b""):
    return Outcome(OK, 1, stream)


def test_units_do_it_and_software_when_told(config, units):
    """The units count their commands and busy cycles. This test fails if software does the work instead."""
    root = linked(50)
    script = UnitScript([NODE], config=config)
    stream = write(root, script.set)
    script.build(root)
    script.counts()
    for software in (False, True):
        script.write(software=software)
        script.read(stream, software=software)
        script.counts()
    before, written, taken, units_did, written_by_software, taken_by_software, after = script.run()
    assert (before.serializers, before.deserializers) == (units, units)
    assert (written, taken) == (by_unit(stream), (by_unit(), len(stream)))
    assert (written_by_software, taken_by_software) == (by_software(stream), (by_software(), len(stream)))
    assert (units_did.written - before.written, units_did.read - before.read) == (1, 1)
    assert units_did.write_cycles - before.write_cycles > 50 and units_did.read_cycles - before.read_cycles > 50
    assert (after.written, after.read, after.write_cycles, after.read_cycles) == (
        units_did.written,
        units_did.read,
        units_did.write_cycles,
        units_did.read_cycles,
    )


def round_trips(config, classes, roots, stress=False, strip=False, array=False):
    """Software builds each graph and the unit writes it, as Python does. The unit reads the stream, then unit and
    software write it. Software reads it, then the unit writes it. All bytes are the same, since a graph has exactly one
    stream. The last graph is compared slot by slot."""
    script = UnitScript(
        classes, heap=3 << 19, eden=384 << 10, array=array, config=config, answers=(4 if FULL_RUN else 1) << 18
    )
    script.strip(strip)
    for root in roots:
        stream = write(root, script.set, strip)
        script.build(root)
        script.stress(stress)
        script.write()
        script.read(stream)
        script.write()
        script.write(software=True)
        script.collect(False)
        script.read(stream, software=True)
        script.write()
        script.stress(False)
    script.read(write(roots[-1], script.set, strip))
    script.describe()
    script.counts()
    answers = iter(script.run())
    for root in roots:
        stream = write(root, script.set, strip)
        taken = (by_unit(), len(stream))
        found = [next(answers) for _ in range(6)]
        assert found == [
            by_unit(stream),
            taken,
            by_unit(stream),
            by_software(stream),
            (by_software(), len(stream)),
            by_unit(stream),
        ]
        assert difference(read(found[0].stream, script.set).root, root, hashes=not strip) is None
    assert next(answers) == taken and difference(next(answers), root, hashes=not strip) is None
    return next(answers)


@pytest.mark.parametrize("strip", [False, True], ids=["", "strip"])
def test_random_graphs(config, strip):
    random = Random(f"{SEED} {config} {strip}")
    for _ in range(20 if FULL_RUN else 1):
        classes = unit_classes(random)
        roots = [random_graph(random, classes, random.choice((1, 2, 3, 10, 30, 100))) for _ in range(6)]
        counts = round_trips(config, classes, roots, strip=strip)
        assert counts.written == 3 * len(roots) and counts.read == len(roots) + 1


def test_under_stress(config):
    """All objects move before each image is built."""
    random = Random(f"{SEED} {config} stress False")
    for _ in range(10 if FULL_RUN else 1):
        classes = unit_classes(random)
        roots = [random_graph(random, classes, count) for count in (3, 500 if FULL_RUN else 200)]
        counts = round_trips(config, classes, roots, stress=True)
        assert counts.young + counts.full >= 3 * len(roots)


def test_hashes_are_kept(config):
    """An identity hash that was assigned on the SoC is in the stream."""
    script = UnitScript([NODE], config=config)
    script.build(linked(3))
    script.identity_hash()
    script.write()
    script.abreast(1)
    script.identity_hash(1)
    there, written, _, copied = script.run()
    assert there == copied != 0
    assert read(written.stream, script.set).root.hash == there


def test_units_share_a_graph(config, units):
    """All units write the same objects at the same time. One unit claims each object, and the others leave the graph to
    software. The bytes are the same."""
    random = Random(f"{SEED} {config} shared")
    classes = unit_classes(random)
    root = random_graph(random, classes, 200)
    script = UnitScript(classes, config=config, answers=1 << 17)
    stream = write(root, script.set)
    # All places hold the one copy that is read here, so that all units write the same objects.
    script.read(stream)
    script.share(units)
    for seed in range(3):
        script.abreast(units, seed)
    answers = script.run()[1:]
    for written, taken in answers:
        assert [each.status for each in written] == [OK] * units
        assert all(each.stream == stream for each in written)
        assert taken == [by_unit()] * units
        # A unit that claims the root meets no other. The others leave the graph to software while that unit works on
        # it.
        assert sum(each.fallbacks for each in written) < units
    if units > 1:
        assert sum(each.fallbacks for written, _ in answers for each in written) > 0


def test_shared_objects(config):
    """A graph with objects that another serialization holds goes to software, and the marks stay. After that
    serialization has ended the unit does it."""
    random = Random(f"{SEED} {config} held")
    classes = unit_classes(random)
    root = random_graph(random, classes, 100)
    script = UnitScript(classes, config=config, answers=1 << 17)
    stream = write(root, script.set)
    script.build(root)
    script.write()
    script.hold(3)
    script.write()
    script.write()
    script.release()
    script.write()
    assert script.run() == [
        by_unit(stream),
        (len(objects(root)) + 2) // 3,
        by_software(stream),
        by_software(stream),
        by_unit(stream),
    ]


def test_epochs_run_out(config):
    """Epoch 65,535 is the last one. Then a full collection clears all marks, and counting starts over."""
    root = linked(20)
    script = UnitScript([NODE], config=config)
    stream = write(root, script.set)
    script.build(root)
    script.write()
    script.epoch(65_534)
    script.counts()
    for _ in range(4):
        script.write()
    script.counts()
    script.build(root, 1)
    script.epoch(65_535)
    script.abreast(2)
    script.counts()
    first, before, *written, after, (abreast, taken), last = script.run()
    assert [first, *written] == [by_unit(stream)] * 5 and after.full == before.full + 1
    assert abreast == [by_unit(stream)] * 2 and taken == [by_unit()] * 2 and last.full == after.full + 1


def test_classes_beyond_the_tables(config, status):
    """Of 512 classes a unit knows those whose places in its tables are free, at most 256, and none of more than 32
    slots. Software does the others, in both directions, and this is counted."""
    wide = Class("Wide", Kind.INSTANCE, 0, (False,) * 34)
    classes = [NODE, wide, *(Class(f"C{i}", Kind.INSTANCE, 0, (False, True)) for i in range(509))]
    script = UnitScript(classes, config=config)
    roots = [
        linked(2),
        Object(classes[-1], 0, 0, [5, linked(2)]),
        Object(NODE, 0, 0, [1, Object(wide, 0, 0, list(range(34)))]),
    ]
    streams = [write(root, script.set) for root in roots]
    for root, stream in zip(roots, streams):
        script.build(root)
        script.write()
        script.read(stream)
        script.write(software=True)
    found = script.run()
    assert found[:3] == [by_unit(streams[0]), (by_unit(), len(streams[0])), by_software(streams[0])]
    for i, stream in enumerate(streams[1:], 1):
        assert found[3 * i : 3 * i + 3] == [by_software(stream), (by_software(), len(stream)), by_software(stream)]


def test_errors_are_the_units_own(config, status):
    """The unit reports the same status and offset for a faulty stream as Python. The heap is as it was, and the next
    command works."""
    root = linked(40)
    script = UnitScript([NODE], config=config)
    stream = write(root, script.set)
    bad = bytearray(stream)
    bad[32] ^= 2
    for each in (bytes(bad), stream[:-16], stream):
        script.read(each)
        script.write() if each is stream else None
    answers = script.run()
    assert answers[0] == (Outcome(status["BAD_VALUE"], 0), 32)
    assert answers[1][0] == Outcome(status["BAD_STREAM"], 0)
    assert answers[2:] == [(by_unit(), len(stream)), by_unit(stream)]


def test_long_list(config):
    """The list is deeper than recursion could go on the core's stack. Its copy lies in the large space."""
    script = UnitScript([NODE], eden=128 << 10, config=config)
    script.list(2000)
    script.abreast(1)
    script.length(1)
    (written, taken), found = script.run()
    assert (written[0].status, written[0].fallbacks) == (OK, 0) and taken == [by_unit()]
    assert found == 2000

"""The receiving mode (Skyway) of Cereal's deserialization unit alone. Chunks of random graphs become objects, compared
byte by byte. Damaged chunks give the same objects as the Python reader, or the same error at the same place."""

import os
import random

import pytest

from heapwire.cereal import Object, objects, write
from heapwire.cereal.numbers import FORMAT
from heapwire.records.skyway import SKYWAY_DONE, SKYWAY_FIRST, SKYWAY_SEGMENT
from heapwire.skyway.reader import read
from heapwire.skyway.registry import Registry
from heapwire.skyway.stream import HEAD, Header, SkywayError
from sim.unit.build import build
from sim.unit.process import Unit
from tests.common.random_graphs import random_graph
from tests.unit.cereal_heap import array, image
from tests.unit.cereal_read import ReadBench
from tests.unit.cereal_writing import NODE, REFERENCES, VALUES, chain, small
from tests.unit.harness import shake, status_of
from tests.unit.skyway_read import CHUNK_BASE, WORK_BASE, ChunkBench, map_bytes, starts
from tests.unit.skyway_write import Sent

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
MUTATED = 400 if FULL else 12
"""Number of seeds, each with 30 chunks: 12,000 in the full tests."""


@pytest.fixture(scope="module", params=["4-skyway"] + (["vanilla-skyway", "small-skyway"] if FULL else []))
def skyway_program(request, width):
    return build(width, "DeserializationUnit", request.param)


@pytest.fixture
def skyway(skyway_program, seed_of):
    """Returns a fresh deserialization unit with the mode: pipelined, not pipelined, or with tables that small graphs
    fill."""
    unit = Unit(skyway_program, seed_of)
    yield unit
    unit.close()


def clones(bench: ChunkBench, roots: list[Object]) -> tuple[bytes, list[Object]]:
    """Returns a chunk of the objects that these roots reach, and the objects."""
    sent = Sent(bench.registry)
    for root in roots:
        sent.add(root)
    return sent.image(), sent.items


def check(bench: ChunkBench, chunk: bytes, items: list[Object]):
    outcome = bench.run(chunk)
    assert status_of(bench, outcome) == "OK", outcome
    assert outcome.results[:3] == (len(items), 1, 0)
    assert bench.unit.dump(CHUNK_BASE, len(chunk)) == bench.absolute(chunk, items)
    assert bench.unit.dump(WORK_BASE, map_bytes(len(chunk))) == starts(items, len(chunk))
    return outcome


@pytest.mark.parametrize("seed", range(200 if FULL else 8))
def test_random_chunks(skyway, interface, seed):
    dice = random.Random(seed)
    bench = ChunkBench.scattered(skyway, interface, dice, dice.choice([12, 20, 28]))
    for _ in range(8):
        shake(skyway, dice)
        graph = objects(random_graph(dice, bench.registered.classes, dice.choice([1, 2, 3, 10, 40, 150]), 300))
        check(bench, *clones(bench, [graph[0], *dice.choices(graph, k=dice.randrange(3))]))


def test_large_chunk(skyway, interface, seed_of):
    """References lead far beyond the part of the map that is on the chip."""
    dice = random.Random(seed_of)
    bench = ChunkBench.scattered(skyway, interface, dice, 24)
    shake(skyway, dice)
    graph = objects(random_graph(dice, bench.registered.classes, 60_000 if FULL else 6_000, 12))
    chunk, items = clones(bench, [graph[0]])
    check(bench, chunk, items)


def test_one_road(skyway, interface, seed_of):
    """All masters share one arbiter, which stays with a burst. A block whose references lead beyond the map on the chip
    must not begin before the map has been read for them."""
    dice, bench = random.Random(seed_of), ChunkBench(skyway, interface, small(), Registry(1))
    skyway.memory(seed_of, 0, 20, 20)
    skyway.shared(True)
    leaves = [Object(NODE, slots=[i, None]) for i in range(14_000)]
    scattered = dice.sample(leaves, 2_000)
    check(bench, *clones(bench, [array(REFERENCES, len(leaves), leaves), array(REFERENCES, len(scattered), scattered)]))


def test_every_length(skyway, interface):
    """All lengths of chunks, and all starts of objects in words and blocks."""
    dice, bench = random.Random(1), ChunkBench(skyway, interface, small(), Registry(1))
    for length in [*range(24), 30, 63, 64, 65]:
        shake(skyway, dice)
        text = array(VALUES, length, [0] * VALUES.slots(length))
        leaf = Object(NODE, slots=[length, None])
        head = array(REFERENCES, length, [dice.choice([None, leaf, text]) for _ in range(length)])
        for root in (text, head, leaf):
            check(bench, *clones(bench, [root]))


def stream(bench: ChunkBench, chunk: bytes) -> bytes:
    """Returns a buffer of this chunk, without roots."""
    return (
        Header(bench.registry.number).pack()
        + HEAD.pack(SKYWAY_SEGMENT, SKYWAY_FIRST, len(chunk), 0)
        + chunk
        + HEAD.pack(SKYWAY_DONE, SKYWAY_FIRST + len(chunk), 0, len(bench.registry.entries))
    )


def spoiled(dice: random.Random, chunk: bytes) -> bytes:
    data = bytearray(chunk)
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        at = 4 * dice.randrange(len(data) // 4)
        old = int.from_bytes(data[at : at + 4], "little")
        new = dice.choice(
            [
                0,
                1,
                old ^ 1 << dice.randrange(32),
                old + 8,
                old - 8,
                old + 4,
                old + 1,
                dice.getrandbits(32),
                dice.randrange(len(data)) // 8 * 8,
                dice.randrange(40),
            ]
        )
        data[at : at + 4] = (new & 0xFFFF_FFFF).to_bytes(4, "little")
        if dice.random() < 0.1:
            del data[dice.randrange(1, len(data) // 8 + 1) * 8 :]
    return bytes(data)


@pytest.mark.parametrize("seed", range(MUTATED))
def test_spoiled_chunks(skyway, interface, seed):
    dice = random.Random(5_000 + seed)
    bench = ChunkBench.scattered(skyway, interface, dice, 24)
    seen = set()
    for _ in range(30):
        shake(skyway, dice)
        graph = objects(random_graph(dice, bench.registered.classes, dice.choice([2, 5, 20, 60]), 60))
        chunk = spoiled(dice, clones(bench, [graph[0]])[0])
        try:
            items, wrong = read(stream(bench, chunk), bench.registry).objects, None
        except SkywayError as error:
            wrong = error
        if not wrong:
            check(bench, chunk, items)
            seen.add("OK")
            continue
        outcome = bench.run(chunk)
        status, (_, replaced, at, _) = status_of(bench, outcome), outcome.results
        # For an id without a class the unit does not know the reason.
        assert status == wrong.status or (status, wrong.status) == ("UNREGISTERED_CLASS", "BAD_VALUE"), (wrong, outcome)
        assert at == wrong.at, (wrong, outcome)
        if not replaced:
            assert skyway.dump(CHUNK_BASE, len(chunk)) == chunk
        seen.add(status)
    assert len(seen) > 1


def test_strays(skyway, interface):
    """References to addresses where no object begins. The lowest such address is reported, wherever the reference to it
    is."""
    dice, bench = random.Random(3), ChunkBench(skyway, interface, small(), Registry(1))
    for count in (10, 3000, 40_000):
        leaves = [Object(NODE, slots=[i, None]) for i in range(200)]
        head = array(REFERENCES, count, [dice.choice(leaves) for _ in range(count)])
        good, items = clones(bench, [head])
        for places in ([5], [1, 8], [9, 2, 4]):
            chunk = bytearray(good)
            for place in places:
                target = SKYWAY_FIRST + 8 * dice.choice([1, 2, len(good) // 8 - 1, dice.randrange(len(good) // 16) * 2])
                at = 24 + 4 * place
                chunk[at : at + 4] = target.to_bytes(4, "little")
            try:
                read(stream(bench, bytes(chunk)), bench.registry)
                expected = None
            except SkywayError as error:
                expected = error
            outcome = bench.run(bytes(chunk))
            if expected:
                assert (status_of(bench, outcome), outcome.results[1:3]) == (expected.status, (1, expected.at))
            else:
                assert status_of(bench, outcome) == "OK"
    check(bench, good, items)


def test_bad_commands(skyway, interface):
    bench = ChunkBench(skyway, interface, small(), Registry(1))
    chunk, items = clones(bench, [chain(50)[0]])
    good = [CHUNK_BASE, len(chunk), WORK_BASE, WORK_BASE + 64]
    for change, status in (
        ((0, CHUNK_BASE + 16), "BAD_ALIGNMENT"),
        ((1, 20), "BAD_ALIGNMENT"),
        ((2, WORK_BASE + 32), "BAD_ALIGNMENT"),
        ((1, 0), "BAD_COMMAND"),
        ((1, 1 << 29), "UNSUPPORTED"),
        ((1, 0xF000_0000), "OUT_OF_BOUNDS"),
        ((1, 0x1_0000_0000 - CHUNK_BASE), "OUT_OF_BOUNDS"),
        ((3, WORK_BASE), "WORK_FULL"),
        ((3, WORK_BASE + 63), "WORK_FULL"),
        ((0, 0x1000), "BUS_FAULT"),
        ((2, 0x1000), "WORK_FULL"),
        ((1, len(chunk) - 8), "BAD_VALUE"),
    ):
        skyway.load(CHUNK_BASE, chunk)
        arguments = list(good)
        arguments[change[0]] = change[1]
        if change == (2, 0x1000):
            arguments[3] = 0x1000
        outcome = skyway.run(interface.operations["skyway_read_object"], arguments)
        assert status_of(bench, outcome) == status, change
        assert outcome.results[1] == 0 and skyway.dump(CHUNK_BASE, len(chunk)) == chunk
    outcome = skyway.run(interface.operations["skyway_read_object"], [CHUNK_BASE, len(chunk), 0x1000, 0x2000])
    assert status_of(bench, outcome) == "BUS_FAULT"
    check(bench, chunk, items)


def test_beside_cereal(skyway, interface):
    """Commands of both formats take turns. The ids of one mean nothing to the other."""
    dice, registered = random.Random(4), small()
    cereal, nodes = ReadBench(skyway, interface, FORMAT.mark), chain(40)
    cereal.register(registered)
    bench = ChunkBench.__new__(ChunkBench)
    bench.unit, bench.interface, bench.registered, bench.registry = skyway, interface, registered, Registry(1)
    for cls in reversed(registered.classes):
        bench.registry.load(cls)
    chunk, items = clones(bench, [nodes[0]])
    outcome = bench.run(chunk)
    assert (status_of(bench, outcome), outcome.results[1:3]) == ("UNREGISTERED_CLASS", (0, SKYWAY_FIRST))
    for cls in registered.classes:
        bench.tell(cls, bench.registry.ids[cls.name])
    for _ in range(6):
        shake(skyway, dice)
        check(bench, chunk, items)
        data = write(nodes[0], registered.set)
        outcome = cereal.run(data, room=40 * 24, work=64)
        assert status_of(bench, outcome) == "OK"
        assert cereal.objects(outcome) == image(nodes, registered, outcome.results[0])


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_reset(skyway, interface, seed):
    """After a reset at any time the unit works again, once software has registered its classes."""
    dice = random.Random(30_000 + seed)
    bench = ChunkBench.scattered(skyway, interface, dice, 16)
    graph = objects(random_graph(dice, bench.registered.classes, 60, 60))
    chunk, items = clones(bench, [graph[0]])
    for _ in range(8):
        shake(skyway, dice)
        bench = ChunkBench(skyway, interface, bench.registered, bench.registry)
        bench.run(chunk, reset_after=dice.randrange(1, 1500))
    bench = ChunkBench(skyway, interface, bench.registered, bench.registry)
    check(bench, chunk, items)


RATES = {"list": 6.5, "references": 1.6, "values": 4.1}


@pytest.mark.parametrize("latency", [20, 40])
def test_rates(width, wide_port, interface, seed_of, latency):
    """Cycles for a node of 24 bytes, a reference of an array, and 16 bytes of values. The unit makes two passes."""
    unit = Unit(build(width, "DeserializationUnit", "4-skyway"), seed_of)
    unit.memory(1, 0, latency, latency)
    bench = ChunkBench(unit, interface, small(), Registry(1))
    leaves = [Object(NODE, slots=[i, None]) for i in range(100)]
    for name, make, sizes in (
        ("list", chain, (100, 4100)),
        ("references", lambda n: [array(REFERENCES, n, [leaves[i % 100] for i in range(n)])], (1000, 9000)),
        ("values", lambda n: [array(VALUES, 16 * n, [*range(4 * n)])], (256, 8192)),
    ):
        cycles = [check(bench, *clones(bench, [make(count)[0]])).cycles for count in sizes]
        slope = (cycles[1] - cycles[0]) / (sizes[1] - sizes[0])
        print(f"{name}, latency {latency}: {slope:.2f} cycles, {cycles[0]} for {sizes[0]}")
        assert slope <= RATES[name]
    unit.close()

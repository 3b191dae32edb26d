"""The sending mode (Skyway) of Cereal's serialization unit alone. What random roots of a stream add is compared with
the Python writer, with exact bytes and metadata. Also tight outputs, other streams, damaged heaps, and Cereal's
commands in between."""

import os
import random

import pytest

from heapwire.cereal import Object, objects
from heapwire.cereal.numbers import FORMAT
from heapwire.records.skyway import SKYWAY_FIRST
from heapwire.skyway.registry import Registry
from sim.unit.build import build
from sim.unit.process import MEMORY_BASE, Unit
from tests.common.random_graphs import random_graph
from tests.unit.cereal_heap import Heap, array, sized
from tests.unit.cereal_write import OUTPUT_BASE, WORK_BASE, WriteBench
from tests.unit.cereal_writing import NODE, REFERENCES, VALUES, a_heap, chain, small
from tests.unit.cereal_writing import check as check_cereal
from tests.unit.harness import shake, status_of
from tests.unit.skyway_write import Sent, SkywayBench, claimed, metadata_of

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
GUARD = 0xA5
MOST_SENT = FORMAT.graph_limit - (1 << 22)
"""Bytes that a stream may have sent before."""


@pytest.fixture(scope="module", params=["skyway"] + (["vanilla-skyway"] if FULL else []))
def skyway_program(request, width):
    return build(width, "SerializationUnit", request.param)


@pytest.fixture
def skyway(skyway_program, seed_of):
    """Returns a fresh serialization unit with the mode, pipelined or not."""
    unit = Unit(skyway_program, seed_of)
    yield unit
    unit.close()


def simple(unit: Unit, interface, instance=NODE) -> SkywayBench:
    return SkywayBench(unit, interface, small(instance), Registry(1))


def send(
    bench: SkywayBench,
    heap: Heap,
    sent: Sent,
    root: Object,
    owner: int,
    *,
    slack: int = 0,
    lead: int = 0,
    work: int = 18,
):
    """Sends a root, and checks what it adds, the bytes around it, and the heap. slack: room behind it. lead: its start
    within 16 bytes."""
    before = len(sent.image())
    base = sent.free
    new = sent.add(root)
    expected = sent.image()[before:]
    output = OUTPUT_BASE + lead
    size = -(-(lead + len(expected)) // 16) * 16 - lead + slack
    bench.unit.fill(output - 64, size + 128, GUARD)
    outcome = bench.run(heap, root, output=output, size=size, owner=owner, relative=base, work=work)
    assert status_of(bench, outcome) == "OK", hex(outcome.results[3])
    written = bench.unit.dump(output - 64, size + 128)
    assert written[64 : 64 + len(expected)] == expected
    assert set(written[:64] + written[64 + len(expected) :]) <= {GUARD}
    types = max((sent.registry.id_of(item.cls) for item in new), default=0)
    assert outcome.results == (types, len(new), base + len(expected), 0)
    assert sent.free == outcome.results[2]
    assert bench.unit.dump(heap.bound, len(heap.data)) == claimed(heap, sent.relative, owner)
    return outcome


@pytest.mark.parametrize("seed", range(300 if FULL else 10))
def test_random_streams(skyway, interface, seed):
    """Several roots of a stream share reachable objects. Streams follow each other, in the same phase or the next
    one. Some have sent much before."""
    dice = random.Random(seed)
    bench = SkywayBench.scattered(skyway, interface, dice, dice.choice([12, 24, 40]))
    for epoch in range(1, 6):
        bench.epochs(epoch)
        graph = objects(random_graph(dice, bench.registered.classes, dice.choice([1, 3, 10, 40, 150]), 300))
        stale = {
            id(item): (dice.randrange(epoch) << 16 | dice.randrange(4), dice.getrandbits(32))
            for item in graph
            if dice.random() < 0.3
        }
        heap = a_heap(
            dice, bench.registered, graph, gap=dice.choice([0, 0, 4]), shuffle=dice.random() < 0.5, metadata=stale
        )
        heap.load(skyway)
        behind = dice.choice((0, 8 * dice.randrange(MOST_SENT // 8)))
        sent, owner = Sent(bench.registry, behind), epoch << 16 | dice.randrange(1, 65536)
        lead = 0
        for root in [*dice.choices(graph, k=dice.randrange(4)), graph[0], dice.choice(graph)]:
            shake(skyway, dice)
            outcome = send(bench, heap, sent, root, owner, slack=dice.choice([0, 8, 64]), lead=lead)
            lead = outcome.results[2] % 16


def test_large_graph(skyway, interface, seed_of):
    """A random graph of a given number of objects."""
    dice = random.Random(seed_of)
    bench = SkywayBench.scattered(skyway, interface, dice, 24)
    shake(skyway, dice)
    graph = objects(random_graph(dice, bench.registered.classes, 100_000 if FULL else 3_000, 12))
    heap = a_heap(dice, bench.registered, graph, shuffle=True)
    heap.load(skyway)
    send(bench, heap, Sent(bench.registry), graph[0], 1 << 16 | 1, work=23)


def test_long_arrays(skyway, interface, seed_of):
    """Arrays of references to new objects, to known ones and to null, in any order. They have far more elements than
    words can wait."""
    dice = random.Random(seed_of)
    bench = simple(skyway, interface)
    for epoch in range(1, 40 if FULL else 6):
        bench.epochs(epoch)
        leaves = [Object(NODE, slots=[i, None]) for i in range(dice.choice([1, 40, 700]))]
        elements = [
            dice.choice([None, *[dice.choice(leaves)] * dice.choice([1, 9])])
            for _ in range(dice.choice([1, 2, 3, 64, 3001]))
        ]
        head = array(REFERENCES, len(elements), elements)
        graph = objects(head)
        heap = a_heap(dice, bench.registered, graph, shuffle=True)
        heap.load(skyway)
        shake(skyway, dice)
        send(bench, heap, Sent(bench.registry), head, epoch << 16 | 7)


@pytest.mark.parametrize("offset", range(0, 64, 8))
def test_every_alignment(skyway, interface, seed_of, offset):
    """All alignments of objects in the heap and of their destination."""
    dice = random.Random(seed_of)
    bench = simple(skyway, interface)
    owner = 1 << 16 | 1
    bench.epochs(1)
    texts = [array(VALUES, n, [dice.getrandbits(32) for _ in range(VALUES.slots(n))]) for n in range(40)]
    for text in texts:
        if text.length % 8:
            used = -(-text.length // 4)
            text.slots[used - 1] &= (1 << 8 * (text.length - 4 * (used - 1))) - 1
            text.slots[used:] = [0] * (len(text.slots) - used)
    heap = Heap(dice, bench.registered, texts, 0x4100_0000, offset=offset)
    heap.load(skyway)
    sent, lead = Sent(bench.registry), 0
    for text in texts:
        lead = send(bench, heap, sent, text, owner, lead=lead).results[2] % 16


def test_sent_before(skyway, interface):
    """A root that is already in the stream adds nothing and touches nothing."""
    bench = simple(skyway, interface)
    bench.epochs(1)
    dice, nodes = random.Random(1), chain(9)
    heap = a_heap(dice, bench.registered, nodes)
    heap.load(skyway)
    sent = Sent(bench.registry)
    for root in (nodes[4], nodes[4], nodes[6], nodes[0], nodes[8]):
        for lead in (0, 8):
            send(bench, heap, sent, root, 1 << 16 | 1, lead=lead)


def prefix(bench: SkywayBench, heap: Heap, sent: Sent, root: Object, owner: int, outcome) -> None:
    """Checks a failed command. It has claimed the first objects that the root adds, and reports their number."""
    base = sent.free
    new = sent.add(root)[: outcome.results[1]]
    assert outcome.results[2] == base + sum(map(sized, new))
    assert outcome.results[0] == max((sent.registry.id_of(item.cls) for item in new), default=0)
    known = {key: relative for key, relative in sent.relative.items() if relative < outcome.results[2]}
    assert bench.unit.dump(heap.bound, len(heap.data)) == claimed(heap, known, owner)


@pytest.mark.parametrize("seed", range(40 if FULL else 4))
def test_tight(skyway, interface, seed):
    """With too little output or work area nothing is written outside. The command reports what it claimed, so that
    software can go on from there."""
    dice = random.Random(7_000 + seed)
    bench = SkywayBench.scattered(skyway, interface, dice, 24)
    seen = set()
    for epoch in range(1, 25):
        bench.epochs(epoch)
        shake(skyway, dice)
        graph = objects(random_graph(dice, bench.registered.classes, dice.choice([5, 60, 300]), 60))
        heap = a_heap(dice, bench.registered, graph, shuffle=True)
        heap.load(skyway)
        sent, owner = Sent(bench.registry), epoch << 16 | 3
        first = dice.choice(graph)
        lead = send(bench, heap, sent, first, owner).results[2] % 16
        rest = sum(sized(item) for item in graph if id(item) not in sent.relative)
        size = dice.choice([rest, rest // 2, dice.randrange(rest + 17), rest + 16, 0]) // 8 * 8
        work = dice.choice([6, 6, 7, 20])
        output = OUTPUT_BASE + lead
        skyway.fill(output - 64, size + 128, GUARD)
        for edge in (WORK_BASE - 64, WORK_BASE + (1 << work)):
            skyway.fill(edge, 64, GUARD)
        outcome = bench.run(heap, graph[0], output=output, size=size, owner=owner, relative=sent.free, work=work)
        status = status_of(bench, outcome)
        if status == "OK":
            assert outcome.results[2] == sent.free + rest
        else:
            assert (
                status == "WORK_FULL"
                or status == "OUTPUT_FULL"
                and (output + size) // 16 * 16 < -(-(output + rest) // 16) * 16
            )
        prefix(bench, heap, sent, graph[0], owner, outcome)
        assert skyway.dump(output - 64, 64) == skyway.dump(output + size, 64) == bytes([GUARD]) * 64
        assert skyway.dump(WORK_BASE - 64, 64) == skyway.dump(WORK_BASE + (1 << work), 64) == bytes([GUARD]) * 64
        seen.add(status)
    assert len(seen) > 1


def test_other_streams(skyway, interface):
    """Marks that count: those of an open epoch, and those of another stream of this epoch unless that stream has been
    retired. A mark of a closed epoch does not count, and nothing checks marks below the oldest owner."""
    dice, bench, nodes = random.Random(5), simple(skyway, interface), chain(20)
    for epoch, mark, opened, oldest, status in (
        (10, 3 << 16 | 1, (3, 10), 4 << 16, "OK"),
        (10, 3 << 16 | 1, (3, 10), 3 << 16, "SHARED_OBJECT"),
        (11, 10 << 16 | 1, (11,), 1 << 16, "OK"),
        (12, 12 << 16 | 2, (12,), 12 << 16, "SHARED_OBJECT"),
        (12, 12 << 16 | 7, (12,), 12 << 16 | 8, "OK"),
        (12, 12 << 16 | 8, (12,), 12 << 16 | 8, "SHARED_OBJECT"),
        (12, 12 << 16 | 7, (8 << 16 | 12, 3), 1 << 16, "OK"),
        (12, 12 << 16 | 8, (3, 8 << 16 | 12), 1 << 16, "SHARED_OBJECT"),
        (12, 3 << 16 | 7, (8 << 16 | 12, 3), 1 << 16, "SHARED_OBJECT"),
        (13, 14 << 16 | 1, (1, 2, 3, 4, 5, 6, 13, 14), 1 << 16, "SHARED_OBJECT"),
        (14, 0xFFFF_0001, (14,), 1 << 16, "OK"),
        (0xFFFF, 0xFFFE_0001, (0xFFFF,), 1 << 16, "OK"),
    ):
        bench.epochs(*opened)
        bench.set("OLDEST_OWNER", oldest)
        heap = a_heap(dice, bench.registered, nodes, shuffle=True, metadata={id(nodes[11]): (mark, 12344)})
        heap.load(skyway)
        sent, owner = Sent(bench.registry), epoch << 16 | 1
        if status == "OK":
            send(bench, heap, sent, nodes[0], owner)
        else:
            outcome = bench.run(heap, nodes[0], owner=owner)
            found = status_of(bench, outcome), outcome.results[1], outcome.results[3]
            assert found == (status, 11, heap.of(nodes[11])), hex(mark)
            prefix(bench, heap, sent, nodes[0], owner, outcome)


def test_beside_cereal(skyway, interface):
    """One unit and one set of klasses. Each format knows its own classes by its own ids, whichever command came
    before."""
    dice = random.Random(6)
    bench = simple(skyway, interface)
    cereal = WriteBench(skyway, interface, bench.registered)  # makes the unit forget Skyway's classes
    nodes = chain(30)
    heap = a_heap(dice, bench.registered, nodes)
    heap.load(skyway)
    bench.epochs(1)
    refused = bench.run(heap, nodes[0], owner=1 << 16 | 1)
    assert (status_of(bench, refused), refused.results) == ("UNREGISTERED_CLASS", (0, 0, SKYWAY_FIRST, heap.bound))
    for place, cls in enumerate(bench.registered.classes):
        bench.registry.ids[cls.name] = 900 + 7 * place
        bench.registry.entries += [bench.registry.entries[place]] * (900 + 7 * place - len(bench.registry.entries))
        bench.tell(cls, 900 + 7 * place)
    for turn in range(1, 9):
        check_cereal(cereal, heap, nodes[turn], 10 * turn)
        heap.load(skyway)
        bench.epochs(10 * turn + 1)
        send(bench, heap, Sent(bench.registry), nodes[turn], (10 * turn + 1) << 16 | 1)
    only = simple(skyway, interface)
    refused = cereal.run(heap, nodes[0], size=4096, work=4096, epoch=200)
    assert status_of(cereal, refused) == "UNREGISTERED_CLASS"
    heap.load(skyway)
    only.epochs(300)
    send(only, heap, Sent(only.registry), nodes[0], 300 << 16 | 1)


def test_bad_commands(skyway, interface):
    dice, bench, nodes = random.Random(8), simple(skyway, interface), chain(5)
    heap = a_heap(dice, bench.registered, nodes)
    root = heap.of(nodes[0])
    bench.epochs(1)
    good = dict(
        root=root,
        output=OUTPUT_BASE,
        output_limit=OUTPUT_BASE + 4096,
        work=WORK_BASE | 12,
        owner=1,
        bound=heap.bound,
        limit=heap.limit,
        relative=SKYWAY_FIRST,
    )
    cases = [
        ({}, "OK"),
        ({"output": OUTPUT_BASE + 8}, "OK"),
        ({"output": OUTPUT_BASE + 4}, "BAD_ALIGNMENT"),
        ({"relative": 20}, "BAD_ALIGNMENT"),
        ({"output": OUTPUT_BASE + 8192}, "OUT_OF_BOUNDS"),
        ({"bound": heap.limit + 8}, "OUT_OF_BOUNDS"),
        ({"work": 0xFFFF_FFC0 | 7}, "OUT_OF_BOUNDS"),
        ({"work": 0xC000_0000 | 31}, "OUT_OF_BOUNDS"),
        ({"work": 0x8000_0000 | 31}, "OUT_OF_BOUNDS"),
        ({"work": WORK_BASE | 5}, "WORK_FULL"),
        ({"work": WORK_BASE | 32}, "WORK_FULL"),
        ({"work": WORK_BASE | 44}, "WORK_FULL"),
        ({"relative": 8}, "BAD_COMMAND"),
        ({"relative": 0}, "BAD_COMMAND"),
        ({"relative": 1 << 29}, "OUTPUT_FULL"),
        ({"relative": (1 << 29) - 48}, "OUTPUT_FULL"),
        ({"relative": (1 << 29) - 128}, "OK"),
        ({"relative": 1 << 31}, "OUTPUT_FULL"),
        ({"owner": 0}, "BAD_COMMAND"),
        ({"root": 0}, "BAD_OBJECT"),
        ({"root": root + 4}, "BAD_OBJECT"),
        ({"root": heap.limit - 8}, "BAD_OBJECT"),
        ({"root": heap.bound - 8}, "BAD_OBJECT"),
        ({"bound": 0, "limit": 0}, "BAD_OBJECT"),
        ({"limit": heap.limit - 1}, "BAD_OBJECT"),
        ({"output_limit": OUTPUT_BASE}, "OUTPUT_FULL"),
        ({"output_limit": OUTPUT_BASE + 119}, "OUTPUT_FULL"),
        ({"root": MEMORY_BASE - 64, "bound": 0, "limit": MEMORY_BASE}, "BUS_FAULT"),
        ({"output": 0x1000, "output_limit": 0x2000}, "BUS_FAULT"),
    ]
    for i, (change, status) in enumerate(cases):
        heap.load(skyway)
        arguments = {**good, **change}
        if arguments["owner"]:
            arguments["owner"] = (20 + i) << 16 | 1
        outcome = skyway.run(interface.operations["skyway_write_object"], list(arguments.values()))
        assert status_of(bench, outcome) == status, change
    bench.set("OLDEST_OWNER", 0xFFFF)
    outcome = bench.run(heap, nodes[0], owner=100 << 16 | 1)
    assert status_of(bench, outcome) == "BAD_COMMAND"
    bench.set("OLDEST_OWNER", 1 << 16)
    heap.load(skyway)
    send(bench, heap, Sent(bench.registry), nodes[0], 100 << 16 | 1)


@pytest.mark.parametrize("seed", range(700 if FULL else 8))
def test_damaged_heaps(skyway, interface, seed):
    """Words of objects change. The command reports an error and its place, or writes clones of what is there. It never
    hangs, and never writes elsewhere."""
    dice = random.Random(9_000 + seed)
    bench = SkywayBench.scattered(skyway, interface, dice, 24)
    seen = set()
    for epoch in range(1, 30):
        bench.epochs(epoch)
        shake(skyway, dice)
        graph = objects(random_graph(dice, bench.registered.classes, dice.choice([2, 5, 20, 60]), 100))
        heap = a_heap(dice, bench.registered, graph, gap=dice.choice([0, 4]))
        for _ in range(dice.choice([1, 1, 4, 20])):
            item = dice.choice(graph)
            at = dice.choice(
                [
                    dice.randrange(len(heap.data) // 4) * 4,
                    heap.of(item) - heap.bound + 4 * dice.randrange(6),
                    metadata_of(heap, item),
                ]
            )
            if at + 4 <= len(heap.data):
                old = int.from_bytes(heap.data[at : at + 4], "little")
                heap.data[at : at + 4] = dice.choice(
                    [
                        0,
                        old ^ 1 << dice.randrange(32),
                        dice.getrandbits(32),
                        old + 8 & 0xFFFF_FFFF,
                        heap.of(dice.choice(graph)),
                        epoch << 16 | 3,
                        epoch << 16 | 4,
                    ]
                ).to_bytes(4, "little")
        heap.load(skyway)
        size, owner = 1 << 15, epoch << 16 | 3
        for base in (OUTPUT_BASE - 64, OUTPUT_BASE + size):
            skyway.fill(base, 64, GUARD)
        outcome = bench.run(heap, graph[0], size=size, owner=owner, work=16)
        status = status_of(bench, outcome)
        assert status in ("OK", "BAD_OBJECT", "UNREGISTERED_CLASS", "SHARED_OBJECT", "OUTPUT_FULL", "WORK_FULL"), status
        assert skyway.dump(OUTPUT_BASE - 64, 64) == skyway.dump(OUTPUT_BASE + size, 64) == bytes([GUARD]) * 64
        after = skyway.dump(heap.bound, len(heap.data))
        for at in range(0, len(after), 4):
            if after[at : at + 4] != heap.data[at : at + 4]:
                assert owner.to_bytes(4, "little") in (after[at : at + 4], after[max(at - 4, 0) : at]), hex(
                    heap.bound + at
                )
        seen.add(status)
    whole = objects(random_graph(dice, bench.registered.classes, 30, 60))
    heap = a_heap(dice, bench.registered, whole)
    heap.load(skyway)
    bench.epochs(100)
    send(bench, heap, Sent(bench.registry), whole[0], 100 << 16 | 1)
    assert len(seen) > 1


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_reset(skyway, interface, seed):
    """After a reset at any time the unit works again, once software has registered its classes."""
    dice = random.Random(30_000 + seed)
    bench = SkywayBench.scattered(skyway, interface, dice, 16)
    graph = objects(random_graph(dice, bench.registered.classes, 60, 60))
    heap = a_heap(dice, bench.registered, graph)
    for epoch in range(1, 8):
        bench = SkywayBench(skyway, interface, bench.registered, bench.registry)
        bench.epochs(epoch)
        shake(skyway, dice)
        heap.load(skyway)
        bench.run(heap, graph[0], size=1 << 16, owner=epoch << 16 | 1, work=16, reset_after=dice.randrange(1, 1500))
    bench = SkywayBench(skyway, interface, bench.registered, bench.registry)
    bench.epochs(100)
    heap.load(skyway)
    send(bench, heap, Sent(bench.registry), graph[0], 100 << 16 | 1)

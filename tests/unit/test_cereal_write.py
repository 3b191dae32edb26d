"""Cereal's serialization unit alone. Random graphs against a plain model of the format, with exact bytes and metadata.
Also other marks, tight areas, damaged heaps and faults."""

import os
import random
from typing import Iterable

import pytest

from heapwire.cereal import Class, Kind, Object, objects, read, write
from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import Header
from sim.unit.build import build
from sim.unit.cereal_heap import Heap, Registered, array, bitmap, shape, sized
from sim.unit.cereal_write import KLASS_BASE, OUTPUT_BASE, OWNER, WORK_BASE, WriteBench
from sim.unit.process import MEMORY_BASE, NO_ALLOCATE, NONE, Unit
from tests.common.random_graphs import random_classes, random_graph
from tests.unit.cereal_writing import NODE, REFERENCES, TREE, VALUES, WORK, a_heap, chain, check, small
from tests.unit.harness import shake, sound

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
KEPT = 8
"""Words of a packed section that stay in the unit: keptWords of SerializationUnitParameter."""
DAMAGED = 700 if FULL else 12
"""Number of seeds, each with 29 heaps: 20,300 in the full tests."""


@pytest.fixture(scope="module", params=["skyway"] + (["", "vanilla"] if FULL else []))
def cereal_program(request, width):
    return build(width, "SerializationUnit", request.param)


@pytest.fixture
def cereal(cereal_program, seed_of):
    """Returns a fresh serialization unit, pipelined or not."""
    unit = Unit(cereal_program, seed_of)
    yield unit
    unit.close()


def some_classes(dice: random.Random, count: int) -> Registered:
    return Registered.scattered(dice, random_classes(dice, count, widest=40, reach=FORMAT.shape_slots), KLASS_BASE)


def some_graph(dice: random.Random, registered: Registered, count: int) -> list[Object]:
    """Returns the objects of a random graph, the root first."""
    return objects(random_graph(dice, registered.classes, count, 300))


@pytest.mark.parametrize("seed", range(300 if FULL else 12))
def test_random_graphs(cereal, interface, seed):
    """Commands run back to back with successive epochs. The marks of earlier commands are stale."""
    dice = random.Random(seed)
    registered = some_classes(dice, dice.choice([12, 24, 40]))
    bench = WriteBench(cereal, interface, registered, strip=bool(seed & 1))
    for epoch in range(1, 9):
        shake(cereal, dice)
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


def test_large_graph(cereal, interface, seed_of):
    """A random graph of a given number of objects."""
    dice = random.Random(seed_of)
    registered = some_classes(dice, 24)
    bench = WriteBench(cereal, interface, registered)
    shake(cereal, dice)
    graph = objects(random_graph(dice, registered.classes, 100_000 if FULL else 3_000, 12))
    check(bench, a_heap(dice, registered, graph, shuffle=True), graph[0], work=1 << 23)


def test_allocation(cereal, interface):
    """Headers, metadata and full blocks of the stream ask the shared cache not to allocate once the image has 32 KB and
    the stream 8 KB of values, but not before. A header that is read again, and what is read of an object behind its
    first 32 bytes, always asks so."""
    dice = random.Random(10)
    bench = WriteBench(cereal, interface, small())
    cereal.memory(1, 0, 20, 20)
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
def test_repeats(cereal, interface, seed_of, offset):
    """An object is numbered once, even if its header takes two reads (from offset 40 on) and the first is issued long
    before the second."""
    dice = random.Random(seed_of)
    bench = WriteBench(cereal, interface, small())
    for epoch in range(1, 300 if FULL else 60 if offset == 48 else 12):
        cereal.memory(dice.getrandbits(31), 16, 5, 60)
        graph = repeats(dice, 400)
        check(bench, a_heap(dice, bench.registered, graph, offset=offset), graph[0], epoch, work=1 << 16)


def status_of(bench: WriteBench, outcome) -> str:
    sound(outcome)
    return bench.interface.status_name(outcome.status)


def attempt(bench: WriteBench, heap: Heap, root: int, epoch: int, size: int = 1 << 16, work: int = WORK, **arguments):
    """Runs a command that may fail. Only the areas and the metadata of objects may change."""
    heap.load(bench.unit)
    for base, length in ((OUTPUT_BASE, size), (WORK_BASE, work)):
        bench.unit.fill(base - 64, 64, 0xA5)
        bench.unit.fill(base + length, 64, 0xA5)
    outcome = bench.run(root, size=size, work=work, bound=heap.bound, limit=heap.limit, epoch=epoch, **arguments)
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


@pytest.mark.parametrize("seed", range(100 if FULL else 6))
def test_tight_areas(cereal, interface, seed):
    """A too small output ends in OUTPUT_FULL at every size, and a too small work area in WORK_FULL. A command with
    enough room then works."""
    dice = random.Random(10_000 + seed)
    registered = some_classes(dice, 16)
    bench = WriteBench(cereal, interface, registered)
    graph = some_graph(dice, registered, dice.choice([1, 5, 40, 200]))
    heap = a_heap(dice, registered, graph, shuffle=True)
    need = len(write(graph[0], registered.set))
    sizes = sorted({*range(0, 128, 8), need - 16, need - 1, need, need + 1, *(dice.randrange(need) for _ in range(10))})
    for epoch, size in enumerate(sizes, 1):
        shake(cereal, dice)
        outcome = attempt(bench, heap, heap.of(graph[0]), epoch, size)
        assert status_of(bench, outcome) == ("OK" if size >= need else "OUTPUT_FULL"), (size, need)
    fitted = False
    for epoch, work in enumerate([*range(0, 1024, 64), 1024, 2048, 4096, 8192, 16384, 1 << 16], 1000):
        shake(cereal, dice)
        status = status_of(bench, attempt(bench, heap, heap.of(graph[0]), epoch, work=work))
        assert status == "OK" or not fitted and status == "WORK_FULL"
        fitted = status == "OK"
    assert fitted
    check(bench, heap, graph[0], 2000)


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
def test_damaged_heaps(cereal, interface, seed):
    """Whatever the heap contains, commands end, and read and write only where they may. They report the fault, or write
    a stream that a reader accepts."""
    dice = random.Random(20_000 + seed)
    registered = some_classes(dice, 16)
    bench = WriteBench(cereal, interface, registered)
    seen = set()
    for epoch in range(1, 30):
        shake(cereal, dice)
        heap = a_heap(
            dice, registered, some_graph(dice, registered, dice.choice([2, 5, 20, 60])), gap=dice.choice([0, 4])
        )
        for _ in range(dice.choice([1, 1, 4, 20])):
            damaged(dice, heap, epoch)
        outcome = attempt(bench, heap, heap.of(heap.graph[0]), epoch, work=1 << 16)
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


def test_sizes(cereal, interface, seed_of):
    """An array for which the image has no room ends in OUTPUT_FULL. One that does not fit into the heap is no object.
    One of half an image fits, and is not counted again in its turn.

    Memory has only the beginnings of these heaps. The unit reads no more."""
    dice = random.Random(seed_of)
    words = Class("l[]", Kind.VALUES, 3)
    registered = Registered([NODE, REFERENCES, VALUES, words], [KLASS_BASE + 32 * i for i in range(4)])
    bench = WriteBench(cereal, interface, registered)
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
        outcome = attempt(bench, heap, heap.of(graph[0]), epoch)
        assert status_of(bench, outcome) == status, (leaves, length, room)
        before, size = sum(map(sized, graph[:-1])), cls.size(length)
        if before + size < image and size <= room:
            assert outcome.results[1:] == (len(graph), before + size, 0), (leaves, length, room)
        else:
            assert outcome.results[1:] == (len(graph) - 1, before, heap.of(big)), (leaves, length, room)


def test_epochs(cereal, interface):
    """Marks of other serializations. The unit ignores those of closed ones, and a mark of an open one ends the command.
    The set of open epochs is read each time."""
    dice = random.Random(5)
    registered = small()
    bench = WriteBench(cereal, interface, registered)
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
        outcome = attempt(bench, heap, heap.of(nodes[0]), epoch)
        assert status_of(bench, outcome) == status, found
        if status != "OK":
            assert outcome.results[3] == heap.of(nodes[11]) and outcome.results[1] == 11
        else:
            check(bench, heap, nodes[0], epoch)
    bench.set("OPEN_EPOCHS", 0)
    heap = a_heap(dice, registered, nodes)
    assert status_of(bench, attempt(bench, heap, heap.of(nodes[0]), 15)) == "OK"
    heap = a_heap(dice, registered, nodes, metadata={id(nodes[0]): (99 << 16, 0)})
    assert status_of(bench, attempt(bench, heap, heap.of(nodes[0]), 16)) == "SHARED_OBJECT"


def forgotten(bench: WriteBench, many: Registered) -> None:
    """Classes are unknown once software makes the unit forget them, or after a reset, whatever was registered before
    and whichever are registered again."""
    dice, tried = random.Random(7), range(200, 264)

    def known(epoch: int) -> list[int]:
        found = []
        for i in tried:
            heap = a_heap(dice, many, [Object(many.classes[i], slots=[1, None])])
            status = status_of(bench, attempt(bench, heap, heap.bound, epoch + i))
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
    bench.run(heap.bound, size=4096, work=4096, bound=heap.bound, limit=heap.limit, epoch=4000, reset_after=20)
    bench.set("CEREAL_CLASS_SET", many.set.fingerprint)
    register([230])
    assert known(5000) == [230]


def test_classes(cereal, interface):
    """Classes that are not registered, no longer registered, or registered twice, and more classes than the table
    holds."""
    dice = random.Random(6)
    registered, nodes = small(), chain(5)
    bench = WriteBench(cereal, interface, Registered([], []))
    bench.set("CEREAL_CLASS_SET", registered.set.fingerprint)
    bench.registered = registered
    heap = a_heap(dice, registered, nodes)
    outcome = attempt(bench, heap, heap.of(nodes[0]), 1)
    assert status_of(bench, outcome) == "UNREGISTERED_CLASS" and outcome.results[3] == heap.of(nodes[0])
    registered.tell_class(cereal, interface, 9, KLASS_BASE, shape(TREE), bitmap(TREE))
    registered.tell_class(cereal, interface, 0, KLASS_BASE, shape(NODE), bitmap(NODE))
    check(bench, heap, nodes[0], 2)
    bench.set("CEREAL_MODE", FORMAT.mode_forget)
    assert status_of(bench, attempt(bench, heap, heap.of(nodes[0]), 3)) == "UNREGISTERED_CLASS"
    many = Registered(
        [Class(f"c{i}", Kind.INSTANCE, 0, (False, True)) for i in range(600)], [KLASS_BASE + 32 * i for i in range(600)]
    )
    bench = WriteBench(cereal, interface, many)
    held = 0
    for i, one in enumerate(many.classes):
        heap = a_heap(dice, many, [Object(one, slots=[1, None])])
        status = status_of(bench, attempt(bench, heap, heap.bound, 10 + i))
        assert status in ("OK", "UNREGISTERED_CLASS")
        held += status == "OK"
    assert 200 <= held <= 256
    forgotten(bench, many)
    few = Registered(many.classes[:100], list(many.klass.values())[:100])
    bench = WriteBench(cereal, interface, few)
    for i, one in enumerate(few.classes):
        item = Object(one, slots=[1, None])
        check(bench, a_heap(dice, few, [item]), item, 1000 + i)


def test_bad_commands(cereal, interface):
    dice = random.Random(8)
    registered, nodes = small(), chain(5)
    bench = WriteBench(cereal, interface, registered)
    heap = a_heap(dice, registered, nodes)
    root = heap.of(nodes[0])
    heap.load(cereal)
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
        cereal.readable(arguments["bound"], arguments["limit"])
        outcome = cereal.run(
            interface.operations["cereal_write_object"],
            list(arguments.values()),
            [
                (arguments["output"], arguments["output_limit"]),
                (arguments["work"], arguments["work_limit"]),
                (heap.bound, heap.limit),
            ],
        )
        assert status_of(bench, outcome) == status, change
    assert (
        status_of(bench, cereal.run(interface.operations["cereal_read_object"], list(good.values()), []))
        == "BAD_COMMAND"
    )
    check(bench, heap, nodes[0], 100)


def test_the_work_area_is_the_commands_own(cereal, interface):
    """Commands with and without a work area alternate, at any time. The area of an earlier command decides nothing."""
    dice = random.Random(9)
    registered = small()
    bench = WriteBench(cereal, interface, registered)
    for turn in range(24):
        nodes = chain(1 + turn)
        heap = a_heap(dice, registered, nodes)
        heap.load(cereal)
        none = bench.run(heap.of(nodes[0]), size=4096, work=0, bound=heap.bound, limit=heap.limit, epoch=1 + 2 * turn)
        sound(none)
        assert status_of(bench, none) == "WORK_FULL"
        check(bench, heap, nodes[0], 2 + 2 * turn)


def test_short_sections_stay_in_the_unit(cereal, interface, width):
    """A stream whose packed sections have at most KEPT words touches no work area. A longer one finds that this work
    area is no memory. Commands of both kinds alternate."""
    dice = random.Random(10)
    registered = small()
    bench = WriteBench(cereal, interface, registered)
    seen, kept = set(), KEPT * (16 if width == 128 else 8)
    for epoch, count in enumerate([n for few in range(6, 206, 5) for n in (few, 500 - few)], 1):
        leaf = Object(NODE, slots=[1, None])
        graph = chain(count) if count % 4 else [array(REFERENCES, count, [leaf] * count), leaf]
        heap = a_heap(dice, registered, graph)
        heap.load(cereal)
        stream = write(graph[0], registered.set)
        header = Header.unpack(stream)
        short = max(header.references, header.layouts) <= kept
        cereal.readable(heap.bound, heap.limit)
        seen.add((header.references <= kept, header.layouts <= kept))
        outcome = cereal.run(
            interface.operations["cereal_write_object"],
            [heap.of(graph[0]), OUTPUT_BASE, OUTPUT_BASE + 8192, 0x1000, 0x40000, heap.bound, heap.limit]
            + [epoch << 16 | epoch],
            [(OUTPUT_BASE, OUTPUT_BASE + 8192), (0x1000, 0x40000), (heap.bound, heap.limit)],
        )
        sound(outcome)
        assert status_of(bench, outcome) == ("OK" if short else "BUS_FAULT"), (count, header)
        if short:
            assert cereal.dump(OUTPUT_BASE, len(stream)) == stream
        check(bench, heap, graph[0], 1000 + epoch)
    assert seen >= {(True, True), (False, True), (False, False)}


def test_long_list(cereal, interface):
    dice = random.Random(7)
    registered = small()
    bench = WriteBench(cereal, interface, registered)
    nodes = chain(100_000 if FULL else 5_000)
    check(bench, a_heap(dice, registered, nodes, shuffle=True), nodes[0], work=1 << 21)


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_reset(cereal, interface, seed):
    """After a reset at any time the unit works again, once software has registered its classes."""
    dice = random.Random(30_000 + seed)
    registered = some_classes(dice, 16)
    graph = some_graph(dice, registered, 60)
    heap = a_heap(dice, registered, graph)
    for epoch in range(1, 8):
        bench = WriteBench(cereal, interface, registered)
        shake(cereal, dice)
        heap.load(cereal)
        bench.run(
            heap.of(graph[0]),
            size=1 << 16,
            work=WORK,
            bound=heap.bound,
            limit=heap.limit,
            epoch=epoch,
            reset_after=dice.randrange(1, 1500),
        )
    bench = WriteBench(cereal, interface, registered)
    check(bench, heap, graph[0], 100)

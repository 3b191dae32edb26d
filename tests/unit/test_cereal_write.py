"""Cereal's serialization unit alone: random graphs against the format by the book, bytes and metadata exactly; other marks, tight areas,
damaged heaps, faults; and how many cycles it takes."""
import os
import random

import pytest

from harness import shake, sound
from sim.unit.build import build
from sim.unit.cereal_write import (HEAP_BASE, INSTANCE, KLASS_BASE, OUTPUT_BASE, OWNER, REFERENCES, VALUES, WORK_BASE, Bench, Heap, Klass, Object, klasses,
                             numbered, stream_of)
from sim.unit.process import MEMORY_BASE, Unit

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
WORK = 1 << 18


@pytest.fixture(scope="module", params=["", "vanilla"] if FULL else [""])
def cereal_program(request, width):
    return build(width, "SerializationUnit", request.param)


@pytest.fixture
def cereal(cereal_program, seed_of):
    """A fresh serialization unit, pipelined or not."""
    unit = Unit(cereal_program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def fast(width, wide_port, seed_of):
    """One of which is told how many cycles it takes."""
    unit = Unit(build(width, "SerializationUnit"), seed_of)
    yield unit
    unit.close()


def random_objects(dice: random.Random, classes: list[Klass], count: int) -> list[Object]:
    """A graph from the first one on: null, shared and cyclic references."""
    objects = []
    for _ in range(count):
        klass = dice.choice(classes)
        item = Object(klass, mark=dice.choice([1, dice.getrandbits(25) << 7 | dice.getrandbits(4) << 3 | 1]))
        if item.is_array:
            item.length = dice.choice([0, 1, 2, 3, 5, 7, 8, 9, 16, 31, 40, 100, dice.randrange(300)])
        item.metadata = dice.choice([(0, 0), (0, dice.getrandbits(32))])
        objects.append(item)
    for i, item in enumerate(objects):
        header = 6 if item.is_array else 4
        for slot in range(item.size // 4 - header):
            if item.is_reference(slot):
                target = dice.choice([None, dice.choice(objects), objects[min(i + 1 + slot % 3, count - 1)], objects[min(i + 1, count - 1)]])
                item.slots.append(target)
            else:
                item.slots.append(dice.getrandbits(32))
        if item.is_array:
            unfilled = (item.size - 24) - (item.length << item.klass.shift)
            for byte in range(unfilled):
                at = item.size - 24 - 1 - byte
                item.slots[at // 4] &= ~(0xFF << 8 * (at % 4)) if not item.is_reference(at // 4) else 0xFFFF_FFFF
    return objects


def check(bench: Bench, heap: Heap, root: Object, epoch: int = 1, work: int = WORK, room: int | None = None):
    """Serializes, and compares the stream, what is around it, and the heap."""
    expected = stream_of(root, bench.strip)
    size = len(expected) if room is None else room
    bench.unit.fill(OUTPUT_BASE - 64, size + 128, 0xA5)
    heap.load(bench.unit)
    outcome = bench.run(root.address, size=size, work=work, bound=heap.bound, limit=heap.limit, epoch=epoch)
    sound(outcome)
    assert bench.interface.status_name(outcome.status) == "OK", (bench.interface.status_name(outcome.status), hex(outcome.results[3]))
    written = bench.unit.dump(OUTPUT_BASE - 64, size + 128)
    assert written[64:64 + len(expected)] == expected
    assert set(written[:64] + written[64 + len(expected):]) <= {0xA5}
    objects = numbered(root)
    assert outcome.results == (len(expected), len(objects), sum(item.size for item, _ in objects.values()), 0)
    assert bench.unit.dump(heap.bound, len(heap.data)) == heap.claimed(root, epoch)
    return outcome


@pytest.mark.parametrize("seed", range(300 if FULL else 12))
def test_random_graphs(cereal, interface, seed):
    """Commands back to back with successive epochs; the marks of the ones before are stale."""
    dice = random.Random(seed)
    classes = klasses(dice, dice.choice([6, 12, 40]))
    bench = Bench(cereal, interface, classes, strip=bool(seed & 1))
    for epoch in range(1, 9):
        shake(cereal, dice)
        objects = random_objects(dice, classes, dice.choice([1, 2, 3, 10, 40, 150]))
        heap = Heap(dice, objects, gap=dice.choice([0, 0, 4]), shuffle=dice.random() < 0.5, skew=8 * dice.randrange(8))
        for item in objects:
            if dice.random() < 0.3:
                item.metadata = (dice.randrange(epoch) << 16 | dice.randrange(4), dice.getrandbits(32))
                heap.put(item, dice)
        check(bench, heap, objects[0], epoch)
        heap.data = bytearray(heap.claimed(objects[0], epoch))
        check(bench, heap, dice.choice(objects), epoch + 100)


def status_of(bench: Bench, outcome) -> str:
    sound(outcome)
    return bench.interface.status_name(outcome.status)


def attempt(bench: Bench, heap: Heap, root: int, epoch: int, size: int = 1 << 16, work: int = WORK, **arguments):
    """Runs a command that may fail: nothing but the areas and the metadata of objects may change."""
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
        if before[at:at + 4] != after[at:at + 4]:
            assert owner in (after[at:at + 4], after[max(at - 4, 0):at]), hex(heap.bound + at)
    if outcome.status:
        assert outcome.results[0] == 0
    return outcome


@pytest.mark.parametrize("seed", range(100 if FULL else 6))
def test_tight_areas(cereal, interface, seed):
    """An output that is too small ends in OUTPUT_FULL, at every size; a work area in WORK_FULL. Then one that fits is as ever."""
    dice = random.Random(10_000 + seed)
    classes = klasses(dice, 12)
    bench = Bench(cereal, interface, classes)
    objects = random_objects(dice, classes, dice.choice([1, 5, 40, 200]))
    heap = Heap(dice, objects, shuffle=True)
    need = len(stream_of(objects[0]))
    sizes = sorted({*range(0, 128, 8), need - 16, need - 1, need, need + 1, *(dice.randrange(need) for _ in range(10))})
    for epoch, size in enumerate(sizes, 1):
        shake(cereal, dice)
        outcome = attempt(bench, heap, objects[0].address, epoch, size)
        assert status_of(bench, outcome) == ("OK" if size >= need else "OUTPUT_FULL"), (size, need)
    fitted = False
    for epoch, work in enumerate([*range(0, 1024, 64), 1024, 2048, 4096, 8192, 16384, 1 << 16], 1000):
        shake(cereal, dice)
        status = status_of(bench, attempt(bench, heap, objects[0].address, epoch, work=work))
        assert status == "OK" or not fitted and status == "WORK_FULL"
        fitted = status == "OK"
    assert fitted
    check(bench, heap, objects[0], 2000)


@pytest.mark.parametrize("seed", range(300 if FULL else 12))
def test_damaged_heaps(cereal, interface, seed):
    """Whatever the heap says, commands end, and read and write where they may."""
    dice = random.Random(20_000 + seed)
    classes = klasses(dice, 12)
    bench = Bench(cereal, interface, classes)
    seen = set()
    for epoch in range(1, 30):
        shake(cereal, dice)
        objects = random_objects(dice, classes, dice.choice([2, 5, 20, 60]))
        heap = Heap(dice, objects, gap=dice.choice([0, 4]), skew=8 * dice.randrange(8))
        reached = [item for item, _ in numbered(objects[0]).values()]
        for _ in range(dice.choice([1, 1, 4, 20])):
            item = dice.choice(reached)
            at = item.address - heap.bound + 4 * dice.choice([0, 1, 1, 2, 2, 3, 4, 5, dice.randrange(item.size // 4)])
            value = dice.choice([dice.getrandbits(32), dice.choice(classes).address, dice.choice(objects).address, dice.choice(objects).address + 8 * dice.randrange(-3, 4),
                                 heap.limit - dice.randrange(64), heap.bound - 8, 0xFFFF_FFF8, dice.randrange(1000), 1 << dice.randrange(32), epoch << 16 | OWNER])
            heap.data[at:at + 4] = (value & 0xFFFF_FFFF).to_bytes(4, "little")
        outcome = attempt(bench, heap, objects[0].address, epoch, work=1 << 16)
        status = status_of(bench, outcome)
        assert status in ("OK", "BAD_OBJECT", "UNREGISTERED_CLASS", "SHARED_OBJECT", "OUTPUT_FULL", "WORK_FULL"), status
        if status in ("BAD_OBJECT", "UNREGISTERED_CLASS", "SHARED_OBJECT"):
            assert outcome.results[3] != 0
        seen.add(status)
    whole = random_objects(dice, classes, 50)
    check(bench, Heap(dice, whole), whole[0], 100)
    assert len(seen) > 1


def test_epochs(cereal, interface):
    """Marks of other serializations: closed ones are nobody's, open ones end the command; what is open is read each time."""
    dice = random.Random(5)
    node = small()[0]
    bench = Bench(cereal, interface, small())
    nodes = chain(node, 20)
    for epoch, found, opened, status in ((10, 3, (3, 10), "OK"), (11, 12, (11,), "OK"), (12, 13, (12, 13), "SHARED_OBJECT"), (13, 14, (1, 2, 3, 4, 5, 6, 13, 14), "SHARED_OBJECT"),
                                         (14, 0xFFFF, (14,), "OK"), (0xFFFF, 0xFFFE, (0xFFFF,), "OK")):
        bench.epochs(*opened)
        nodes[11].metadata = (found << 16 | 7, 12345)
        heap = Heap(dice, nodes, shuffle=True)
        outcome = attempt(bench, heap, nodes[0].address, epoch)
        assert status_of(bench, outcome) == status, found
        if status != "OK":
            assert outcome.results[3] == nodes[11].address and outcome.results[1] == 11
        else:
            check(bench, heap, nodes[0], epoch)
    bench.set("OPEN_EPOCHS", 0)
    assert status_of(bench, attempt(bench, Heap(dice, chain(node, 3)), nodes[0].address, 15)) in ("OK", "BAD_OBJECT")
    nodes[0].metadata = (99 << 16, 0)
    assert status_of(bench, attempt(bench, Heap(dice, nodes), nodes[0].address, 16)) == "SHARED_OBJECT"


def test_classes(cereal, interface):
    """What is not registered, any more, or twice; more than the table holds."""
    dice = random.Random(6)
    bench = Bench(cereal, interface, [])
    nodes = chain(small()[0], 5)
    heap = Heap(dice, nodes)
    outcome = attempt(bench, heap, nodes[0].address, 1)
    assert status_of(bench, outcome) == "UNREGISTERED_CLASS" and outcome.results[3] == nodes[0].address
    bench.register(Klass(9, KLASS_BASE, INSTANCE, 32, 0, 1))
    bench.register(small()[0])
    check(bench, heap, nodes[0], 2)
    bench.set("CEREAL_MODE", 2)
    assert status_of(bench, attempt(bench, heap, nodes[0].address, 3)) == "UNREGISTERED_CLASS"
    many = [Klass(i, KLASS_BASE + 32 * i, INSTANCE, 24, 0, 2) for i in range(600)]
    for klass in many:
        bench.register(klass)
    held = 0
    for i, klass in enumerate(many):
        heap = Heap(dice, [Object(klass, slots=[1, None])])
        status = status_of(bench, attempt(bench, heap, heap.bound, 10 + i))
        assert status in ("OK", "UNREGISTERED_CLASS")
        held += status == "OK"
    assert 200 <= held <= 256
    bench.set("CEREAL_MODE", 2)
    for klass in many[:100]:
        bench.register(klass)
    for i, klass in enumerate(many[:100]):
        check(bench, Heap(dice, [Object(klass, slots=[1, None])]), Object(klass, slots=[1, None], address=HEAP_BASE), 1000 + i)


def test_bad_commands(cereal, interface):
    dice = random.Random(8)
    bench = Bench(cereal, interface, small())
    nodes = chain(small()[0], 5)
    heap = Heap(dice, nodes)
    heap.load(cereal)
    good = dict(root=nodes[0].address, output=OUTPUT_BASE, output_limit=OUTPUT_BASE + 4096, work=WORK_BASE, work_limit=WORK_BASE + 4096, bound=heap.bound,
                limit=heap.limit, mode=7 << 16 | 7)
    cases = [({}, "OK"), ({"output": OUTPUT_BASE + 8}, "BAD_ALIGNMENT"), ({"work": WORK_BASE + 32}, "BAD_ALIGNMENT"), ({"work_limit": WORK_BASE + 4000}, "BAD_ALIGNMENT"),
             ({"output": OUTPUT_BASE + 8192}, "OUT_OF_BOUNDS"), ({"bound": heap.limit + 8}, "OUT_OF_BOUNDS"), ({"work": WORK_BASE + 8192}, "OUT_OF_BOUNDS"),
             ({"mode": 0}, "BAD_COMMAND"), ({"mode": 7 << 16 | 8}, "BAD_COMMAND"), ({"root": 0}, "BAD_OBJECT"),
             ({"root": nodes[0].address + 4}, "BAD_OBJECT"), ({"root": heap.limit - 8}, "BAD_OBJECT"), ({"root": heap.bound - 8}, "BAD_OBJECT"),
             ({"bound": 0, "limit": 0}, "BAD_OBJECT"), ({"limit": heap.limit - 1}, "BAD_OBJECT"), ({"output_limit": OUTPUT_BASE + 31}, "OUTPUT_FULL"),
             ({"work_limit": WORK_BASE}, "WORK_FULL"),
             ({"root": MEMORY_BASE - 64, "bound": 0, "limit": MEMORY_BASE}, "BUS_FAULT"), ({"output": 0x1000, "output_limit": 0x2000}, "BUS_FAULT"),
             ({"work": 0x1000, "work_limit": 0x2000}, "BUS_FAULT")]
    for i, (change, status) in enumerate(cases):
        arguments = {**good, "mode": (20 + i) << 16 | (20 + i), **change}
        cereal.readable(arguments["bound"], arguments["limit"])
        outcome = cereal.run(0x20, list(arguments.values()), [(arguments["output"], arguments["output_limit"]), (arguments["work"], arguments["work_limit"]),
                                                              (heap.bound, heap.limit)])
        assert status_of(bench, outcome) == status, change
    assert status_of(bench, cereal.run(0x21, list(good.values()), [])) == "BAD_COMMAND"
    check(bench, heap, nodes[0], 100)


def small(kind_of=(16 + 8, 0b10)) -> list[Klass]:
    size, references = kind_of
    return [Klass(0, KLASS_BASE, INSTANCE, size, 0, references), Klass(1, KLASS_BASE + 32, REFERENCES, 0, 2),
            Klass(2, KLASS_BASE + 64, VALUES, 0, 0)]


def chain(klass: Klass, count: int) -> list[Object]:
    """A list: the second field leads to the next node."""
    nodes = [Object(klass) for _ in range(count)]
    for i, node in enumerate(nodes):
        node.slots = [i, nodes[i + 1] if i + 1 < count else None]
    return nodes


def test_long_list(cereal, interface):
    dice = random.Random(7)
    bench = Bench(cereal, interface, small())
    nodes = chain(small()[0], 100_000 if FULL else 5_000)
    heap = Heap(dice, nodes, shuffle=True)
    check(bench, heap, nodes[0], work=1 << 21)


def slope(bench: Bench, make, sizes, **layout) -> float:
    """Cycles that one more of what `make` makes takes."""
    cycles = []
    for epoch, count in enumerate(sizes, 1):
        objects = make(count)
        heap = Heap(random.Random(count), objects, **layout)
        cycles.append(check(bench, heap, objects[0], epoch, work=1 << 20).cycles)
    return (cycles[-1] - cycles[0]) / (sizes[-1] - sizes[0])


def tree(klass: Klass, count: int) -> list[Object]:
    nodes = [Object(klass) for _ in range(count)]
    for i, node in enumerate(nodes):
        node.slots = [i] + [nodes[k] if k < count else None for k in (2 * i + 1, 2 * i + 2)] + [0]
    return nodes


def fan(count: int) -> list[Object]:
    """An array of references to distinct objects of 24 bytes."""
    node, references, _ = small()
    leaves = [Object(node, slots=[i, None]) for i in range(count)]
    return [Object(references, length=count, slots=leaves + [0] * (count % 2))] + leaves


def hub(count: int) -> list[Object]:
    """An array of references to a hundred objects, over and over."""
    objects = fan(100)
    items = [objects[1 + i % 100] for i in range(count)]
    return [Object(objects[0].klass, length=count, slots=items + [0] * (count % 2))] + objects[1:]


def bytes_array(count: int) -> list[Object]:
    return [Object(small()[2], length=16 * count, slots=[i for i in range(4 * count)])]


@pytest.mark.parametrize("seed", range(40 if FULL else 3))
def test_reset(cereal, interface, seed):
    """After a reset at any time it works as ever, once software has told it its classes."""
    dice = random.Random(30_000 + seed)
    classes = klasses(dice, 12)
    objects = random_objects(dice, classes, 60)
    heap = Heap(dice, objects)
    for epoch in range(1, 8):
        bench = Bench(cereal, interface, classes)
        shake(cereal, dice)
        heap.load(cereal)
        bench.run(objects[0].address, size=1 << 16, work=WORK, bound=heap.bound, limit=heap.limit, epoch=epoch, reset_after=dice.randrange(1, 1500))
    bench = Bench(cereal, interface, classes)
    check(bench, heap, objects[0], 100)


@pytest.mark.parametrize("name, make, sizes, bar, layout", [
    ("list", lambda n: chain(small()[0], n), (100, 1100), 30, {}),
    ("list scattered", lambda n: chain(small()[0], n), (100, 1100), 30, {"shuffle": True}),
    ("tree", lambda n: tree(Klass(0, KLASS_BASE, INSTANCE, 32, 0, 0b110), n), (127, 1023), 10, {}),
    ("tree scattered", lambda n: tree(Klass(0, KLASS_BASE, INSTANCE, 32, 0, 0b110), n), (127, 1023), 10, {"shuffle": True, "gap": 2}),
    ("references to new objects", fan, (100, 1100), 8, {}),
    ("references to new objects, scattered", fan, (100, 1100), 8, {"shuffle": True}),
    ("references to known objects", hub, (1000, 3000), 3, {}),
    ("values, cycles a 16 bytes", bytes_array, (256, 4096), 1.25, {}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_cycles(fast, interface, name, make, sizes, bar, layout):
    classes = small()
    if name.startswith("tree"):
        classes[0] = Klass(0, KLASS_BASE, INSTANCE, 32, 0, 0b110)
    bench = Bench(fast, interface, classes)
    fast.memory(1, 0, 20, 20)
    cycles = slope(bench, make, sizes, **layout)
    print(f"{name}: {cycles:.2f} cycles")
    assert cycles <= bar


def test_fixed_cost(fast, interface):
    bench = Bench(fast, interface, small())
    fast.memory(1, 0, 20, 20)
    for name, objects in {"array of 9": fan(9), "list of 10": chain(small()[0], 10), "one": chain(small()[0], 1)}.items():
        cycles = check(bench, Heap(random.Random(1), objects), objects[0], len(objects)).cycles
        print(f"{name}: {cycles} cycles")
        assert cycles <= (450 if "list" in name else 300)

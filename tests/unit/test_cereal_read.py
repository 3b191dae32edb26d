"""Cereal's deserialization unit against the Python reader: whole streams, changed ones, and their cost."""

import os
import random
import struct
from typing import Iterable

import pytest

from heapwire.cereal import CerealError, Class, Kind, Object, objects, read, write
from heapwire.cereal.numbers import FORMAT
from sim.unit.build import build
from sim.unit.process import MEMORY_BASE, MEMORY_SIZE, NO_ALLOCATE, NONE, Unit
from tests.common.cereal_damage import mutate, shortened, wrapping
from tests.common.random_graphs import random_classes, random_graph
from tests.unit.cereal_heap import Registered, array, bitmap, image, instances, shape
from tests.unit.cereal_read import IMAGE_BASE, INPUT_BASE, WORK_BASE, ReadBench
from tests.unit.harness import shake, sound, status_of

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
MARK, KLASS_BASE = 0x0000_0001, 0x4000_4000
SHAPES = [(128, "4-skyway"), (128, "vanilla"), (64, "small"), (32, "1")] + (
    [(128, "4"), (64, "4"), (64, "vanilla"), (32, "vanilla")] if FULL else []
)
GRAPHS, MUTATIONS, RESETS = (3000, 20000, 400) if FULL else (150, 1500, 20)
LARGEST = 100_000 if FULL else 9_000

LIST, TREE = instances((0, 1), (0, 0, 1, 1))
REFERENCES, VALUES = Class("R[]", Kind.REFERENCES, 2), Class("i[]", Kind.VALUES, 2)
SHAPED = Registered([LIST, TREE, REFERENCES, VALUES], [KLASS_BASE + 64 * i for i in range(4)])


@pytest.fixture(scope="session", params=SHAPES, ids=lambda each: "-".join(map(str, each)))
def cereal_program(request):
    """Builds the unit over ports of all widths, with 1, 2 and 4 reconstructors, without pipelining, and with small
    tables."""
    return build(request.param[0], "DeserializationUnit", request.param[1])


@pytest.fixture
def bench(cereal_program, interface, seed_of):
    unit = Unit(cereal_program, seed_of)
    yield ReadBench(unit, interface, MARK)
    unit.close()


def some_classes(dice: random.Random) -> Registered:
    """Returns classes that a unit can describe, and for which a unit with small tables has room."""
    return Registered.scattered(dice, random_classes(dice, 24, widest=40, reach=FORMAT.shape_slots), KLASS_BASE)


def expected(bench: ReadBench, stream: bytes, registered: Registered) -> tuple[bytes, int]:
    """Returns the image and the stream's length. Raises CerealError."""
    found = read(stream, registered.set)
    return image(found.objects, registered, bench.image, bench.mark if found.header.stripped else None), found.length


def check(
    bench: ReadBench, stream: bytes, registered: Registered, skew=(0, 0), room=1 << 17, work=0, behind=b""
) -> None:
    """Checks that the unit makes the image that the stream describes."""
    outcome = bench.run(stream + behind, room=room, work=work, skew=skew)
    sound(outcome)
    whole, total = expected(bench, stream, registered)
    assert outcome.status == 0, f"status {outcome.status} at {outcome.results[3]:#x} of {total:#x}"
    assert outcome.results[:3] == (bench.image, bench.image + len(whole), total)
    assert bench.objects(outcome) == whole


def skews(dice: random.Random) -> tuple[int, int]:
    return 16 * dice.randrange(8), 16 * dice.randrange(8)


def test_random_graphs(bench, seed_of):
    """The commands run back to back."""
    dice = random.Random(seed_of)
    for i in range(GRAPHS):
        if i % 10 == 0:
            registered = some_classes(dice)
            bench.register(registered)
        shake(bench.unit, dice)
        graph = random_graph(dice, registered.classes, dice.choice([1, 2, 5, 20, 100, 300]), dice.choice([5, 40, 400]))
        size = sum(item.cls.size(item.length) for item in objects(graph))
        check(
            bench,
            write(graph, registered.set, bool(dice.getrandbits(1))),
            registered,
            skews(dice),
            size,
            64 * -(-size // 4096),
            dice.randbytes(dice.choice([0, 1, 70])),
        )


def judged(bench: ReadBench, stream: bytes, registered: Registered, room: int, work: int, skew=(0, 0)) -> bool:
    """Checks that the unit accepts or refuses the stream as the Python reader does. Returns whether it accepts."""
    outcome = bench.run(stream, room=room, work=work, skew=skew)
    sound(outcome)
    if outcome.status:
        assert outcome.results[0] == 0 and outcome.results[1] == bench.image and outcome.results[3] <= len(stream) + 32
    try:
        whole, total = expected(bench, stream, registered)
    except CerealError as reason:
        assert outcome.status != 0, f"taken in spite of: {reason}"
        return False
    if len(whole) > room:
        assert outcome.status == bench.interface.status["FIXED_ARENA_FULL"]
        return False
    assert outcome.status == 0, f"refused: {outcome}"
    assert bench.objects(outcome) == whole and outcome.results[2] == total
    return True


def test_mutations(bench, seed_of):
    """The unit accepts or refuses as the Python reader does, nothing hangs, nothing else is written, and the next
    command works."""
    dice = random.Random(seed_of)
    accepted = 0
    for i in range(MUTATIONS):
        if i % 20 == 0:
            registered = some_classes(dice)
            bench.register(registered)
            streams = [
                write(
                    random_graph(dice, registered.classes, dice.choice([1, 2, 6, 30]), dice.choice([3, 30])),
                    registered.set,
                    bool(dice.getrandbits(1)),
                )
                for _ in range(4)
            ]
        shake(bench.unit, dice)
        accepted += judged(
            bench, mutate(dice, dice.choice(streams)), registered, dice.choice([1 << 14, 1 << 14, 64]), 256, skews(dice)
        )
    assert 0 < accepted < MUTATIONS / 2


def far_graph(dice: random.Random, count: int) -> Object:
    """Returns a graph larger than the unit's map on the chip. References lead everywhere."""
    nodes = [Object(TREE, slots=[i, 0, None, None]) for i in range(count)]
    for i, node in enumerate(nodes):
        node.slots[2:] = [nodes[(i + 1) % count], dice.choice(nodes)]
    return nodes[0]


def test_image_beyond_the_map(bench, seed_of):
    """The map of the image goes to the work area, and references are checked against it. Without room for the map the
    command fails."""
    dice = random.Random(seed_of)
    bench.register(SHAPED)
    shake(bench.unit, dice)
    stream = write(far_graph(dice, 9000), SHAPED.set)
    size = 9000 * TREE.size()
    work = -(-size // 4096) * 64
    check(bench, stream, SHAPED, skews(dice), size, work)
    outcome = bench.run(stream, room=size, work=work - 64)
    assert status_of(bench, outcome) == "WORK_FULL"
    values, references = struct.unpack_from("<II", stream, FORMAT.header_values)
    for _ in range(20 if FULL else 5):
        changed = bytearray(stream)
        while True:  # change a reference so that it no longer leads to an object's start
            place = FORMAT.header_size + values + dice.randrange(references - FORMAT.alignment)
            if place % FORMAT.packet_bytes and stream[place] not in (0, 0x80):
                changed[place] ^= 0x40
                break
        outcome = bench.run(bytes(changed), room=size, work=work)
        sound(outcome)
        try:
            read(bytes(changed), SHAPED.set)
        except CerealError:
            assert outcome.status == bench.interface.status["BAD_REFERENCE"]
        else:
            assert outcome.status == 0
    check(bench, write(linked(dice, "list", 5), SHAPED.set), SHAPED)


def test_allocation(bench):
    """Everything asks the shared cache not to allocate, in small graphs, too. Only reads of the map in the work area do
    not: many references lead to one block of it."""
    bench.register(SHAPED)
    bench.unit.memory(1, 0, 20, 20)
    for count in (20, 9000):
        size = count * TREE.size()
        stream = write(far_graph(random.Random(1), count), SHAPED.set)
        outcome = bench.run(stream, room=size, work=-(-size // 4096) * 64)
        sound(outcome)
        assert outcome.status == 0
        for name, gets in outcome.gets.items():
            assert gets[NONE if name == "starts" else NO_ALLOCATE] == sum(gets), (name, gets)
        for name, puts in outcome.puts.items():
            assert puts[NO_ALLOCATE] == sum(puts), (name, puts)
    for count in (outcome.gets["values"], outcome.gets["starts"], outcome.puts["written"], outcome.puts["objects"]):
        assert sum(count) > 0


@pytest.mark.parametrize("cereal_program", [(64, "small")], indirect=True, ids=["64-small"])
class TestErrorsBeyondTheMap:
    """Damaged streams, where the unit reads its map of object starts from memory. This unit has the map of 16 KB of
    image on its chip."""

    def test_references_that_end(self, bench, seed_of):
        """The last reference leads far, and comes so late that all other work is done. Its request must not be under
        way when the command ends. Otherwise the next command would take the answer for its own."""
        dice = random.Random(seed_of)
        bench.register(SHAPED)
        leaf = Object(TREE, slots=[7, 0, None, None])
        for count in range(4096, 4160, 2):
            stream = write(array(REFERENCES, count, [None] * (count - 2) + [leaf, leaf]), SHAPED.set)
            (values,) = struct.unpack_from("<I", stream, FORMAT.header_values)
            bench.unit.late(
                INPUT_BASE + FORMAT.header_size + values + (count - 2) // FORMAT.packet_buckets * FORMAT.packet_bytes,
                400,
            )
            for hollow in (False, True):
                bench.unit.memory(dice.getrandbits(31), 0, 20, 20)
                assert not judged(bench, shortened(stream, 2, hollow), SHAPED, 1 << 15, 1 << 9), (count, hollow)
        check(bench, stream, SHAPED, work=1 << 9)

    def test_mutations(self, bench, seed_of):
        dice = random.Random(seed_of)
        bench.register(SHAPED)
        streams = [write(far_graph(dice, 560 + 40 * i), SHAPED.set, bool(i & 1)) for i in range(3)]
        accepted = 0
        for i in range(MUTATIONS // 10):
            shake(bench.unit, dice)
            stream = bytearray(dice.choice(streams))
            if dice.random() < 0.5:
                values, references = struct.unpack_from("<II", stream, FORMAT.header_values)
                stream[FORMAT.header_size + values + dice.randrange(references)] ^= 1 << dice.randrange(8)
            else:
                stream = mutate(dice, bytes(stream))
            accepted += judged(bench, bytes(stream), SHAPED, 1 << 15, 1 << 10)
        assert 0 < accepted < MUTATIONS / 20


def test_large_graph(bench, seed_of):
    """A random graph of a given number of objects, of few classes and of many."""
    dice = random.Random(seed_of)
    registered = some_classes(dice)
    bench.register(registered)
    shake(bench.unit, dice)
    graph = random_graph(dice, registered.classes, LARGEST, 12)
    size = sum(item.cls.size(item.length) for item in objects(graph))
    check(bench, write(graph, registered.set), registered, skews(dice), size, 64 * -(-size // 4096))
    bench.register(SHAPED)
    size = LARGEST * TREE.size()
    check(bench, write(far_graph(dice, LARGEST), SHAPED.set, True), SHAPED, skews(dice), size, 64 * -(-size // 4096))


def test_commands_that_cannot_be(bench):
    """Each command ends with its status, and the next one works."""
    unit = bench.unit
    bench.register(SHAPED)
    stream = write(linked(random.Random(1), "tree", 20), SHAPED.set)
    size = 20 * TREE.size()
    for name, arguments in [
        ("BAD_ALIGNMENT", dict(skew=(8, 0))),
        ("BAD_ALIGNMENT", dict(skew=(0, 8))),
        ("BAD_STREAM", dict(length=31)),
        ("BAD_STREAM", dict(length=len(stream) - 1)),
        ("OUT_OF_BOUNDS", dict(skew=(0x1_0000_0000 - 16 - INPUT_BASE, 0), load=False)),
        ("FIXED_ARENA_FULL", dict(room=size - 8)),
        ("BUS_FAULT", dict(skew=(0x3000_0000, 0), load=False)),
        ("OK", {}),
    ]:
        outcome = bench.run(stream, **{"room": size, **arguments})
        assert status_of(bench, outcome) == name, (name, outcome)
    assert unit.run(bench.interface.operations["copy"], []).status == bench.interface.status["BAD_COMMAND"]
    operation = bench.interface.operations["cereal_read_object"]
    # Of the second image only the last block is no memory.
    for arena in (0x3000_0000, MEMORY_BASE + MEMORY_SIZE - (size - 64)):
        outcome = unit.run(operation, [INPUT_BASE, len(stream), arena, arena + size])
        assert status_of(bench, outcome) == "BUS_FAULT"
    outcome = unit.run(
        operation, [INPUT_BASE, len(stream), IMAGE_BASE, IMAGE_BASE + size, WORK_BASE + 32, WORK_BASE + 64]
    )
    assert status_of(bench, outcome) == "BAD_ALIGNMENT"
    check(bench, stream, SHAPED, room=size)


def test_sizes_whose_sum_wraps(bench):
    """Nothing is read behind the stream's end."""
    bench.register(SHAPED)
    for stream in wrapping(write(linked(random.Random(1), "tree", 20), SHAPED.set)):
        outcome = bench.run(stream, room=1 << 12)
        assert (status_of(bench, outcome), outcome.results[3]) == ("BAD_STREAM", FORMAT.header_graph)


def test_reset(bench, seed_of):
    """After a reset at any time the unit works again, once software has registered its classes."""
    dice = random.Random(seed_of)
    for _ in range(RESETS):
        registered = some_classes(dice)
        bench.register(registered)
        shake(bench.unit, dice)
        graph = random_graph(dice, registered.classes, dice.choice([5, 60]), 40)
        stream = write(graph, registered.set)
        bench.run(stream, room=1 << 17, work=1 << 11, skew=skews(dice), reset_after=dice.randrange(1, 1200))
        bench.register(registered)
        bench.set("MARK_PROTOTYPE", MARK)
        check(bench, write(graph, registered.set, bool(dice.getrandbits(1))), registered, skews(dice), work=1 << 11)


def test_classes_left_to_software(bench):
    """Ids beyond the table's capacity, and classes that are registered as larger than the table can describe."""
    many = Registered(
        [Class(f"c{i}", Kind.INSTANCE, 0, (True, True)) for i in range(300)], [KLASS_BASE + 64 * i for i in range(300)]
    )
    bench.register(many)
    leaf = Object(many.classes[290], slots=[None, None])
    for root in (leaf, Object(many.classes[3], slots=[leaf, None])):
        outcome = bench.run(write(root, many.set), room=4096)
        assert status_of(bench, outcome) == "UNSUPPORTED"
    check(bench, write(Object(many.classes[3], slots=[None, None]), many.set), many)
    bench.set("CEREAL_MODE", FORMAT.mode_forget)
    for i, one in enumerate(many.classes[:2]):
        many.tell_class(
            bench.unit,
            bench.interface,
            i,
            many.klass[one],
            shape(one) if i else FORMAT.kind_elsewhere << FORMAT.shape_kind_bit,
            bitmap(one),
        )
    for place, name in ((0, "UNSUPPORTED"), (1, "OK"), (2, "BAD_VALUE")):
        outcome = bench.run(write(Object(many.classes[place], slots=[None, None]), many.set), room=4096)
        assert status_of(bench, outcome) == name


def test_forgotten_classes(bench):
    """Classes are unknown once software makes the unit forget them, or after a reset, whatever was registered before
    and whichever are registered again."""
    many = Registered(
        [Class(f"c{i}", Kind.INSTANCE, 0, (False, True)) for i in range(32)], [KLASS_BASE + 64 * i for i in range(32)]
    )
    dice = random.Random(7)

    def known() -> list[int]:
        streams = [write(Object(one, slots=[1, None]), many.set) for one in many.classes]
        return [i for i, stream in enumerate(streams) if bench.run(stream, room=4096).status == OK]

    def register(places: Iterable[int]) -> None:
        for i in places:
            one = many.classes[i]
            many.tell_class(bench.unit, bench.interface, i, many.klass[one], shape(one), bitmap(one))

    OK = bench.interface.status["OK"]
    bench.register(many)
    assert known() == list(range(32))
    for _ in range(3):
        some = sorted(dice.sample(range(32), 5))
        bench.set("CEREAL_MODE", FORMAT.mode_forget)
        register(some)
        assert known() == some
        more = sorted(dice.sample(range(32), 5))
        register(more)
        assert known() == sorted({*some, *more})
    register(range(32))
    bench.set("CEREAL_MODE", FORMAT.mode_forget)
    assert known() == []
    register(range(32))
    bench.run(write(Object(many.classes[0], slots=[1, None]), many.set), room=4096, reset_after=20)
    bench.set("CEREAL_CLASS_SET", many.set.fingerprint)
    register([9])
    assert known() == [9]


def linked(dice: random.Random, kind: str, count: int) -> Object:
    """Returns a graph of one shape: list or tree nodes, an array of references or one of values."""
    if kind == "array":
        return array(VALUES, count, [dice.getrandbits(32) for _ in range(count)])
    if kind == "references":
        nodes = [Object(LIST, slots=[i, None]) for i in range(64)]
        return array(REFERENCES, count, [dice.choice(nodes) for _ in range(count)])
    tree = kind == "tree"
    nodes = [Object(TREE, slots=[i, 0, None, None]) if tree else Object(LIST, slots=[i, None]) for i in range(count)]
    for i, node in enumerate(nodes):
        if tree:
            node.slots[2:] = [nodes[k] if k < count else None for k in (2 * i + 1, 2 * i + 2)]
        elif i + 1 < count:
            node.slots[1] = nodes[i + 1]
    return nodes[0]


SIZES = {"list": (200, 2200), "tree": (200, 2200), "references": (1000, 9000), "array": (2000, 18000)}


def slope(bench: ReadBench, kind: str, strip: bool = False) -> float:
    """Returns the cycles per element over an ideal memory."""
    dice, cycles = random.Random(1), []
    bench.register(SHAPED)
    bench.unit.memory(1, 0, 20, 20)
    for count in SIZES[kind]:
        outcome = bench.run(write(linked(dice, kind, count), SHAPED.set, strip), room=1 << 18)
        sound(outcome)
        assert outcome.status == 0, outcome
        cycles.append(outcome.cycles)
    return (cycles[1] - cycles[0]) / (SIZES[kind][1] - SIZES[kind][0])


@pytest.mark.parametrize("cereal_program", [(128, "4")], indirect=True, ids=["128-4"])
class TestRate:
    """The promised rates with a port of 128 bits and four reconstructors."""

    # Two references a cycle, plus the time in which the scanner gains the lead that backward references need.
    @pytest.mark.parametrize(
        "kind, own, shared", [("list", 1.6, 2), ("tree", 2.2, 2.6), ("references", 0.52, 0.53), ("array", 0.26, 0.34)]
    )
    def test_slope(self, bench, kind, own, shared):
        """Each master has its own bus, or all share one. On a shared bus acknowledgements and both passes over the
        layouts take beats."""
        for one, most in ((False, own), (True, shared)):
            bench.unit.shared(one)
            cost = slope(bench, kind)
            print(f"{kind}: {cost:.3f} cycles an element")
            assert cost <= most

    def test_small_graph(self, bench):
        bench.register(SHAPED)
        bench.unit.memory(1, 0, 20, 20)
        outcome = bench.run(write(linked(random.Random(1), "tree", 10), SHAPED.set), room=1 << 12)
        assert outcome.status == 0 and outcome.cycles < 150, outcome

"""C on the host, under ASan and UBSan, against the independent reader and writer in Python."""

from random import Random

import pytest
from clusters import cluster, numbered, some_classes, some_roots
from node import HOLDER, REGISTRY, Node, held

from heapwire.cereal import Class, Kind, Object, difference
from heapwire.skyway import Header, SkywayError, read, write
from heapwire.skyway.stream import HEAD
from tests.common.skyway_damage import mutate

GRAPHS, FULL_GRAPHS = 64, 4000
MUTATIONS, FULL_MUTATIONS = 500, 10000
BATCH = 32
NODE = Class("Node", Kind.INSTANCE, 0, (False, True))


def batches(seed, count):
    """Yields, for each batch, a random number generator and the number of its cases."""
    for first in range(0, count, BATCH):
        yield Random(f"{seed} {first}"), min(BATCH, count - first)


@pytest.mark.parametrize("stress", [False, True], ids=["", "stress"])
def test_random_graphs(programs, status, full, seed, stress):
    """Buffers of several roots. Python writes the same bytes, and Python and C read the same graphs. Under stress every
    allocation collects."""
    count = (FULL_GRAPHS if full else GRAPHS) // (8 if stress else 1)
    for random, part in batches(seed, count):
        classes = some_classes(random)
        with Node(programs / "node") as node:
            registry = numbered(node, classes)
            node.heap(stress)
            node.open(buffer=4 << 20)
            for phase in range(1, part + 1):
                roots = some_roots(random, classes, 60 if stress else 300)
                node.build(held(roots))
                assert node.phase() == status["OK"]
                for i in range(len(roots)):
                    assert node.write(i) == status["OK"]
                assert node.finish() == status["OK"]
                outcome, stream, aborts = node.taken()
                assert (outcome, aborts) == (status["OK"], 0)
                assert stream == write(roots, registry, Header(REGISTRY, 0, phase, 1))
                assert difference(held(read(stream, registry).roots), held(roots)) is None
                found = node.read(stream, random.choice((1, 7, 64, 1000, 1 << 30)), random.choice((0, 0, 1, 5)))
                assert (found.status, found.roots, found.buffers) == (status["END"], len(roots), 1), found
                assert difference(node.describe(), held(roots)) is None
                node.free(found.buffer)
                node.collect(random.random() < 0.3)
                assert difference(node.describe(), held(roots)) is None


def test_small_buffers(programs, status, full, seed):
    """Output buffers are far smaller than the graph and its arrays, input pieces and chunks have all sizes, and
    collections come every few sends and fetches. Objects move while they are sent, and the graphs stay the same.

    Objects that are larger than a buffer are sent in parts. Queues of two slots and more send the same graphs."""
    for random, part in batches(seed, 1000 if full else 24):
        with Node(programs / "node") as node:
            classes, registry, graphs = cluster(node, random, 200, part)
            for roots in graphs:
                node.open(
                    0,
                    8 * random.choice((16, 17, 20, 31, 64, 200, 1000)),
                    random.choice((16, 32, 100, 1 << 18)),
                    random.choice((0, 1, 2, 7)),
                )
                node.limits(8 * random.choice((1, 3, 50, 512, 2048, 2049, 5000)))
                node.build(held(roots))
                assert node.phase() == status["OK"]
                for i in range(len(roots)):
                    assert node.write(i) == status["OK"]
                    if random.random() < 0.3:
                        assert node.flush() == status["OK"]
                    if random.random() < 0.3:
                        node.collect(random.random() < 0.2)
                assert node.finish() == status["OK"]
                outcome, stream, _ = node.taken()
                assert outcome == status["OK"]
                assert difference(held(read(stream, registry).roots), held(roots)) is None
                found = node.read(stream, random.choice((8, 100, 4096)), random.choice((0, 3, 50)))
                assert (found.status, found.roots) == (status["END"], len(roots)), found
                assert difference(node.describe(), held(roots)) is None
                node.free(found.buffer)
                node.collect(drop=True)


def test_chunk_boundaries(programs, status, seed):
    """Arrays of every length at the end of a chunk. Segments fit exactly, miss by 8 bytes, or do not fit at all."""
    array, random = Class("[I", Kind.VALUES, 2), Random(seed)
    with Node(programs / "node") as node:
        registry = numbered(node, [HOLDER, array, NODE])
        for room in (16, 24, 32, 1016, 1024, 1032, 16376, 16384, 16392):
            node.limits(1024 if room < 2000 else 16384)
            for length in (0, 1, 2, 3, 4):
                first = Object(array, 0, (room - 24) // 4 if room > 24 else 0, [])
                first.slots = [7] * array.slots(first.length)
                second = Object(array, 0, length, [9] * length + [0] * (length % 2))
                roots = [first, second, Object(NODE, 5, 0, [1, None]), held([first, second])]
                roots[2].slots[1] = roots[2]
                stream = write(roots, registry, random=random)
                found = node.read(stream)
                assert (found.status, found.roots) == (status["END"], 4), found
                assert difference(node.describe(), held(roots)) is None
                node.free(found.buffer)
                node.collect(drop=True)


def test_several_streams(programs, status, full, seed):
    """Several streams to several receivers in one phase. Their roots are written in turns, and one stream writes while
    another waits for its sink. Each stream gets all objects that its roots reach.

    Objects that an ended stream marked are free for the next stream, which needs no table for them."""
    for random, part in batches(seed, 600 if full else 16):
        with Node(programs / "node") as node:
            classes, registry, graphs = cluster(node, random, 100, part)
            for roots in graphs:
                node.build(held(roots))
                assert node.phase() == status["OK"]
                count = random.choice((2, 3, 5))
                sent = [[] for _ in range(count)]
                for stream in range(count):
                    node.open(stream, 8 * random.choice((40, 400, 40000)), collect=random.choice((0, 0, 1, 9)))
                for _ in range(4 * count):
                    stream, element = random.randrange(count), random.randrange(len(roots))
                    if random.random() < 0.3:
                        other = (stream + 1) % count
                        node.meanwhile(stream, other, element)
                        assert node.write(element, stream) == status["OK"]
                        assert node.flush(stream) == status["OK"]
                        node.meanwhile(stream, other, element)  # in case it did not send: no stream stays waiting
                        assert node.finish(stream) == status["OK"]
                        assert node.finish(other) == status["OK"]
                        for each in (stream, other):
                            outcome, data, _ = node.taken(each)
                            assert outcome == status["OK"]
                            at, seen = 0, []
                            while at < len(data):
                                found = read(data, registry, at=at)
                                at += found.length
                                seen += found.roots
                            wanted = sent[each] + (
                                [roots[element]] * (1 if each == stream else len(seen) - len(sent[each]))
                            )
                            assert all(
                                difference(held([one]), held([two])) is None
                                for one, two in zip(seen, wanted, strict=True)
                            )
                            sent[each] = []
                    else:
                        assert node.write(element, stream) == status["OK"]
                        sent[stream].append(roots[element])
                    if random.random() < 0.2:
                        node.collect(random.random() < 0.3)
                for stream in range(count):
                    assert node.finish(stream) == status["OK"]
                    outcome, data, _ = node.taken(stream)
                    assert outcome == status["OK"]
                    if not data:
                        continue
                    assert difference(held(read(data, registry).roots), held(sent[stream])) is None
                    found = node.read(data)
                    assert found.status == status["END"] and difference(node.describe(), held(sent[stream])) is None
                    node.free(found.buffer)
                    node.build(held(roots))
                # None of these streams is open. The objects that they marked need no table.
                node.open(0, 1 << 20, work=16)
                assert node.write(len(roots) - 1) == node.finish() == status["OK"]
                assert difference(held(read(node.taken()[1], registry).roots), held(roots[-1:])) is None
                node.collect(drop=True)


def test_many_phases(programs, status):
    """In more than 256 phases the same roots are sent anew, to a stream that stays open. The epochs run out twice."""
    random = Random(4)
    with Node(programs / "node") as node:
        classes, registry, (roots,) = cluster(node, random, 20)
        node.build(held(roots))
        assert node.write(0) != status["OK"]
        node.open()
        assert node.write(0) == status["NO_PHASE"]
        node.taken()
        for phase in range(1, 301):
            assert node.phase() == status["OK"]
            for i in range(len(roots)):
                assert node.write(i) == status["OK"]
        assert node.phase(False) == node.finish() == status["OK"]
        _, data, aborts = node.taken()
        expected = [write(roots, registry, Header(REGISTRY, 0, phase, 1)) for phase in range(1, 301)]
        assert data == b"".join(expected) and aborts == 0
        found = node.read(data[: 10 * len(expected[0])])
        assert (found.status, found.buffers, found.roots) == (status["END"], 10, 10 * len(roots))


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_the_end_within_padding(programs, status, zeros):
    """The first of two faults is reported: a byte of the padding that is not 0, or the end of the stream behind it."""
    random = Random(4)
    with Node(programs / "node") as node:
        _, registry, (roots,) = cluster(node, random, 20)
        good = write(roots[:1], registry)
        padding = len(good) - HEAD.size - 4
        assert good[padding : padding + 4] == bytes(4)
        for byte, name, at in ((b"\1", "BAD_STREAM", padding), (b"\0", "CUT", padding + zeros + 1)):
            stream = good[: padding + zeros] + byte
            with pytest.raises(SkywayError) as error:
                read(stream, registry)
            assert (error.value.status, error.value.at) == (name, at)
            found = node.read(stream)
            assert (found.status, found.at, found.roots) == (status[name], at, 0)


@pytest.mark.parametrize("word", [0, 16, 20, 0xDEADBEEF], ids=hex)
@pytest.mark.parametrize("piece", [1 << 30, 64], ids=["whole", "pieces"])
def test_padding_behind_references(programs, status, word, piece):
    """A word of padding behind an odd number of references is no reference, whatever it holds: a receiver need not
    check padding."""
    array = held([None])
    with Node(programs / "node") as node:
        registry = numbered(node, [HOLDER])
        stream = bytearray(write([array], registry))
        padding = len(stream) - HEAD.size - 8 - 4
        assert stream[padding - 4 : padding + 4] == bytes(8)
        stream[padding : padding + 4] = word.to_bytes(4, "little")
        found = node.read(bytes(stream), piece)
        assert (found.status, found.roots) == (status["END"], 1), found
        array.slots = [None, word]
        assert difference(node.describe(), held([array])) is None


def test_mutated_streams(programs, status, full, seed):
    """C and Python agree on what is accepted, on the status and on its position. Accepted streams give the same graph.
    Rejected ones leave nothing behind. This is a twentieth of the streams of `make test-full`."""
    names = {code: name for name, code in status.items()}
    told = {}
    for random, part in batches(seed, FULL_MUTATIONS if full else MUTATIONS):
        with Node(programs / "node") as node:
            classes, registry, graphs = cluster(node, random, 40, part)
            node.limits(1 << 20, 1 << 15)
            node.collect(drop=True)
            empty = node.used()
            for roots in graphs:
                stream = mutate(random, write(roots, registry, random=random if random.random() < 0.5 else None))
                try:
                    wanted = read(stream, registry)
                    # Bytes behind the buffer belong to the next one. C gets only this buffer.
                    stream, outcome = stream[: wanted.length], ("END", 0)
                except SkywayError as error:
                    wanted, outcome = None, (error.status, error.at)
                found = node.read(stream, random.choice((5, 300, 1 << 30)))
                there = (names[found.status], found.at)
                told[outcome[0]] = told.get(outcome[0], 0) + 1
                # A length that exceeds the rest of the stream may also exceed the available room.
                assert there == outcome or (outcome[0] == "CUT" and there[0] in ("WORK_FULL", "OUT_OF_MEMORY")), (
                    there,
                    outcome,
                )
                if wanted is None:
                    assert (found.roots, found.buffer) == (0, 0)
                else:
                    assert difference(node.describe(), held(wanted.roots)) is None
                    node.free(found.buffer)
                node.collect(drop=True)
                assert node.used() == empty
    assert {"END", "CUT", "BAD_STREAM", "BAD_VALUE", "BAD_REFERENCE"} <= set(told), told

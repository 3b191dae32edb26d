"""The C code on the host, under ASan and UBSan, against the Python reader and writer, which are independent of it."""

from random import Random

import pytest

from heapwire.cereal import CerealError, Class, ClassSet, Kind, Object, difference, objects, read, write
from heapwire.cereal.numbers import FORMAT
from tests.cereal.script import CodecScript
from tests.common.cereal_damage import mutate, wrapping
from tests.common.random_graphs import random_classes, random_graph

GRAPHS, FULL_GRAPHS = 400, 4000
MUTATIONS, FULL_MUTATIONS = 2000, 20000
BATCH = 100
NODE = Class("Node", Kind.INSTANCE, 0, (False, True))
OK = 0


def batches(seed, count):
    """Yields a random number generator for each batch, and the size of the batch."""
    for first in range(0, count, BATCH):
        yield Random(f"{seed} {first}"), min(BATCH, count - first)


def graphs(random, count, most):
    classes = random_classes(random)
    return ClassSet(classes), [
        random_graph(random, classes, random.choice((1, 2, 3, 10, 30, most))) for _ in range(count)
    ]


def copied(script, classes, roots, strip=False):
    """Each graph is built and written; the bytes must be those of Python. It is read and described, and must be the
    same graph. It is written again, and the bytes must be the same."""
    script.register(classes.classes)
    script.strip(strip)
    for root in roots:
        script.build(root)
        script.write()
        script.read(write(root, classes, strip))
        script.describe()
        script.write()
    answers = script.run()
    assert answers[: len(classes)] == list(range(len(classes)))
    for i, root in enumerate(roots):
        written, outcome, found, again = answers[len(classes) + 4 * i :][:4]
        stream = write(root, classes, strip)
        assert written == (OK, stream)
        assert difference(read(written[1], classes).root, root, hashes=not strip) is None
        assert outcome == (OK, len(stream))
        assert difference(found, root, hashes=not strip) is None
        assert again == (OK, stream)


@pytest.mark.parametrize("strip", [False, True], ids=["", "strip"])
@pytest.mark.parametrize("options", [[], ["array"], ["stress"], ["stress", "array"]], ids=lambda each: " ".join(each))
def test_random_graphs(programs, full, seed, options, strip):
    """Under stress every allocation collects, and everything moves. Graphs have up to 500 objects. A failure prints the
    seed, and HEAPWIRE_SEED repeats it."""
    count = (FULL_GRAPHS if full else GRAPHS) // (10 if options else 1)
    for random, part in batches(seed, count):
        classes, roots = graphs(random, part, 500)
        copied(CodecScript(programs / "script", *options), classes, roots, strip)


def test_shared_objects(programs, full, seed):
    """Another open serialization holds some objects. The bytes are the same, and its marks stay."""
    for random, part in batches(seed, 1000 if full else 200):
        classes, roots = graphs(random, part, 300)
        script = CodecScript(programs / "script")
        script.register(classes.classes)
        wanted = []
        for root in roots:
            step = random.choice((1, 1, 2, 3, 7))
            script.build(root)
            script.hold(step)
            script.write()
            script.collect(random.random() < 0.5)
            script.write()
            script.release()
            script.write()
            stream = write(root, classes)
            wanted += [(len(objects(root)) + step - 1) // step, (OK, stream), (OK, stream), (OK, stream)]
        assert script.run()[len(classes) :] == wanted


def test_mutated_streams(programs, interface, full, seed):
    """C and Python agree about acceptance, status and offset. Accepted streams give the same graph. The number of
    streams is a tenth of that of `make test-full`."""
    told = {status: 0 for status in ("OK", "BAD_STREAM", "BAD_VALUE", "BAD_REFERENCE", "BAD_LAYOUT")}
    for random, part in batches(seed, FULL_MUTATIONS if full else MUTATIONS):
        classes, roots = graphs(random, part, 60)
        script = CodecScript(programs / "script")
        script.register(classes.classes)
        wanted = []
        for root in roots:
            stream = mutate(random, write(root, classes, random.random() < 0.3))
            script.attempt(stream)
            try:
                found = read(stream, classes)
                wanted.append((("OK", found.length), found.root))
                script.describe()
            except CerealError as error:
                wanted.append(((error.status, error.offset), None))
        answers = iter(script.run()[len(classes) :])
        for (status, place), root in wanted:
            told[status] += 1
            code = interface.status[status]
            there, in_heap = next(answers)
            assert there == (code, place)
            assert in_heap == (code, place if status == "OK" else place // 16 * 16)
            assert root is None or difference(root, next(answers)) is None
    assert all(told.values())


def test_sizes_whose_sum_wraps(programs, interface):
    """Nothing is read behind the stream's end."""
    classes, script = ClassSet([NODE]), CodecScript(programs / "script")
    streams = list(wrapping(write(listed(20), classes)))
    script.register(classes.classes)
    for stream in streams:
        script.attempt(stream)
    refused = (interface.status["BAD_STREAM"], FORMAT.header_graph)
    assert [there for there, _ in script.run()[1:]] == [refused] * len(streams)


def listed(count):
    last = None
    for value in range(count):
        last = Object(NODE, value % 1000, 0, [value, last])
    return last


def test_long_list(programs):
    """A list of 500,000 nodes, which is deeper than any stack."""
    classes, root = ClassSet([NODE]), listed(500_000)
    script = CodecScript(programs / "script", "large")
    script.register(classes.classes)
    script.limits(3 << 20, 12 << 20)
    script.build(root)
    script.write()
    stream = write(root, classes)
    script.read(stream)
    script.describe()
    written, outcome, found = script.run()[1:]
    assert written == (OK, stream) and outcome == (OK, len(stream))
    assert difference(found, root) is None


def test_wide_array(programs):
    """As many objects wait to be written as there are."""
    array = Class("[LNode;", Kind.REFERENCES, 2)
    classes = ClassSet([NODE, array])
    root = Object(array, 0, 40_001, [listed(1 + i % 2) for i in range(40_001)] + [0])
    script = CodecScript(programs / "script", "large")
    script.limits(3 << 20, 8 << 20)
    copied(script, classes, [root])


def test_least_output_and_work(programs, interface):
    """An output of exactly the stream's length is enough; anything less gives OUTPUT_FULL. A work area that is too
    small gives WORK_FULL, and the formula's size always suffices. A failed write can be repeated."""
    random = Random(5)
    full, work = interface.status["OUTPUT_FULL"], interface.status["WORK_FULL"]
    for _ in range(20):
        classes, (root,) = graphs(random, 1, 80)
        stream = write(root, classes)
        count = len(objects(root))
        references = sum(
            each.cls.is_reference(i, each.length) for each in objects(root) for i in range(len(each.slots))
        )
        enough = 16 * count + 5 * references + 64
        script = CodecScript(programs / "script")
        script.register(classes.classes)
        script.build(root)
        lengths = sorted({0, 16, 31, 32, len(stream) - 1, *(random.randrange(len(stream)) for _ in range(10))})
        for length in lengths:
            script.limits(enough, length)
            script.write()
        script.limits(enough, len(stream))
        script.write()
        for part in range(10):
            script.limits(enough * part // 10, len(stream))
            script.write()
        script.limits(enough, len(stream))
        script.write()
        answers = script.run()[len(classes) :]
        assert answers[: len(lengths)] == [(full, b"")] * len(lengths)
        assert answers[len(lengths)] == answers[-1] == (OK, stream)
        tried = answers[len(lengths) + 1 : -1]
        assert tried[0] == (work, b"") and all(each in ((work, b""), (OK, stream)) for each in tried)


def test_work_of_the_reader(programs, interface):
    """The reader needs one byte of work area for 32 bytes of the image, and no less."""
    classes, root = ClassSet([NODE]), listed(1000)
    stream = write(root, classes)
    script = CodecScript(programs / "script")
    script.register(classes.classes)
    for bytes_of_work in (0, 24 * 1000 // 32 - 64, 24 * 1000 // 32 + 64):
        script.limits(bytes_of_work, len(stream))
        script.read(stream)
    assert script.run()[1:] == [
        (interface.status["WORK_FULL"], 0),
        (interface.status["WORK_FULL"], 0),
        (OK, len(stream)),
    ]


def test_a_graph_that_does_not_fit(programs):
    """The driver reports its own status, and the heap is unchanged. A smaller graph fits afterwards."""
    classes, large, small = ClassSet([NODE]), listed(60_000), listed(1000)
    script = CodecScript(programs / "script")
    script.register(classes.classes)
    for root in (small, large, small):
        script.read(write(root, classes))
    script.describe()
    first, second, third, found = script.run()[1:]
    assert (first[0], second, third[0]) == (OK, (0x101, 0), OK)
    assert difference(found, small) is None


def test_classes_that_are_refused(programs):
    """More classes are registered than there is room for. The others work."""
    script = CodecScript(programs / "script")
    classes = [Class(f"C{i}", Kind.INSTANCE, 0, (False, True)) for i in range(520)]
    script.register(classes)
    assert script.run() == [i if i < 512 else -1 for i in range(520)]

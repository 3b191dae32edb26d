"""Object streams over the monitor's line. A program (line/echo.c) at the other end of a pipe, which may be bad, returns
each stream after a count."""

import os
import select
import subprocess
import time
from random import Random

import pytest

from heapwire.cereal import Class, ClassSet, Kind, Object, difference, read, write
from heapwire.client.frame import Packet, encode
from heapwire.client.monitor import MonitorError
from heapwire.client.object_line import MOST, ObjectLine
from heapwire.client.ports import Disconnected, LinkError
from heapwire.records.monitor import Operation, Status, StreamIn, StreamOut
from tests.common.cereal_damage import mutate

NODE = Class("Node", Kind.INSTANCE, 0, (False, True))
ARRAY = Class("Node[]", Kind.REFERENCES, 2)
BYTES = Class("byte[]", Kind.VALUES)
CLASSES = ClassSet([NODE, ARRAY, BYTES])
BUFFER = 16 << 10
"""Bytes of the program's buffer, in each direction."""


class Pipe:
    """The program's standard input and output. `damage` processes all bytes, in both directions."""

    rate = None

    def __init__(self, program, patience, damage=lambda data: data):
        self.process = subprocess.Popen(
            [program, str(patience)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )
        self.damage = damage

    def write(self, data):
        try:
            self.process.stdin.write(self.damage(data))
        except BrokenPipeError as error:
            raise Disconnected("the program has ended") from error

    def read(self, timeout):
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        data = os.read(self.process.stdout.fileno(), 65536) if ready else b""
        if ready and not data:
            raise Disconnected("the program has ended")
        return self.damage(data) if data else b""

    def close(self):
        """Ends the program. Returns the failures that it reported, each as status and offset."""
        self.process.stdin.close()
        errors = self.process.stderr.read().decode()
        assert self.process.wait(20) == 0, errors
        return [tuple(map(int, line.split())) for line in errors.splitlines()]


class Bad:
    """Drops, doubles, flips and adds bytes, one in `gap`."""

    def __init__(self, seed, gap):
        self.dice, self.gap, self.faults = Random(seed), gap, 0

    def __call__(self, data):
        out = bytearray()
        for byte in data:
            if self.dice.random() * self.gap >= 1:
                out.append(byte)
                continue
            self.faults += 1
            kind = self.dice.randrange(4)
            out += (
                b"",
                bytes([byte, byte]),
                bytes([byte ^ 1 << self.dice.randrange(8)]),
                bytes([byte]) + self.dice.randbytes(self.dice.randrange(40)),
            )[kind]
        return bytes(out)


@pytest.fixture
def start(programs):
    """Yields a function that starts a program and its line: `start(patience=milliseconds, damage=)`."""
    pipes = []

    def begin(patience=3000, damage=lambda data: data, **line):
        pipes.append(Pipe(programs / "line", patience, damage))
        return pipes[-1], ObjectLine(pipes[-1], **{"timeout": 0.3, "patience": 20.0, **line})

    yield begin
    for pipe in pipes:
        if pipe.process.poll() is None:
            pipe.process.kill()
        pipe.process.wait()


def graph(random, count):
    """Returns a list with a cycle, and an array of references into it."""
    items = [
        Object(NODE, random.choice((0, random.getrandbits(25))), 0, [random.getrandbits(32), None])
        for _ in range(count)
    ]
    for item, following in zip(items, items[1:] + [random.choice(items)]):
        item.slots[1] = following
    length = random.randrange(1, 6)
    return Object(ARRAY, 0, length, [items[0]] + [random.choice(items) for _ in range(length - 1)] + [0] * (length % 2))


def echoed(line, root, fallbacks):
    """Sends a graph and receives the answer: the count of software's commands, and the graph again."""
    line.give(write(root, CLASSES))
    answer = read(line.take(), CLASSES).root
    assert answer.cls == NODE and answer.slots[0] == fallbacks
    assert difference(root, answer.slots[1]) is None


def test_graphs_both_ways(start, seed):
    """Graphs take one frame or many. Without units software does all commands and counts them."""
    pipe, line = start()
    random = Random(seed)
    for i in range(60):
        echoed(line, graph(random, random.choice((1, 5, 40, 300))), 2 * i + 1)
    assert line.link.repeats == 0 and pipe.close() == []


def test_it_ends(start):
    pipe, line = start()
    echoed(line, Object(BYTES, length=3, slots=[0x030201, 0]), 1)
    assert pipe.process.wait(20) == 0


@pytest.mark.parametrize("gap", [2000, 300])
def test_a_bad_line(start, seed, gap):
    """Whatever the line does to the bytes, each stream arrives once and unchanged."""
    damage = Bad(seed, gap)
    pipe, line = start(damage=damage, patience=20_000, attempts=200)
    random = Random(seed)
    for i in range(1000):
        if i >= 30 and damage.faults > 2 and line.link.repeats > 0:
            break
        echoed(line, graph(random, random.choice((1, 5, 20))), 2 * i + 1)
    assert damage.faults > 2 and line.link.repeats > 0 and pipe.close() == []


def pieces(stream, until):
    """Yields frames that send a stream up to byte `until`."""
    for number, at in enumerate(range(0, until, MOST), 1):
        yield encode(
            Packet(
                100 + number,
                Operation.STREAM_IN,
                body=StreamIn(len(stream), 7, at).pack() + stream[at : at + MOST][: until - at],
            )
        )


def test_a_cut(start, seed, interface):
    """The rest of a stream does not come. The program gives it up and reads the next one as a whole."""
    pipe, line = start(patience=300)
    random = Random(seed)
    echoed(line, graph(random, 3), 1)
    stream = write(graph(random, 300), CLASSES)
    for frame in pieces(stream, len(stream) - 1):
        pipe.write(frame)
    time.sleep(0.7)  # longer than the program's patience, and shorter than its silences
    line.link.resynchronise()
    echoed(line, graph(random, 300), 3)
    assert set(pipe.close()) == {(interface.status["BAD_STREAM"], 0)}


def test_nobody_takes_it(start, seed, interface):
    """The host takes half of a stream, or does not confirm it. That stream counts as not sent, and the next one is
    another."""
    pipe, line = start(patience=300)
    random = Random(seed)
    line.give(write(graph(random, 300), CLASSES))
    answer = line.link.request(Operation.STREAM_OUT, bytes(8))
    offered = StreamOut.unpack(answer.body)
    assert offered.number == 1 and offered.length > len(answer.body) - StreamOut.SIZE == MOST
    time.sleep(0.5)
    with pytest.raises(MonitorError) as raised:
        line.link.request(Operation.STREAM_OUT, MOST.to_bytes(4, "little") * 2)
    assert raised.value.status == Status.NOT_READY
    echoed(line, graph(random, 300), 3)
    assert (0x103, 0) in pipe.close()  # HW_STATUS_NOT_SENT


def test_bounds(start, seed):
    """Streams larger than the buffer, pieces beyond the end of the stream and bodies of wrong lengths are refused at
    once, without any change."""
    pipe, line = start()
    random = Random(seed)
    with pytest.raises(MonitorError) as raised:
        line.give(bytes(BUFFER + 16))
    assert raised.value.status == Status.TOO_LARGE
    whole, crc = write(graph(random, 200), CLASSES), 1
    for operation, body in [
        (Operation.STREAM_IN, StreamIn(len(whole), crc, 0).pack()),
        (Operation.STREAM_IN, StreamIn(100, crc, 96).pack() + bytes(5)),
        (Operation.STREAM_IN, StreamIn(100, crc, 101).pack() + b"x"),
        (Operation.STREAM_IN, StreamIn(100, crc, 0xFFFF_FFFF).pack() + b"xx"),
        (Operation.STREAM_IN, bytes(11)),
        (Operation.STREAM_IN, StreamIn(4, crc, 0).pack() + b"abcd"),
        (Operation.HELLO, b""),
    ]:
        with pytest.raises(MonitorError) as raised:
            line.link.request(operation, body)
        assert raised.value.status == Status.BAD_BODY
    with pytest.raises(MonitorError) as raised:
        line.link.request(Operation.RESET)
    assert raised.value.status == Status.UNKNOWN_OPERATION
    for operation in (Operation.STREAM_OUT, Operation.STREAM_TAKEN):
        with pytest.raises(MonitorError) as raised:
            line.link.request(operation, bytes(8))
        assert raised.value.status == Status.NOT_READY
    echoed(line, graph(random, 200), 1)
    assert pipe.close() == []


def test_streams_that_are_none(start, seed, interface):
    """The line delivers the streams whole. The reader reports what is wrong, and the next stream is read."""
    pipe, line = start()
    random, expected = Random(seed), []
    for _ in range(100):
        stream = mutate(random, write(graph(random, random.choice((1, 5, 40))), CLASSES)) or b"?"
        line.give(stream)
        try:
            root = read(stream, CLASSES).root
        except Exception as error:
            expected.append(error.status)
            continue
        answer = read(line.take(), CLASSES).root
        sent = read(write(root, CLASSES), CLASSES).root  # without the bytes after an array's last element
        assert difference(sent, answer.slots[1]) is None
        if root.cls == BYTES:
            break
    told = [interface.status_name(status) for status, _ in pipe.close()]
    assert len(told) == len(expected) > 0 and set(told) <= {"BAD_STREAM", "BAD_VALUE", "BAD_REFERENCE", "BAD_LAYOUT"}


def test_a_program_that_ends(start, seed):
    """The host gets an error and does not wait forever."""
    pipe, line = start()
    line.give(write(graph(Random(seed), 20), CLASSES))
    pipe.process.kill()
    with pytest.raises(LinkError):
        line.take()
    pipe, line = start(patience=10_000)
    line.patience = 1.0
    began = time.monotonic()
    with pytest.raises(LinkError):
        line.take()  # raises LinkError itself
    assert time.monotonic() - began < 15

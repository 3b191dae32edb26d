"""Object streams between the host and a program on the simulated SoC, over its UART."""

import random
import time

import pytest

from heapwire.cereal import Class, ClassSet, Kind, Object, difference, read, write
from heapwire.client.frame import Packet, encode
from heapwire.client.monitor import MonitorError
from heapwire.client.object_line import MOST, ObjectLine
from heapwire.client.transport import connect
from heapwire.interface import load
from heapwire.records.monitor import Operation, Status, StreamIn
from sim.run import Simulation
from tests.soc.program import program

NODE = Class("Node", Kind.INSTANCE, 0, (False, True))
CLASSES = ClassSet([NODE, Class("Node[]", Kind.REFERENCES, 2), Class("byte[]", Kind.VALUES)])
END = Object(CLASSES[2])
WAIT = 900.0
"""Seconds to wait on a busy machine. The program's patience, in cycles, is a few seconds on an idle one."""


@pytest.fixture
def simulation():
    with Simulation(program("object_line")) as running:
        yield running


def graph(dice, count):
    """Returns a list with a random end, below an array that refers to some of its nodes."""
    items = [Object(NODE, dice.getrandbits(25), 0, [dice.getrandbits(32), None]) for _ in range(count)]
    for item, following in zip(items, items[1:] + [dice.choice(items)]):
        item.slots[1] = following
    return Object(CLASSES[1], 0, 2, [items[0], dice.choice(items)])


@pytest.mark.full
def test_object_line(simulation):
    """Graphs go both ways, with stray bytes in between. A stream that is cut, damaged or too long gives a clear error,
    and the next one is read. Without units software does all the work and counts it."""
    line = ObjectLine(connect(f"127.0.0.1:{simulation.port}"), patience=WAIT, timeout=5.0)
    units = any(load().cluster["units"].get(kind) for kind in ("cereal_serializer", "cereal_deserializer"))
    dice, commands = random.Random(5), 0

    def echoed(root):
        nonlocal commands
        line.give(write(root, CLASSES))
        answer = read(line.take(), CLASSES).root
        assert answer.slots[0] == commands + 1 or units
        assert difference(root, answer.slots[1]) is None
        commands += 2

    for count in (1, 20, 300):
        line.link.transport.write(dice.randbytes(50))
        echoed(graph(dice, count))
    with pytest.raises(MonitorError) as raised:
        line.give(bytes(17 << 10))
    assert raised.value.status == Status.TOO_LARGE
    damaged = bytearray(write(graph(dice, 5), CLASSES))
    damaged[32] ^= 2
    line.give(bytes(damaged))
    commands += 1
    stream = write(graph(dice, 100), CLASSES)
    for number, at in enumerate(range(0, len(stream) - MOST, MOST), 1):
        line.link.transport.write(
            encode(
                Packet(
                    200 + number, Operation.STREAM_IN, body=StreamIn(len(stream), 1, at).pack() + stream[at : at + MOST]
                )
            )
        )
    heard, status = bytearray(), load().status
    deadline = time.monotonic() + WAIT
    while f"{status['BAD_STREAM']} 0\n".encode() not in heard.replace(b"\r", b"") and time.monotonic() < deadline:
        heard += line.link.transport.read(1)
    assert f"{status['BAD_VALUE']} 32\n".encode() in heard.replace(b"\r", b"") and time.monotonic() < deadline
    line.link.resynchronise()
    echoed(graph(dice, 30))
    line.give(write(END, CLASSES))
    line.take()
    assert simulation.end(timeout=WAIT).code == 0
    line.close()

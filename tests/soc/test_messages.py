"""Messages through the simulated SoC: UART, monitor, driver, unit, memory, and back."""

import random
import time
from functools import partial

import pytest

from base.errors import HeapwireError
from heapwire import demo
from heapwire import interface as interface_module
from heapwire.client import Engine
from heapwire.client.frame import Packet, encode
from heapwire.compare import first_difference
from heapwire.graph import GraphReader
from heapwire.heap import Region, model_runtime
from heapwire.model import Deserializer
from heapwire.records.monitor import Operation
from heapwire.schema import compile_proto
from heapwire.workload.case import Case
from heapwire.workload.group import Group
from tests.common.random_messages import fill
from tests.host.conftest import PROTOS

NAME = "test.Everything"
DEPTH = 8


@pytest.fixture(scope="module")
def schema():
    return compile_proto(PROTOS / "everything.proto")


@pytest.fixture(scope="module")
def session(schema):
    """Returns a session with the monitor on the simulated SoC, in which the schema is loaded."""
    group = Group("everything", schema, [Case("empty", NAME, b"")])
    interface = interface_module.load()
    placement = demo.Placement({})
    with demo.simulated(group, placement, print) as monitor:
        yield demo.Session(monitor, group, interface, lambda _: None, placement)


def run(session, data, engine=Engine.HW):
    """Deserializes `data` once and reads nothing back."""
    address = session.place(data) if data else session.layout.buffer_base
    return session.monitor.run(engine, 0, address, len(data), max_depth=DEPTH, warm=0)


def difference(session, run, message):
    """Returns the difference between the objects of a run and the message."""
    read = partial(session.monitor.read, progress=session.progress)
    regions = [
        Region("fixed", run.fixed_start, read(run.fixed_start, run.fixed_top - run.fixed_start)),
        Region("flexible", run.flexible_start, read(run.flexible_start, run.flexible_top - run.flexible_start)),
    ]
    return first_difference(GraphReader(session.runtime, *regions).read(run.root), message)


@pytest.mark.parametrize("seed", range(5))
def test_random_messages(session, schema, seed):
    message = schema.message_class(NAME)()
    fill(message, random.Random(100 + seed), depth=2)
    result = run(session, message.SerializeToString())
    assert result.result == 0, session.interface.status_name(result.result)
    assert difference(session, result, message) is None
    assert result.fallbacks == 0


def test_empty_message(session, schema):
    result = run(session, b"")
    assert result.result == 0 and difference(session, result, schema.message_class(NAME)()) is None


@pytest.mark.parametrize(
    "text",
    [
        "28",
        "28" + "ff" * 10 + "01",
        "2e",
        "2f01",
        "00",
        "4a05aabb",
        "5a0228015a032801",
        "fa0103000000",
        "2c",
        "2b2801",
        "".join(f"5a{2 * n:02x}" for n in reversed(range(9))),
    ],
)
def test_malformed_messages_end_in_their_status(session, text):
    data = bytes.fromhex(text)
    model = model_runtime(session.interface, session.compiled, session.layout.schema, 0x4000_1000)
    expected = Deserializer(
        model,
        Region("fixed", 0x4800_0000, bytearray(1 << 16)),
        Region("flexible", 0x4C00_0000, bytearray(1 << 16)),
        DEPTH,
    ).run(data)
    assert expected.status != "OK"
    for engine in (Engine.HW, Engine.TABLE):
        result = run(session, data, engine)
        assert session.interface.status_name(result.result) == expected.status
        assert (result.root, result.offset) == (0, expected.offset)
    assert run(session, b"\x28\x01").result == 0  # the next command works


def test_noise_on_the_line(session):
    """Damaged frames are refused or ignored, and the next request is answered."""
    frame = bytearray(encode(Packet(9, Operation.RESET)))
    frame[4] ^= 0x20
    dice = random.Random(3)
    for noise in (bytes(frame), frame[:5], dice.randbytes(40), b"\0\0\0", encode(Packet(9, 99))):
        session.monitor.transport.write(bytes(noise))
        assert session.monitor.checksum(session.layout.buffer_base, 4) >= 0


def test_a_program_that_does_not_answer_ends_the_simulation(schema, monkeypatch):
    """It is a jump to itself at the start of main memory."""
    monkeypatch.setattr(demo, "TURN_CYCLES", 100_000)
    monkeypatch.setattr(demo, "_image", lambda *_: None)
    placement = demo.Placement({(0x6F).to_bytes(4, "little"): 0x40000000})
    with pytest.raises(HeapwireError, match="ended early: the program has not answered a request for 100,000 cycles"):
        with demo.simulated(Group("silent", schema, [Case("empty", NAME, b"")]), placement, print) as monitor:
            monitor.hello()


def test_cycles_do_not_depend_on_how_fast_the_host_is(schema):
    """Requests wait for the host at a standstill of the simulated time, whether it is slow or not."""
    message = schema.message_class(NAME)()
    fill(message, random.Random(7), depth=2)
    group = Group("everything", schema, [Case("filled", NAME, message.SerializeToString())])
    dice = random.Random(8)

    def ran(most):
        with demo.simulated(group, demo.Placement({}), print) as monitor:
            write = monitor.transport.write

            def slowly(data):
                time.sleep(most * dice.random())
                write(data)

            monitor.transport.write = slowly
            session = demo.Session(monitor, group, interface_module.load(), lambda _: None)
            outcome = session.outcome(group.cases[0])
            assert outcome.problem is None
            return outcome.read, outcome.written, monitor.counters()

    assert ran(0) == ran(0.03)

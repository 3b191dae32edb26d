"""The host-built monitor, with the host's own client at the other end of a pipe."""

import os
import random
import select
import struct
import subprocess
import zlib

import pytest

from heapwire.client.frame import Packet, encode
from heapwire.client.monitor import Monitor, MonitorError
from heapwire.compare import first_difference
from heapwire.graph import GraphReader
from heapwire.heap import Region, Runtime
from heapwire.records.monitor import Operation, RunFlag, Status
from heapwire.records.workload import ENGINE_NANOPB_ERROR, Engine
from heapwire.schema import compile_schema
from tests.common.random_messages import fill


class PipeTransport:
    """The program's standard input and output."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def write(self, data):
        self.process.stdin.write(data)

    def read(self, timeout):
        ready, _, _ = select.select([self.process.stdout], [], [], timeout)
        return os.read(self.process.stdout.fileno(), 65536) if ready else b""

    def close(self):
        """Ends the program by closing its input. The program may reach the end while it still answers."""
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(10)


@pytest.fixture
def monitor(programs):
    transport = PipeTransport(programs / "monitor")
    yield Monitor(transport, timeout=2)
    assert transport.close() == 0


@pytest.fixture
def loaded(monitor, everything, interface):
    """Returns a monitor with test.Everything loaded, and the compiled schema."""
    compiled = compile_schema(everything.descriptor("test.Everything"), interface)
    monitor.buffer = monitor.layout().buffer_base
    monitor.write(monitor.buffer, compiled.blob)
    loaded = monitor.load_schema(monitor.buffer, len(compiled.blob))
    assert (loaded.schema_id, loaded.type_count) == (compiled.schema_id, len(compiled.types))
    return monitor, compiled


def samples(everything, count, seed=9):
    dice = random.Random(seed)
    for _ in range(count):
        message = everything.message_class("test.Everything")()
        fill(message, dice)
        yield message


@pytest.mark.parametrize("engine, fallbacks", [(Engine.HW, 3), (Engine.TABLE, 0)])
def test_objects_come_back(loaded, everything, interface, engine, fallbacks):
    monitor, compiled = loaded
    for message in samples(everything, 10):
        data = message.SerializeToString()
        monitor.write(monitor.buffer, data)
        run = monitor.run(engine, 0, monitor.buffer, len(data), warm=1, iterations=2)
        assert run.result == 0 and run.fallbacks == fallbacks
        layout = monitor.layout()
        runtime = Runtime(interface, compiled, list(layout.registers), layout.schema)
        fixed = Region("fixed", run.fixed_start, monitor.read(run.fixed_start, run.fixed_top - run.fixed_start))
        flexible = Region(
            "flexible", run.flexible_start, monitor.read(run.flexible_start, run.flexible_top - run.flexible_start)
        )
        assert first_difference(GraphReader(runtime, fixed, flexible).read(run.root), message) is None


def encodes_again(monitor, everything, engine, **options):
    """Checks that runs of messages leave the bytes of the same messages."""
    for message in samples(everything, 10):
        data = message.SerializeToString()
        monitor.write(monitor.buffer, data)
        run = monitor.run(engine, 0, monitor.buffer, len(data), **options)
        assert run.result == 0
        again = everything.message_class("test.Everything").FromString(monitor.read(run.root, run.fixed_top - run.root))
        assert again.SerializeToString(deterministic=True) == message.SerializeToString(deterministic=True)


@pytest.mark.parametrize("engine", [Engine.NANOPB, Engine.TABLE])
def test_software_reencodes(loaded, everything, engine):
    monitor, _ = loaded
    assert monitor.hello().engines == 1 << Engine.TABLE | 1 << Engine.NANOPB  # the host build has no unit
    encodes_again(monitor, everything, engine, flags=RunFlag.REENCODE)


def test_malformed_messages_are_results(loaded, interface):
    monitor, _ = loaded
    monitor.write(monitor.buffer, b"\x28\x01\x4a\x05a")
    run = monitor.run(Engine.HW, 0, monitor.buffer, 5)
    assert interface.status_name(run.result) == "TRUNCATED" and run.offset == 2 and run.root == 0
    run = monitor.run(Engine.NANOPB, 0, monitor.buffer, 5)
    assert run.result == ENGINE_NANOPB_ERROR and run.text


def refused(call, *arguments, **options):
    with pytest.raises(MonitorError) as caught:
        call(*arguments, **options)
    return caught.value.status


def test_memory_is_bounded(monitor):
    layout = monitor.layout()
    assert refused(monitor.write, layout.buffer_limit - 3, b"abcd") == Status.BAD_ADDRESS
    assert refused(monitor.write, layout.buffer_base - 1, b"abcd") == Status.BAD_ADDRESS
    assert refused(monitor.read, layout.memory_limit - 3, 4) == Status.BAD_ADDRESS
    assert refused(monitor.read, 0xFFFFFFFE, 4) == Status.BAD_ADDRESS
    assert refused(monitor.checksum, layout.memory_base, 0xFFFFFFFF) == Status.BAD_ADDRESS
    monitor.write(layout.buffer_limit - 4, b"abcd")
    assert monitor.read(layout.buffer_limit - 4, 4) == b"abcd"
    assert monitor.checksum(layout.buffer_limit - 4, 4) == zlib.crc32(b"abcd")


def test_requests_are_checked(monitor):
    base = monitor.layout().buffer_base
    assert refused(monitor.run, Engine.HW, 0, base, 1) == Status.NO_SCHEMA
    assert refused(monitor.run, 9, 0, base, 1) == Status.NO_ENGINE
    assert refused(monitor.run, Engine.HW, 0, base, 1, iterations=0) == Status.BAD_BODY
    assert refused(monitor.run, Engine.HW, 0, base, 0xFFFFFFFF) == Status.BAD_ADDRESS
    assert refused(monitor.request, Operation.READ, b"1234567") == Status.BAD_BODY
    assert refused(monitor.request, Operation.WRITE, b"1234") == Status.BAD_BODY
    assert refused(monitor.request, Operation.RESET, b"1") == Status.BAD_BODY
    assert refused(monitor.exit, 256) == Status.BAD_BODY
    for operation in (0, 13, 0x7F):
        monitor.transport.write(encode(Packet(77, operation)))
        answer = monitor.receiver.feed(monitor.transport.read(2))[0]
        assert (answer.sequence, answer.operation, answer.status) == (77, operation | 0x80, Status.UNKNOWN_OPERATION)


@pytest.mark.parametrize("engine", [Engine.HW, Engine.TABLE, Engine.NANOPB])
def test_input_lies_outside_what_a_run_writes(loaded, engine):
    monitor, _ = loaded
    layout = monitor.layout()
    assert layout.fixed_limit == layout.flexible_base
    for address, length in (
        (layout.fixed_base, 1),
        (layout.fixed_base - 1, 2),
        (layout.fixed_limit - 1, 1),
        (layout.fixed_limit, 1),
        (layout.flexible_limit - 1, 1),
        (layout.fixed_base - 8, layout.flexible_limit - layout.fixed_base + 8),
    ):
        assert refused(monitor.run, engine, 0, address, length) == Status.BAD_ADDRESS
    assert monitor.run(engine, 0, layout.fixed_base + 64, 0).result == 0
    monitor.write(monitor.buffer, b"\x28\x01")
    assert monitor.run(engine, 0, monitor.buffer, 2).result == 0


def test_a_refused_blob_leaves_the_schema_in_force(loaded):
    monitor, compiled = loaded
    before = monitor.layout()
    damaged = bytearray(compiled.blob)
    damaged[100] ^= 1
    monitor.write(monitor.buffer, bytes(damaged))
    with pytest.raises(MonitorError, match="CRC") as caught:
        monitor.load_schema(monitor.buffer, len(damaged))
    assert caught.value.status == Status.BAD_SCHEMA
    assert monitor.layout() == before
    monitor.write(monitor.buffer, compiled.blob)
    assert monitor.load_schema(monitor.buffer, len(compiled.blob)).schema != before.schema
    assert refused(monitor.run, Engine.HW, len(compiled.types), monitor.buffer, 1) == Status.NO_TYPE


def test_damaged_frames_are_refused_and_never_carried_out(monitor):
    base = monitor.layout().buffer_base
    monitor.write(base, b"before")
    frame = encode(Packet(99, Operation.WRITE, body=struct.pack("<I", base) + b"after!"))
    for at in range(1, len(frame) - 1):
        for flip in (0x01, 0x80):
            damaged = bytearray(frame)
            damaged[at] ^= flip
            monitor.transport.write(bytes(damaged))
            answers = []
            while not answers:
                answers = monitor.receiver.feed(monitor.transport.read(2))
            assert all((a.operation, a.status) == (0xFF, Status.BAD_FRAME) for a in answers)
    monitor.transport.write(b"\x55" * 5000 + b"\0")
    assert monitor.receiver.feed(monitor.transport.read(2))[0].operation == 0xFF
    assert monitor.read(base, 6) == b"before"


def test_a_repeated_request_is_answered_again_and_carried_out_once(monitor, everything, interface):
    """A request between two copies of another one shows it: RESET, READ, RESET again."""
    base = monitor.layout().buffer_base
    first = encode(Packet(5, Operation.WRITE, body=struct.pack("<I", base) + b"one"))
    for frame in (first, first):
        monitor.transport.write(frame)
        assert monitor.receiver.feed(monitor.transport.read(2))[0].status == Status.OK
    counters = encode(Packet(6, Operation.COUNTERS))
    answers = []
    for _ in range(2):
        monitor.transport.write(counters)
        answers.append(monitor.receiver.feed(monitor.transport.read(2))[0])
    assert answers[0] == answers[1]  # the counters of the host build change with each reading
    monitor.transport.write(encode(Packet(7, Operation.COUNTERS)))
    assert monitor.receiver.feed(monitor.transport.read(2))[0].body != answers[0].body


def test_a_bad_line_is_survived(programs):
    """Every 4,999th byte from the monitor is damaged. The client repeats requests, and results stay right."""
    transport = PipeTransport(programs / "monitor", "4999")
    monitor = Monitor(transport, timeout=0.3, attempts=20)
    data = random.Random(1).randbytes(60_000)
    base = monitor.layout().buffer_base
    monitor.write(base, data)
    assert monitor.read(base, len(data)) == data
    assert monitor.repeats > 5
    monitor.exit(0)
    assert transport.close() == 0


def test_exit(programs):
    transport = PipeTransport(programs / "monitor")
    Monitor(transport, timeout=2).exit(42)
    assert transport.close() == 42


@pytest.mark.parametrize("engine", [Engine.HW, Engine.TABLE, Engine.NANOPB])
def test_messages_are_serialized(loaded, everything, engine):
    monitor, _ = loaded
    encodes_again(monitor, everything, engine, warm=1, iterations=2, flags=RunFlag.SERIALIZE)


def test_what_cannot_be_serialized_is_a_result(loaded, interface):
    monitor, _ = loaded
    monitor.write(monitor.buffer, b"\x28\x01\x4a\x05a")
    run = monitor.run(Engine.TABLE, 0, monitor.buffer, 5, flags=RunFlag.SERIALIZE)
    assert interface.status_name(run.result) == "TRUNCATED" and run.offset == 2
    assert monitor.run(Engine.NANOPB, 0, monitor.buffer, 5, flags=RunFlag.SERIALIZE).text
    for flags in (3, 4):
        assert refused(monitor.run, Engine.TABLE, 0, monitor.buffer, 5, flags=flags) == Status.BAD_BODY

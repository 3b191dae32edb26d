"""Frames, and the client against a monitor behind a line that damages frames."""

import random
import re
import socket
import struct
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from base.errors import HeapwireError
from heapwire.client import Engine, LinkError, Monitor, MonitorError, connect
from heapwire.client.frame import Packet, Receiver, decode, encode
from heapwire.client.ports import VersionMismatch
from heapwire.records.monitor import Operation
from heapwire.records.packet import PACKET_BODY_MAX
from heapwire.schema import compile_schema
from heapwire.workload.messages import demo_cases
from tests.host.fake_monitor import BUFFER, FakeMonitor

packets = st.builds(
    Packet,
    st.integers(0, 255),
    st.integers(0, 255),
    st.integers(0, 255),
    st.integers(0, 255),
    st.binary(max_size=300) | st.integers(0, PACKET_BODY_MAX).map(bytes),
)


@given(st.lists(packets, max_size=4), st.integers(1, 50))
def test_packets_survive_any_cutting_of_the_stream(sent, step):
    stream, receiver, received = b"".join(map(encode, sent)), Receiver(), []
    for at in range(0, len(stream), step):
        received += receiver.feed(stream[at : at + step])
    assert received == sent and receiver.damaged == 0


@given(packets, st.data())
def test_a_damaged_frame_is_never_misread(packet, data):
    frame = bytearray(encode(packet))
    for _ in range(data.draw(st.integers(1, 4))):
        frame[data.draw(st.integers(1, len(frame) - 2))] ^= 1 << data.draw(st.integers(0, 7))
    received = Receiver().feed(bytes(frame))
    assert received in ([], [packet])


def test_frame_limits():
    assert len(encode(Packet(1, 2, body=bytes(range(1, 253)) * 4))) <= 1022
    with pytest.raises(ValueError):
        encode(Packet(1, 2, body=bytes(PACKET_BODY_MAX + 1)))
    receiver = Receiver()
    assert receiver.feed(b"\1" * 5000 + b"\0") == [] and receiver.damaged == 1
    assert len(receiver.pending) == 0 and receiver.feed(encode(Packet(1, 2))) == [Packet(1, 2)]
    assert decode(b"\2\1") is None


@pytest.fixture
def demo(interface):
    schema, cases = demo_cases()
    roots = list(dict.fromkeys(case.type_name for case in cases))
    return schema, compile_schema([schema.descriptor(name) for name in roots], interface), cases


@pytest.mark.parametrize("noise", [0.0, 0.15])
def test_every_request(interface, demo, noise):
    _, compiled, _ = demo
    fake = FakeMonitor(interface, compiled, noise)
    # Without noise nothing may be repeated, however busy this machine is.
    monitor = Monitor(fake, timeout=0.005 if noise else 60, attempts=60, run_timeout=0.3 if noise else 3600)
    assert monitor.hello().interface == interface.version
    data = random.Random(1).randbytes(12_345)
    chunks = []
    monitor.write(BUFFER + 3, data, chunks.append)
    assert sum(chunks) == len(data) and monitor.read(BUFFER + 3, len(data)) == data
    assert monitor.counters()["mcycle"] == (1 << 32) + 5
    monitor.reset()
    monitor.exit(3)
    assert fake.exit_code == 3
    # Each was executed once, however often it was repeated. Only HELLO may run again.
    counts = {op: fake.executed.count(op) for op in set(fake.executed) - {Operation.HELLO}}
    # Frames on a bad line are shorter.
    writes, reads = (counts.pop(operation) for operation in (Operation.WRITE, Operation.READ))
    assert (writes == reads == 13 and len(chunks) == 13) if not noise else (writes == len(chunks) > 13 and reads > 13)
    assert counts == {Operation.CHECKSUM: 1, Operation.COUNTERS: 1, Operation.RESET: 1, Operation.EXIT: 1}
    assert (monitor.repeats > 0) == (noise > 0)


def test_refusals_have_names_and_texts(interface, demo):
    monitor = Monitor(FakeMonitor(interface, demo[1]), timeout=0.01)
    with pytest.raises(MonitorError, match="WRITE: BAD_ADDRESS"):
        monitor.write(0x1000, b"x")
    monitor.write(BUFFER, bytes(64))
    with pytest.raises(MonitorError, match="BAD_SCHEMA: text 1"):
        monitor.load_schema(BUFFER, 64)
    with pytest.raises(MonitorError, match="NO_SCHEMA"):
        monitor.run(Engine.HW, 0, BUFFER, 5)


def test_silence_is_an_error(interface, demo):
    monitor = Monitor(FakeMonitor(interface, demo[1], noise=1.0), timeout=0.002, attempts=3)
    with pytest.raises(LinkError, match="no answer to HELLO in 3 attempts"):
        monitor.hello()


def test_what_a_dying_program_says_is_kept(interface, demo):
    fake = FakeMonitor(interface, demo[1])
    fake.write = lambda data: fake.output.extend(b"trap: load fault at 0x1234\n")
    with pytest.raises(LinkError, match="It said: .*load fault at 0x1234"):
        Monitor(fake, timeout=0.002, attempts=2).hello()


def test_tcp_transport(interface, demo):
    fake = FakeMonitor(interface, demo[1])
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = server.accept()
        with connection:
            while data := connection.recv(100):
                fake.write(data)
                connection.sendall(fake.read(0))

    thread = threading.Thread(target=serve)
    thread.start()
    transport = connect(f"tcp:127.0.0.1:{server.getsockname()[1]}")
    monitor = Monitor(transport)
    monitor.write(BUFFER, bytes(range(256)) * 20)
    assert monitor.read(BUFFER + 256, 256) == bytes(range(256))
    transport.close()
    thread.join()
    server.close()
    with pytest.raises(HeapwireError, match="neither host:port nor"):
        connect("nowhere")
    with pytest.raises(HeapwireError, match="nobody listens"):
        connect("127.0.0.1:1", patience=0.0)


def test_answers_that_come_late_or_twice_are_dropped(interface, demo):
    """Each answer comes again behind the next one, as after a timeout that was too short."""
    fake = FakeMonitor(interface, demo[1])
    data = random.Random(2).randbytes(5000)
    monitor = Monitor(fake, timeout=0.05)
    monitor.write(BUFFER, data)
    genuine, waiting, last = fake.read, [], [b""]

    def read(timeout):
        if answer := genuine(timeout):
            waiting.extend([last[0], answer])
            last[0] = answer
        return waiting.pop(0) if waiting else b""

    fake.read = read
    assert monitor.read(BUFFER, len(data)) == data


def test_a_long_wait_is_told_of(interface, demo, monkeypatch):
    """A run that hangs is waited for, but not silently."""
    monkeypatch.setattr(Monitor, "LONG", 0.02)
    fake, said = FakeMonitor(interface, demo[1], noise=1.0), []
    monitor = Monitor(fake, timeout=0.01, attempts=2, run_timeout=0.3)
    fake.read = lambda timeout: time.sleep(timeout) or b""
    monitor.waiting = said.append
    with pytest.raises(LinkError):
        monitor.layout()
    assert said == []
    with pytest.raises(LinkError):
        monitor.run(Engine.HW, 0, BUFFER, 5)
    assert 2 <= len(said) <= 5
    assert all(re.fullmatch(r"no answer to RUN for 0 s; it may take 0 s", text) for text in said)


def test_sequences_count_from_1_to_255(interface, demo):
    """The numbering is that of docs/reference/monitor_protocol.md. 0 belongs to NAK."""
    fake, sequences = FakeMonitor(interface, demo[1]), []
    genuine = fake._packet
    fake._packet = lambda packet: sequences.append(packet.sequence) or genuine(packet)
    monitor = Monitor(fake)
    for _ in range(300):
        monitor.hello()
    assert set(sequences) == set(range(1, 256))
    assert all(after == before % 255 + 1 for before, after in zip(sequences, sequences[1:]))


@pytest.mark.parametrize("words", [[5, 1, 6, 0, 1, *range(7)], [5, 1, 6, 0, 3_000_000], [5, 1, 6, 0]])
def test_counters_that_are_cut_are_refused(interface, demo, monkeypatch, words):
    fake = FakeMonitor(interface, demo[1])
    monitor = Monitor(fake)
    monkeypatch.setattr(fake, "_counters", lambda body: struct.pack(f"<{len(words)}I", *words))
    with pytest.raises(VersionMismatch, match="the answer to COUNTERS has"):
        monitor.counters()

"""The switch between several machines, without simulators."""

import socket
import struct
import threading
from contextlib import suppress

import pytest

from sim.medium import FRAME_BYTES, MAGIC, MOST_SILENT, MOST_WAITING, QUANTUM, Medium, Port, Switch
from sim.run import SimulationError

RATE = 100


def switch(machines=3):
    return Switch([Port(number, RATE) for number in range(machines)])


def take(switch, source, data, cycle=0):
    """Gives the switch bytes at the line's rate. Returns the cycle after the last one."""
    for byte in data:
        switch.take(source, cycle, byte)
        cycle += RATE
    return cycle


def given(port, start, quanta=1):
    """Returns the bytes that go to a machine, and their cycles."""
    found = []
    for quantum in range(quanta):
        token = port.token(start + quantum * QUANTUM)
        (count,) = struct.unpack_from("<H", token)
        entries = list(struct.iter_unpack("<HB", token[2:]))
        assert len(entries) == count
        found += [(start + quantum * QUANTUM + at, byte) for at, byte in entries]
    return bytes(byte for _, byte in found), [cycle for cycle, _ in found]


def test_a_frame_goes_to_its_address_with_its_sender():
    medium = switch()
    take(medium, 0, b"\0\x03hey\0")
    assert given(medium.ports[2], 0)[0] == b"\0\x01hey\0" and given(medium.ports[1], 0)[0] == b""
    assert (medium.forwarded, medium.dropped) == (1, 0)


def test_frames_of_several_senders_do_not_mix():
    """The second frame waits for the end of the first, which is still coming."""
    medium = switch()
    take(medium, 0, b"\0\x03aa")
    take(medium, 1, b"\0\x03bb\0")
    assert given(medium.ports[2], 0)[0] == b"\0\x01aa"
    take(medium, 0, b"a\0", 1000)
    assert given(medium.ports[2], 1000, 2)[0] == b"a\0\0\x02bb\0"


def test_a_line_keeps_its_rate():
    medium = switch()
    for source in (0, 1):
        take(medium, source, b"\0\x03" + b"x" * 30 + b"\0")
    data, cycles = given(medium.ports[2], 0, 8)
    assert len(data) == 66 and all(later - earlier >= RATE for earlier, later in zip(cycles, cycles[1:]))


@pytest.mark.parametrize("data", [b"\0\x01to itself\0", b"\0\x04nobody\0", b"\0\xffall\0", b"no beginning"])
def test_what_has_no_receiver_is_dropped(data):
    medium = switch()
    take(medium, 0, data + b"\0\0\x02good\0")
    assert given(medium.ports[1], 0, 4)[0] == b"\0\x01good\0" and medium.forwarded == 1
    assert medium.dropped == (data[0] == 0)


def test_a_machine_that_does_not_read_costs_bounded_room():
    medium = switch()
    for _ in range(MOST_WAITING + 3):
        take(medium, 0, b"\0\x02x\0")
    assert (medium.forwarded, medium.dropped, len(medium.ports[1].waiting)) == (MOST_WAITING, 3, MOST_WAITING)


def test_frames_of_one_machine_leave_room_for_those_of_another():
    medium = switch()
    for _ in range(MOST_WAITING + 1):
        take(medium, 0, b"\0\x03x\0")
    take(medium, 1, b"\0\x03good\0")
    assert medium.dropped == 1
    assert given(medium.ports[2], 0, 60)[0].endswith(b"\0\x02good\0")


def test_a_slow_frame_blocks_no_one_for_long():
    medium = switch()
    take(medium, 0, b"\0\x03")
    take(medium, 1, b"\0\x03good\0")
    cycle = 0
    while not medium.cuts:
        cycle += MOST_SILENT - 1
        medium.take(0, cycle, 5)
        medium.pass_time(cycle)
        assert cycle < 10 * FRAME_BYTES * RATE
    assert given(medium.ports[2], cycle, 3)[0].endswith(b"\0\0\x02good\0")


def test_a_frame_that_is_cut_blocks_no_one():
    medium = switch()
    take(medium, 0, b"\0\x03half")
    take(medium, 1, b"\0\x03whole\0")
    medium.cut(0, 2000)
    assert given(medium.ports[2], 2000, 2)[0] == b"\0\x01half\0\0\x02whole\0"


def test_a_frame_that_stops_blocks_no_one_for_ever():
    """Its receiver gets its end, and finds it damaged. What comes of it later goes nowhere; then all is well again."""
    medium = switch()
    end = take(medium, 0, b"\0\x03half") - RATE
    take(medium, 1, b"\0\x03whole\0")
    medium.pass_time(end + MOST_SILENT)
    assert given(medium.ports[2], 0, 3)[0] == b"\0\x01half" and medium.cuts == 0
    medium.pass_time(end + MOST_SILENT + 1)
    assert given(medium.ports[2], end + MOST_SILENT, 3)[0] == b"\0\0\x02whole\0" and medium.cuts == 1
    take(medium, 0, b"late\0\0\x03good\0", 200_000)
    assert given(medium.ports[2], 200_000, 4)[0] == b"\0\x01good\0"


def test_a_frame_without_end_is_cut():
    medium = switch()
    take(medium, 0, b"\0\x02" + b"x" * FRAME_BYTES + b"\0\0\x03" + b"y" * (FRAME_BYTES + 1))
    take(medium, 1, b"\0\x03good\0")
    assert given(medium.ports[1], 0, 800)[0] == b"\0\x01" + b"x" * FRAME_BYTES + b"\0"
    assert given(medium.ports[2], 0, 800)[0] == b"\0\x01" + b"y" * FRAME_BYTES + b"\0\0\x02good\0"
    assert medium.cuts == 1


def test_sizes_that_no_medium_has():
    for machines in (1, 6):
        with pytest.raises(ValueError, match="2 to 5"):
            Medium(machines)


def greeted(path, rate=RATE):
    end = socket.socket(socket.AF_UNIX)
    end.connect(str(path))
    stream = end.makefile("rwb")
    stream.write(MAGIC + struct.pack("<2I", QUANTUM, rate))
    stream.flush()
    return end, stream


def test_lock_step():
    """Each machine gets a token for each of its own. A byte passes two lines, each of a quantum."""
    with Medium(2, RATE) as medium:
        ends = [greeted(path) for path in medium.paths]
        sent = [struct.pack("<H", 3) + struct.pack("<HBHBHB", 0, 0, 100, 2, 200, 9), *[b"\0\0"] * 3]
        told = []
        for quantum in range(4):
            for number, (_, stream) in enumerate(ends):
                stream.write(b"\0\0" if number else sent[quantum])
                stream.flush()
        for _, stream in ends:
            assert stream.read(12) == MAGIC + struct.pack("<2I", QUANTUM, RATE)
        for quantum in range(4):
            (count,) = struct.unpack("<H", ends[1][1].read(2))
            told += [(quantum, *entry) for entry in struct.iter_unpack("<HB", ends[1][1].read(3 * count))]
        assert told == [(1, 100, 0), (1, 200, 1), (1, 300, 9)], "a frame is forwarded once its address is known"
        for end, stream in ends:
            stream.close()
            end.close()
        medium.thread.join(10)
        assert not medium.thread.is_alive()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([(100, 0), (150, 2)], "a byte in cycle 150 of a quantum, while the line is busy with the one before"),
        ([(100, 0), (0, 2)], "a byte in cycle 0 of a quantum, while the line is busy with the one before"),
        ([(QUANTUM, 0)], f"a byte in cycle {QUANTUM} of a quantum of {QUANTUM}"),
        ([(0, 0)] * 11, "11 bytes in a quantum, at 100 cycles each"),
    ],
)
def test_a_token_that_no_line_can_carry(entries, said):
    """The line of that machine is cut, and whoever watches the machines is told. The other machine runs on."""
    with Medium(2, RATE) as medium:
        ends = [greeted(path) for path in medium.paths]
        token = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HB", *entry) for entry in entries)
        for quantum in range(2):
            for number, (_, stream) in enumerate(ends):
                stream.write([b"\0\0", token][number and quantum])
                stream.flush()
        with suppress(ConnectionResetError):  # the medium has not read all that it was sent
            ends[1][1].read()
        with pytest.raises(SimulationError, match=f"^machine 1: its line tells of {said}$"):
            medium.check()
        ends[0][1].write(b"\0\0")
        ends[0][1].flush()
        assert len(ends[0][1].read(12 + 2 * 3)) == 12 + 2 * 3
        for end, stream in ends:
            stream.close()
            end.close()


def test_tokens_follow_each_other():
    """The first byte of a quantum may come too early, behind the last one of the quantum before."""
    port = Port(0, RATE)
    port.end, other = socket.socketpair()
    with port.end, other:
        other.sendall(2 * (struct.pack("<H", 1) + struct.pack("<HB", 950, 0)))
        assert port.heard(0) == port.heard(QUANTUM) == [(950, 0)]
        other.sendall(struct.pack("<H", 1) + struct.pack("<HB", 40, 0))
        with pytest.raises(ValueError, match="cycle 40 of a quantum, while"):
            port.heard(2 * QUANTUM)


def test_an_end_of_another_rate_is_cut():
    with Medium(2, RATE) as medium:
        ends = [greeted(path, rate) for path, rate in zip(medium.paths, (RATE, 7))]
        assert ends[1][1].read() == MAGIC + struct.pack("<2I", QUANTUM, RATE)
        for end, stream in ends:
            stream.close()
            end.close()


def test_nothing_is_left_of_a_medium_that_no_one_joins():
    with Medium(3) as medium:
        folder = medium.paths[0].parent
    assert not medium.thread.is_alive() and not folder.exists()
    assert not any(thread.name == "medium" for thread in threading.enumerate())

"""Two simulated SoCs on one line, in lock-step."""

import signal
import socket
import struct
import subprocess
import sys
import time

import pytest

from sim import pair
from sim.pair import Line, Program, Running, run_pair, wait_for
from sim.run import Build, SimulationError, run
from tests.common import bare

TEXT, WAIT, LIMIT, CODE = 0x42000000, 0x43000000, 0x44000000, 0x45000000
QUANTUM, MAGIC = 1000, b"HLNK"
FIFO = 2049
"""soc.soc.LINK_BYTES, and one byte at the FIFO's output."""


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return bare.compile(Build.of(), tmp_path_factory.mktemp("link") / "link.elf", "start.S", "link.c")


def loads(text, wait=0, limit=0, code=0):
    return [
        (TEXT, text + b"\0"),
        *((at, struct.pack("<I", word)) for at, word in ((WAIT, wait), (LIMIT, limit), (CODE, code))),
    ]


def test_each_gets_what_the_other_sends(image):
    first, second = run_pair(
        (image, image), (loads(b"from the first\n"), loads(b"from the second one\n")), max_cycles=1_000_000
    )
    assert (first.check().uart, second.check().uart) == (b"from the second one\n", b"from the first\n")
    assert first.link == {"sent": 15, "received": 20, "lost": 0}
    assert second.link == {"sent": 20, "received": 15, "lost": 0}


def test_it_repeats_to_the_cycle_however_busy_the_machine(image):
    given = loads(b"x" * 300 + b"\n"), loads(b"y" * 40 + b"\n", wait=20_000)

    def cycles(watch=None):
        return [result.check().cycles for result in run_pair((image, image), given, max_cycles=1_000_000, watch=watch)]

    def starve(machines):
        machines[0].process.send_signal(19)
        time.sleep(0.05)
        machines[0].process.send_signal(18)

    assert cycles() == cycles(starve)


def test_the_rate_is_the_lines(image):
    def cycles(rate):
        given = loads(b"x" * 200 + b"\n"), loads(b"\n")
        ends = run_pair((image, image), given, byte_cycles=rate, max_cycles=400_000)
        return ends[1].check().cycles

    assert 200 * 400 <= cycles(500) - cycles(100) <= 201 * 400


def test_what_finds_no_room_is_lost(image):
    """As with a UART, the sender does not wait for a receiver that does not read."""
    given = loads(b"x" * 3000, limit=1), loads(b"\n", wait=400_000, limit=2000)
    first, second = run_pair((image, image), given, byte_cycles=10, max_cycles=3_000_000)
    assert second.check().link["lost"] == 3000 - FIFO and first.check().link == {"sent": 3000, "received": 1, "lost": 0}


def test_the_line_is_cut_when_one_ends(image):
    with pytest.raises(SimulationError) as failure:
        run_pair((image, image), (loads(b"bye", limit=1), loads(b"\n", limit=4)), max_cycles=300_000)
    assert str(failure.value) == "machine 1 ended with max-cycles, code 0, after 300,000 cycles; its last lines:\n  bye"


class Watched:
    """Records the machines that run_pair has started."""

    def __init__(self, do=None):
        self.machines, self.do = [], do

    def __call__(self, machines):
        self.machines, do, self.do = machines, self.do, None
        if do:
            do(machines)

    def none_is_left(self):
        return len(self.machines) == 2 and all(machine.process.returncode is not None for machine in self.machines)


@pytest.mark.parametrize("bad", [0, 1])
def test_the_one_that_failed_is_named(image, bad):
    """The other machine waits for a line that never ends, and is stopped."""
    given = [loads(b"why\n", limit=4), loads(b"why\n", limit=4)]
    given[bad] = loads(b"why", limit=4, code=7)
    given[1 - bad] = loads(b"why\n", limit=100)
    watched, begun = Watched(), time.monotonic()
    told = rf"^machine {bad} ended with finish, code 7, after [\d,]+ cycles; its last lines:\n  why$"
    with pytest.raises(SimulationError, match=told):
        run_pair((image, image), given, max_cycles=1_000_000_000, watch=watched)
    assert watched.none_is_left() and time.monotonic() - begun < 60


@pytest.mark.parametrize("early", [0, 1])
def test_of_two_that_failed_the_first_is_named(image, early):
    """The first one is named even if the host looks late."""
    given = [loads(b"x\n", wait=20_000, code=7), loads(b"x\n", wait=20_000, code=7)]
    given[early] = loads(b"x\n", code=8)
    watched = Watched(lambda machines: [machine.process.wait() for machine in machines])
    with pytest.raises(SimulationError, match=f"^machine {early} ended with finish, code 8"):
        run_pair((image, image), given, max_cycles=10_000_000, watch=watched)


def test_a_simulator_that_is_ended_is_named(image):
    watched = Watched(lambda machines: machines[1].process.kill())
    with pytest.raises(SimulationError, match="^machine 1 failed: the simulator ended with -9"):
        run_pair((image, image), [loads(b"x", limit=100)] * 2, max_cycles=1_000_000_000, watch=watched)
    assert watched.none_is_left()


def test_nothing_is_left_of_machines_that_do_not_listen(image, monkeypatch):
    """The machines are stopped by SIGSTOP, and a request to end does not reach them. They have to be killed."""

    def stop(machines):
        for machine in machines:
            machine.process.send_signal(signal.SIGSTOP)
        raise KeyboardInterrupt

    monkeypatch.setattr(pair, "STOP_SECONDS", 0.2)
    watched = Watched(stop)
    with pytest.raises(KeyboardInterrupt):
        run_pair((image, image), [loads(b"x", limit=100)] * 2, max_cycles=1_000_000_000, watch=watched)
    assert watched.none_is_left()


def test_without_a_line_what_is_sent_goes_nowhere(image):
    result = run(image, loads=loads(b"x" * 100), max_cycles=300_000)
    assert (result.reason, result.uart, result.link) == ("max-cycles", b"", {})


def greeted(path):
    """Connects to the line and exchanges greetings. Returns the host's end of the line and a stream over it."""
    end = socket.socket(socket.AF_UNIX)
    deadline = time.monotonic() + 60
    while end.connect_ex(str(path)) and time.monotonic() < deadline:
        time.sleep(0.02)
    stream = end.makefile("rwb")
    stream.write(MAGIC + struct.pack("<2I", QUANTUM, 100))
    stream.flush()
    assert stream.read(12) == MAGIC + struct.pack("<2I", QUANTUM, 100)
    return end, stream


def token(*bytes_sent):
    return struct.pack("<H", len(bytes_sent)) + b"".join(struct.pack("<HB", at, byte) for at, byte in bytes_sent)


def test_a_program_of_the_host_is_the_other_end(image):
    """The program exchanges the line's tokens. Here it answers in the next quantum."""
    with Line() as line, Running(image, line.ends[0], loads(b"hello\n"), max_cycles=1_000_000) as machine:
        end, stream = greeted(line.path)
        heard, times = b"", []
        while not heard.endswith(b"\n"):
            stream.write(struct.pack("<H", 0))
            stream.flush()
            for _ in range(struct.unpack("<H", stream.read(2))[0]):
                at, byte = struct.unpack("<HB", stream.read(3))
                heard += bytes([byte])
                times.append(at)
        answer = heard.upper()
        stream.write(token(*((at * 100, byte) for at, byte in enumerate(answer))))
        stream.close()
        end.close()
        assert heard == b"hello\n"
        assert all((later - earlier) % QUANTUM >= 100 for earlier, later in zip(times, times[1:]))
        assert machine.end(60).check().uart == b"HELLO\n"


PEER = f"""
import socket, struct, sys, time
end = socket.socket(socket.AF_UNIX)
while end.connect_ex(sys.argv[1]):
    time.sleep(0.02)
stream = end.makefile("rwb")
stream.write({MAGIC!r} + struct.pack("<2I", {QUANTUM}, 100))
stream.flush()
stream.read(12)
for _ in range(int(sys.argv[2])):
    stream.write(struct.pack("<H", 0))
    stream.flush()
    count = stream.read(2)
    if len(count) < 2 or len(stream.read(3 * struct.unpack("<H", count)[0])) % 3:
        break
else:
    sys.exit("I give up")
sys.exit("the line is cut")
"""


def test_a_program_of_the_host_that_fails_is_named(image):
    with (
        Line() as line,
        Running(image, line.ends[0], loads(b"x", limit=1), max_cycles=1_000_000_000, name="the SoC") as machine,
        Program([sys.executable, "-c", PEER, line.path, 50]) as program,
    ):
        with pytest.raises(SimulationError, match="^the host's program ended with 1; its last lines:\n  I give up$"):
            wait_for((machine, program))


def test_the_machine_is_named_that_a_program_of_the_host_follows(image):
    """The program notices the cut line at once, and ends before the simulator has reported its own end."""
    given = loads(b"x", wait=10_000, limit=0xFFFFFFFF)
    with (
        Line() as line,
        Running(image, line.ends[0], given, max_cycles=200_000, name="the SoC") as machine,
        Program([sys.executable, "-c", PEER, line.path, 1_000_000]) as program,
    ):
        with pytest.raises(SimulationError, match="^the SoC ended with max-cycles"):
            wait_for((machine, program))


def test_a_simulator_whose_other_end_is_no_line_is_not_to_blame(image):
    """The program tells nothing else."""
    with (
        Line() as line,
        Running(image, line.ends[0], loads(b"x", limit=1), name="the SoC") as machine,
        Program([sys.executable, "-c", PEER.partition("stream =")[0] + "sys.exit('no')", line.path]) as program,
    ):
        with pytest.raises(SimulationError, match="^the host's program ended with 1; its last lines:\n  no$"):
            wait_for((machine, program))


def test_a_console_is_read_while_it_is_written():
    """Reading does not move the file position of the process."""
    lines = b"".join(b"%d\n" % number for number in range(1, 300_001))
    with Program(["seq", "300000"]) as program:
        while not program.over:
            assert lines.startswith(program.uart)
        assert wait_for((program,))[0].uart == lines


@pytest.mark.parametrize(
    "tokens, message",
    [
        ([struct.pack("<H", 11)], "11 bytes in a quantum, at 100 cycles each"),
        ([struct.pack("<H", 0xFFFF)], "65535 bytes in a quantum"),
        ([token((QUANTUM, 0))], "cycle 1000 of a quantum of 1000"),
        ([token((0, 0), (99, 0))], "busy with the one before"),
        ([token((500, 0), (300, 0))], "busy with the one before"),
        ([token((950, 0)), token((49, 0))], "cycle 49 of a quantum of 1000, while the line is busy"),
    ],
)
def test_tokens_that_no_line_carries_are_refused(image, tokens, message):
    with Line() as line:
        process = subprocess.Popen(
            Build.of().command(image, [], [*line.ends[0], "--max-cycles", 1_000_000]), stderr=subprocess.PIPE, text=True
        )
        end, stream = greeted(line.path)
        stream.write(b"".join(tokens))
        stream.flush()
        assert message in process.communicate(timeout=60)[1] and process.returncode == 125
        stream.close()
        end.close()


@pytest.mark.parametrize(
    "options, message",
    [
        (["--link", "somewhere"], "expected listen:PATH or connect:PATH"),
        (["--link", "listen:"], "a path of 1 to 107 bytes"),
        (["--link", "listen:/nonexistent/line"], "No such file"),
        (["--link", "listen:x", "--link-byte-cycles", "0"], "at least 1"),
    ],
)
def test_what_is_no_line_is_refused(image, options, message):
    process = subprocess.run(Build.of().command(image, [], options), capture_output=True, text=True, timeout=60)
    assert process.returncode == 125 and message in process.stderr


def test_ends_of_different_rates_are_refused(image, tmp_path):
    path = tmp_path / "line"
    ends = [
        subprocess.Popen(
            Build.of().command(image, [], ["--link", f"{verb}:{path}", "--link-byte-cycles", rate]),
            stderr=subprocess.PIPE,
            text=True,
        )
        for verb, rate in (("listen", 50), ("connect", 60))
    ]
    assert all("another --link-byte-cycles" in end.communicate(timeout=60)[1] and end.returncode == 125 for end in ends)

"""Two simulated SoCs on one line, in lock-step."""
import socket
import struct
import subprocess
import time

import pytest

from sim.pair import Line, Running, run_pair
from sim.run import Build, run
from tests.common import bare

TEXT, WAIT, LIMIT = 0x42000000, 0x43000000, 0x44000000
QUANTUM, MAGIC = 1000, b"HLNK"
FIFO = 2049
"""soc.soc.LINK_BYTES, and one at its end."""


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    return bare.compile(Build.of(), tmp_path_factory.mktemp("link") / "link.elf", "start.S", "link.c")


def loads(text, wait=0, limit=0):
    return [(TEXT, text + b"\0"), (WAIT, struct.pack("<I", wait)), (LIMIT, struct.pack("<I", limit))]


def test_each_gets_what_the_other_sends(image):
    first, second = run_pair((image, image), (loads(b"from the first\n"), loads(b"from the second one\n")), max_cycles=1_000_000)
    assert (first.check().uart, second.check().uart) == (b"from the second one\n", b"from the first\n")
    assert first.link == {"sent": 15, "received": 20, "lost": 0} and second.link == {"sent": 20, "received": 15, "lost": 0}


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
    slow, fast = ([result.check().cycles for result in run_pair((image, image), (loads(b"x" * 200 + b"\n"), loads(b"\n")), byte_cycles=rate, max_cycles=400_000)]
                  for rate in (500, 100))
    assert 200 * 400 <= slow[1] - fast[1] <= 201 * 400


def test_what_finds_no_room_is_lost(image):
    """As with a UART: nobody waits for a receiver that does not listen."""
    first, second = run_pair((image, image), (loads(b"x" * 3000, limit=1), loads(b"\n", wait=400_000, limit=2000)), byte_cycles=10, max_cycles=3_000_000)
    assert second.check().link["lost"] == 3000 - FIFO and first.check().link == {"sent": 3000, "received": 1, "lost": 0}


def test_the_line_is_cut_when_one_ends(image):
    first, second = run_pair((image, image), (loads(b"bye", limit=1), loads(b"\n", limit=4)), max_cycles=300_000)
    assert first.check().cycles < 300_000
    assert (second.reason, second.uart) == ("max-cycles", b"bye")


def test_without_a_line_what_is_sent_goes_nowhere(image):
    result = run(image, loads=loads(b"x" * 100), max_cycles=300_000)
    assert (result.reason, result.uart, result.link) == ("max-cycles", b"", {})


def test_a_program_of_the_host_is_the_other_end(image):
    """By the tokens of the line: here it answers in the quantum that follows."""
    with Line() as line, Running(image, line.ends[0], loads(b"hello\n"), max_cycles=1_000_000) as machine:
        end = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + 60
        while end.connect_ex(str(line.path)) and time.monotonic() < deadline:
            time.sleep(0.02)
        stream = end.makefile("rwb")
        stream.write(MAGIC + struct.pack("<2I", QUANTUM, 100))
        stream.flush()
        assert stream.read(12) == MAGIC + struct.pack("<2I", QUANTUM, 100)
        heard, times = b"", []
        while not heard.endswith(b"\n"):
            stream.write(struct.pack("<H", 0))
            stream.flush()
            for _ in range(struct.unpack("<H", stream.read(2))[0]):
                at, byte = struct.unpack("<HB", stream.read(3))
                heard += bytes([byte])
                times.append(at)
        answer = heard.upper()
        stream.write(struct.pack("<H", len(answer)) + b"".join(struct.pack("<HB", at * 100, byte) for at, byte in enumerate(answer)))
        stream.close()
        end.close()
        assert heard == b"hello\n" and all((later - earlier) % QUANTUM >= 100 for earlier, later in zip(times, times[1:]))
        assert machine.end(60).check().uart == b"HELLO\n"


@pytest.mark.parametrize("options, message", [
    (["--link", "somewhere"], "expected listen:PATH or connect:PATH"),
    (["--link", "listen:"], "a path of 1 to 107 bytes"),
    (["--link", "listen:/nonexistent/line"], "No such file"),
    (["--link", "listen:x", "--link-byte-cycles", "0"], "at least 1"),
])
def test_what_is_no_line_is_refused(image, options, message):
    process = subprocess.run(Build.of().command(image, [], options), capture_output=True, text=True, timeout=60)
    assert process.returncode == 125 and message in process.stderr


def test_ends_of_different_rates_are_refused(image, tmp_path):
    path = tmp_path / "line"
    ends = [subprocess.Popen(Build.of().command(image, [], ["--link", f"{verb}:{path}", "--link-byte-cycles", rate]), stderr=subprocess.PIPE, text=True)
            for verb, rate in (("listen", 50), ("connect", 60))]
    assert all("another --link-byte-cycles" in end.communicate(timeout=60)[1] and end.returncode == 125 for end in ends)

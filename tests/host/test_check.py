"""The self-test of a board, against a monitor in Python that has a board's faults."""

import copy
import json
import socket
import struct
import time

import pytest

from base.repository import ROOT
from heapwire.check import memory, sample, selftest
from heapwire.check.selftest import PARTS, SelfTest, Wanted
from heapwire.client.line import Line
from heapwire.records.monitor import Hello
from tests.common.fixtures import invoke, refused
from tests.host.fake_monitor import BUFFER, SIZE
from tests.host.faulty_line import FaultyLine
from tests.host.served_monitor import LIMIT, Multi, Served, groups  # noqa: F401 (a fixture)


class Board(Multi):
    """A monitor that says that it runs on a board, and whose clock runs."""

    speed = 1.0

    def _hello(self, body):
        hello = vars(Hello.unpack(super()._hello(body)))
        return Hello(**hello | {"simulated": 0}).pack()

    def _counters(self, body):
        cycles = int(time.monotonic() * self.clock_hz * self.speed)
        return struct.pack("<13I", cycles & 0xFFFFFFFF, cycles >> 32, 0, 0, 1, *range(8))


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(selftest, "CLOCK_SECONDS", 0.5)
    monkeypatch.setitem(memory.RANDOM_BYTES, False, 1 << 12)


@pytest.fixture
def described(interface):
    interface = copy.copy(interface)
    interface.cluster = interface.cluster | {"memoryBytes": SIZE}
    return interface


@pytest.fixture
def board(described, groups):  # noqa: F811
    served = Served(Board(described, groups))
    yield served
    served.close()


@pytest.fixture
def check(described, groups, tmp_path):  # noqa: F811
    """Returns a function that runs the self-test and returns its findings, by part, and the report."""

    def run(port, patience=5.0, **wanted):
        line = Line(f"socket://127.0.0.1:{port}", print, timeout=0.1, patience=patience)
        test = SelfTest(line, described, Wanted("ulx3s", groups=groups[:1], limit=LIMIT, **wanted), tmp_path, print)
        try:
            found = {finding.name: finding for finding in test.run()}
        finally:
            line.close()
        return found, json.loads(test.file.read_text())

    return run


def test_a_good_board(board, check, tmp_path):
    (tmp_path / "monitor.bin").write_bytes(bytes(board.fake.memory[: 1 << 16]) + b"more")
    found, report = check(board.port, kernel=tmp_path / "monitor.bin")
    assert {name: finding.ok for name, finding in found.items()} == dict.fromkeys(PARTS, True) | {"conformance": None}
    assert report["passed"] and [finding["name"] for finding in report["findings"]] == list(PARTS)
    facts = {finding["name"]: finding["facts"] for finding in report["findings"]}
    assert facts["identity"]["kernel"] == facts["identity"]["build"]["firmware"]
    assert len(facts["messages"]["rows"]) > 5 and all(row["ok"] for row in facts["messages"]["rows"])
    assert facts["line"]["repeats"] == 0 < facts["line"]["requests"]


def test_no_board_answers(check):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found, report = check(silent.getsockname()[1], patience=1.0)
    told = found["identity"].text
    assert told.startswith("nobody has answered on socket") and "Check cable and power of the board" in told
    assert [finding.ok for finding in found.values()] == [False, *[None] * 5] and not report["passed"]
    assert "socket://" not in json.dumps(report) and "on PORT" in report["findings"][0]["text"]


def test_another_clusters_bitstream(board, check):
    board.fake.units = 3
    found, _ = check(board.port)
    told = found["identity"].text
    assert told.startswith("another cluster is on the board: ") and "protobuf_engine: 3, not 1" in told
    assert "What to do: load the bitstream that was built for it here (make load BOARD=)" in told
    assert found["memory"].ok is None


def test_another_monitor(board, check, tmp_path):
    (tmp_path / "monitor.bin").write_bytes(b"x" * (1 << 16))
    found, _ = check(board.port, kernel=tmp_path / "monitor.bin")
    assert (
        not found["identity"].ok and "reset the board, whose boot ROM then asks for this one" in found["identity"].text
    )


def test_a_noisy_line_is_told_and_costs_nothing_else(board, check):
    with FaultyLine(board.connect, gap=3000, seed=1, delays=(0.0, 0.02)) as line:
        found, report = check(line.port)
    assert found["line"].ok is False and "the line is noisy. What to do: another cable" in found["line"].text, found
    # The clock is read by the host's time, which a line that repeats may spoil.
    assert all(found[name].ok for name in ("identity", "memory", "messages")), found


def test_a_line_on_which_nothing_comes_whole(board, check):
    """A cable that turns bits of every answer."""
    genuine = board.fake._send
    board.fake._send = lambda frame: genuine(frame[:3] + bytes([frame[3] ^ 0x10]) + frame[4:])
    found, _ = check(board.port, patience=1.5)
    assert "nobody has answered" in found["identity"].text
    assert "Something answers, but" in found["identity"].text and "the line is noisy" in found["identity"].text


@pytest.mark.parametrize(
    "fault, told",
    [
        ("stuck", "in the bits 0x00000800 of a word"),
        ("aliased", "blocks were overwritten by others, the first at 0x4001"),
        ("size", "the monitor knows 4,194,304 bytes of memory, 8,388,608 were built"),
    ],
)
def test_bad_memory(board, check, described, monkeypatch, fault, told):
    """Reads are wrong, too: the machine's own checksums are those of what it reads."""
    fake = board.fake
    if fault == "stuck":
        genuine = fake._read
        monkeypatch.setattr(fake, "_read", lambda body: _stuck(genuine(body)))
    elif fault == "aliased":
        write, line = fake._write, 1 << 14

        def aliased(body):
            address = struct.unpack_from("<I", body)[0]
            return write(struct.pack("<I", address & ~line if address >= BUFFER + line else address) + body[4:])

        monkeypatch.setattr(fake, "_write", aliased)
        monkeypatch.setattr(
            fake, "_checksum", lambda body, whole=fake._checksum: whole(_moved(body, BUFFER + line, line))
        )
        monkeypatch.setattr(fake, "_read", lambda body, whole=fake._read: whole(_moved(body, BUFFER + line, line)))
    else:
        described.cluster["memoryBytes"] = 2 * SIZE
    found, _ = check(board.port)
    assert not found["memory"].ok and told in found["memory"].text


def _stuck(data):
    return bytes(byte | 8 if at % 4 == 1 else byte for at, byte in enumerate(data))


def _moved(body, first, line):
    address, length = struct.unpack("<2I", body)
    return struct.pack("<2I", address & ~line if address >= first else address, length)


def test_a_clock_of_another_rate(board, check):
    board.fake.speed = 1.05
    found, report = check(board.port)
    assert not found["clock"].ok and "60 MHz were built" in found["clock"].text
    hz = next(finding["facts"]["hz"] for finding in report["findings"] if finding["name"] == "clock")
    assert 61_500_000 < hz < 64_500_000


def test_messages_of_the_official_suite_go_over_the_line(board, described, groups):  # noqa: F811
    """It goes on after the board was reset."""
    case, other = groups[0].cases[0], groups[0].cases[1]
    line = Line(f"socket://127.0.0.1:{board.port}", print, timeout=0.1, patience=5.0)
    machine = sample.OverLine(line, groups[0], described, print)
    (first,) = machine.answer([(case.type_name, case.data)])
    board.reset()
    (second,) = machine.answer([(other.type_name, other.data)])
    line.close()
    assert (first.parse_status, first.serialized, first.in_hardware) == ("OK", case.data, True)
    assert second.serialized == other.data


def test_the_command_says_what_failed(board):
    """The machine has less memory than the one that is built here."""
    words = "check", "--port", f"socket://127.0.0.1:{board.port}", "--group", "demo", "--limit", LIMIT, "--name", "test"
    with refused("^the board fails: memory$"):
        invoke(*words)
    report = json.loads((ROOT / "build" / "check" / "test.json").read_text())
    assert not report["passed"] and [each["ok"] for each in report["findings"]] == [True, False, True, None, True, True]
    result = invoke("check")
    assert result.exit_code == 2 and "which machine? Give --port or --board" in result.output

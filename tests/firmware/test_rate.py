"""The rate of a serial line: the host-built monitor behind a pseudo-terminal, on which a wrong rate garbles bytes."""

import os
import re
import subprocess
import time
import tty

import pytest

from heapwire.client import rate
from heapwire.client.line import Line, linked
from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import LinkError
from heapwire.client.rate import change, find, raise_rate
from heapwire.client.transport import connect
from heapwire.measure import uart
from heapwire.measure.journal import key_of
from heapwire.records.monitor import Status
from heapwire.workload.case import Case
from heapwire.workload.group import Group

START = 115_200
SLOWER = 4  # the monitor's clock, as in tests/firmware/host/line.c
POSSIBLE = 2_000_000  # tests/firmware/host/line.c


@pytest.fixture(autouse=True)
def slow_clock(monkeypatch):
    monkeypatch.setattr(rate, "TRIAL", rate.TRIAL * SLOWER * 1.1)
    monkeypatch.setattr(rate, "HELLO_TIMEOUT", rate.HELLO_TIMEOUT * SLOWER)


class Cable:
    """The monitor at the far end of a serial port, `port`. The cable carries at most `carries` bits a second."""

    def __init__(self, programs, carries):
        self.programs, self.carries = programs, carries
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.reset()

    def reset(self):
        """Restarts the monitor at its first rate, like the board's button."""
        if hasattr(self, "process"):
            self.process.kill()
            self.process.wait()
        self.process = subprocess.Popen(
            [self.programs / "monitor", "0", str(START), str(self.carries)], stdin=self.master, stdout=self.master
        )

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def cable(programs):
    made = []

    def make(carries):
        made.append(Cable(programs, carries))
        return made[-1]

    yield make
    for cable in made:
        cable.close()


def opened(cable):
    """Returns a client with much patience. On a good cable it repeats no frame."""
    return Monitor(connect(cable.port, START), timeout=10)


@pytest.mark.parametrize(
    "carries, ceiling, reached",
    [
        (3_000_000, 3_000_000, POSSIBLE),
        (1_000_000, 3_000_000, 1_000_000),
        (500_000, 3_000_000, 460_800),
        (3_000_000, 921_600, 921_600),
        (3_000_000, START, START),
        pytest.param(START, 3_000_000, START, marks=pytest.mark.full),
    ],
)
def test_the_highest_rate_that_the_cable_carries(cable, carries, ceiling, reached):
    monitor = opened(cable(carries))
    assert find(monitor, (START,), 10).protocol == 1
    assert raise_rate(monitor, ceiling, print) == reached == monitor.transport.rate == monitor.baud()
    repeats, base = monitor.repeats, monitor.layout().buffer_base
    monitor.write(base, bytes(range(256)) * 30)
    assert monitor.read(base, 256 * 30) == bytes(range(256)) * 30 and monitor.repeats == repeats
    monitor.transport.close()


def test_a_trial_without_hello_ends_by_itself(cable):
    monitor = opened(cable(3_000_000))
    monitor.hello()
    assert monitor.baud(460_800) == 460_800
    time.sleep(rate.TRIAL)  # the host has not switched, so that nothing valid comes
    monitor.resynchronise()
    assert monitor.hello().protocol == 1 and monitor.baud() == START


def test_a_confirmed_rate_stays(cable):
    monitor = opened(cable(3_000_000))
    assert change(monitor, 460_800)
    time.sleep(rate.TRIAL)
    assert monitor.baud() == 460_800
    # Another program, which does not know the rate, finds the monitor.
    monitor.transport.close()
    line = Line(monitor.transport.where, print, max_baud=460_800)
    found, _ = line.connect()
    assert found.transport.rate == 460_800
    line.close()


def test_another_program_brings_it_back_to_its_first_rate(cable):
    """After a bench, `demo --link` and `decode --link` find the monitor, and leave it at its first rate."""
    monitor = opened(cable(3_000_000))
    assert change(monitor, 460_800)
    monitor.transport.close()
    for _ in range(2):
        with linked(monitor.transport.where, print) as found:
            assert found.transport.rate == START == found.baud()


def test_a_bench_over_a_terminal_that_is_cut(cable, everything, interface, tmp_path, monkeypatch):
    """The port goes away and comes back, then the board is reset. The rows are those of a line without faults."""
    monkeypatch.setattr(uart, "SIMULATED_RUN", 1.0)  # a request to a board after its reset is lost
    board = cable(3_000_000)
    message = everything.message_class("test.Everything")(
        **{
            field.name: "x" * 9
            for field in everything.descriptor("test.Everything").fields
            if field.type == field.TYPE_STRING and not field.is_repeated and not field.containing_oneof
        }
    )
    group = Group(
        "own",
        everything,
        [Case(f"own/{i}", "test.Everything", message.SerializeToString() * i, ("table", "nanopb")) for i in (1, 2, 3)],
    )

    def measure(folder, cut):
        rows = []

        def say(text):
            if found := re.match(r"(\d+) of \d+: ", text):
                rows.append(text)
                if cut and found[1] == "2":
                    line.monitor.transport.port.close()
                elif cut and found[1] == "4":
                    board.reset()

        line = Line(board.port, say, timeout=0.5)
        try:
            return uart.Bench(
                line, [group], interface, "uart", folder, False, 8192, say, missing_unit=True
            ).run().rows, line
        finally:
            line.close()

    (rows, line), (cut_rows, cut_line) = measure(tmp_path / "whole", False), measure(tmp_path / "cut", True)
    assert len(rows) > 5 and all(row["ok"] for row in rows) and (line.connections, cut_line.connections) == (1, 2)
    assert [key_of(row) for row in cut_rows] == [key_of(row) for row in rows] and all(row["ok"] for row in cut_rows)


def test_the_same_proposal_twice_is_carried_out_twice(cable):
    """The first proposal is not confirmed at the new rate. The repeat has the same sequence and bytes, and must not be
    answered from memory."""
    monitor = opened(cable(3_000_000))
    monitor.hello()
    for _ in range(2):
        monitor.sequence = 20
        assert monitor.baud(460_800) == 460_800
        time.sleep(rate.TRIAL)
        monitor.resynchronise()
    monitor.sequence = 20
    assert change(monitor, 460_800)


def test_impossible_rates_are_refused(cable):
    monitor = opened(cable(3_000_000))
    for impossible in (300, 3_000_000):
        with pytest.raises(MonitorError) as refused:
            monitor.baud(impossible)
        assert refused.value.status == Status.BAD_BODY
    assert monitor.baud() == START


@pytest.mark.full
def test_a_reset_board_is_found_again_at_its_first_rate(cable):
    board = cable(3_000_000)
    said = []
    line = Line(board.port, said.append, timeout=1)
    monitor, hello = line.connect()
    assert monitor.transport.rate == POSSIBLE
    board.reset()
    with pytest.raises(LinkError) as lost:
        monitor.layout()
    line.broken(lost.value)
    assert line.connect() == (monitor, hello) and monitor.transport.rate == POSSIBLE
    line.close()


def test_a_rate_that_breaks_too_often_is_left(cable):
    line = Line(cable(3_000_000).port, print, timeout=10)
    monitor, _ = line.connect()
    for _ in range(3):
        line.broken(LinkError("bad"))
    line.connect()
    assert monitor.transport.rate == 1_500_000 and monitor.baud() == 1_500_000
    line.close()


def test_a_pipe_has_no_rate(programs):
    from tests.firmware.test_monitor import PipeTransport

    transport = PipeTransport(programs / "monitor")
    with pytest.raises(MonitorError) as refused:
        Monitor(transport, timeout=2).baud(230_400)
    assert refused.value.status == Status.NOT_SUPPORTED
    assert transport.close() == 0

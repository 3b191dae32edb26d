"""A board that is reset, or was never given a program. The host recognizes its boot ROM and uploads the monitor if it
has one."""

import os
import random
import select
import threading
import tty
from functools import partial

import pytest
from click.testing import CliRunner
from litex.tools.litex_term import SFLFrame, sfl_cmd_jump, sfl_cmd_load, sfl_magic_ack, sfl_magic_req

from heapwire import cli
from heapwire.client import boot
from heapwire.client.line import Line
from heapwire.client.ports import GivenUp
from heapwire.measure import uart
from tests.common.fixtures import refused
from tests.host.fake_monitor import BASE
from tests.host.served_monitor import LIMIT, Multi, before_runs, groups, perfect, rows_in, served  # noqa: F401 (fixtures)

KERNEL = random.Random(5).randbytes(2600)
ASKS = b"boot: waiting for a program (litex_term --kernel FILE PORT): " + sfl_magic_req


class Board:
    """A boot ROM, then a FakeMonitor, behind a pseudo-terminal. The ROM starts only KERNEL. damage: share of the
    answers to frames that are bad."""

    def __init__(self, fake, damage=0.0):
        self.fake, self.damage, self.dice = fake, damage, random.Random(7)
        self.far, self.near = os.openpty()
        tty.setraw(self.near)
        self.port = os.ttyname(self.near)
        self.uploads, self.bad, self.open = 0, 0, True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def reset(self):
        self.fake.restart()
        raise InterruptedError

    def _run(self):
        try:
            while self.open:
                try:
                    self._rom()
                    while self.open:
                        if data := self._hear(0.05):
                            self.fake.write(data)
                            os.write(self.far, self.fake.read(0))
                except InterruptedError:
                    pass
        except OSError:
            pass

    def _hear(self, seconds):
        return os.read(self.far, 4096) if select.select([self.far], [], [], seconds)[0] else b""

    def _rom(self):
        heard = b""
        while self.open and sfl_magic_ack not in heard:
            os.write(self.far, ASKS)
            heard = (heard + self._hear(0.3))[-4000:]
        heard = heard.rpartition(sfl_magic_ack)[2]
        while self.open:
            while len(heard) < 4 or len(heard) < 4 + heard[0]:
                heard += self._hear(0.1)
                if not self.open:
                    return
            frame, heard = heard[: 4 + heard[0]], heard[4 + heard[0] :]
            known = SFLFrame()
            known.cmd, known.payload = frame[3:4], frame[4:]
            assert known.encode() == frame
            if self.dice.random() < self.damage:
                self.bad += 1
                os.write(self.far, b"C")
                continue
            at = int.from_bytes(frame[4:8], "big") - BASE
            if known.cmd == sfl_cmd_load:
                self.fake.memory[at : at + len(frame) - 8] = frame[8:]
            os.write(self.far, b"K")
            if known.cmd == sfl_cmd_jump:
                assert at == 0 and self.fake.memory[: len(KERNEL)] == KERNEL
                self.uploads += 1
                os.write(self.far, b"boot: starting the program at 40000000\n")
                return

    def close(self):
        self.open = False
        self.thread.join(5)
        for end in (self.far, self.near):
            os.close(end)


@pytest.fixture
def make(interface, groups):
    boards = []

    def board(**options):
        boards.append(Board(Multi(interface, groups), **options))
        return boards[-1]

    yield board
    for each in boards:
        each.close()


def line_to(board, said, kernel=None, **options):
    sender = partial(boot.upload, image=kernel, address=BASE, say=said.append) if kernel else None
    return Line(
        board.port, said.append, boot=sender, **{"timeout": 0.1, "patience": 20.0, "max_baud": 115_200} | options
    )


def test_a_board_that_is_reset_gets_its_monitor_again(make, groups, interface, tmp_path, perfect, monkeypatch):
    board, said = make(), []
    before_runs(board.fake, monkeypatch, lambda number: number == 5 and board.reset())
    monkeypatch.setattr(uart, "SIMULATED_RUN", 1.0)  # a request to a board after its reset is lost
    line = line_to(board, said, KERNEL)
    measured = uart.Bench(line, groups, interface, "uart", tmp_path, False, LIMIT, line.say).run()
    line.close()
    assert measured.rows == perfect and not measured.problems and board.uploads == 2
    waits = [text for text in said if text.endswith("the boot ROM waits for a program")]
    assert waits == ["the boot ROM waits for a program", "the board was reset: the boot ROM waits for a program"]


def test_without_a_program_a_reset_board_ends_the_bench(make, groups, interface, tmp_path, perfect, monkeypatch):
    board, said = make(), []
    line = line_to(board, said)
    told = (
        f"^on {board.port} the boot ROM waits for a program. Give this command --kernel .* or upload it with `make term"
    )
    with pytest.raises(GivenUp, match=told):
        line.connect()
    line.close()
    boot.overhear(opened := line.opener(board.port, 115_200))
    boot.upload(opened, KERNEL, BASE, said.append)  # as somebody does by hand
    opened.close()
    before_runs(board.fake, monkeypatch, lambda number: number == 5 and board.reset())
    monkeypatch.setattr(uart, "SIMULATED_RUN", 1.0)
    line = line_to(board, said)
    told = r"the board was reset: on .* the boot ROM waits .*, and come back. 4 of \d+ rows are in .* with --resume"
    with refused(told):
        uart.Bench(line, groups, interface, "uart", tmp_path, False, LIMIT, line.say).run()
    line.close()
    assert rows_in(tmp_path / "uart.jsonl") == perfect[:4]


def test_the_command_uploads(make, interface, tmp_path, monkeypatch):
    board, kernel = make(), tmp_path / "monitor.bin"
    kernel.write_bytes(KERNEL)
    monkeypatch.setattr("heapwire.cli.measure.ROOT", tmp_path)
    monkeypatch.setenv("HEAPWIRE_JSON", str(interface.path))
    result = CliRunner().invoke(
        cli.cli,
        ["bench", "--port", board.port, "--kernel", str(kernel), "--limit", "60", "--group", "fields"],
        catch_exceptions=False,
    )
    assert result.exit_code == 0 and board.uploads == 1
    assert len(rows_in(next((tmp_path / "build" / "bench").glob("uart*.jsonl")))) == 12


def test_bad_frames_are_sent_again(make):
    board, said = make(damage=0.3), []
    line = line_to(board, said, KERNEL)
    assert line.connect()[1].protocol == 1
    assert board.bad and board.uploads == 1
    line.close()


def test_a_program_that_is_no_monitor_is_given_up(make, monkeypatch):
    board, said = make(), []
    monkeypatch.setattr(board.fake, "write", lambda data: board.reset())
    line = line_to(board, said, KERNEL, patience=60.0)
    with pytest.raises(GivenUp, match="asks for a program again and again: 3 uploads did not help"):
        line.connect()
    line.close()


def test_what_cannot_be_a_program(tmp_path):
    with refused("cannot read .*nowhere.bin: No such file or directory. What to do: make firmware"):
        boot.program(tmp_path / "nowhere.bin")
    elf = tmp_path / "monitor.elf"
    elf.write_bytes(b"\x7fELF" + bytes(100))
    with refused("is an ELF file, serial boot wants raw bytes: --kernel .*monitor.bin"):
        boot.program(elf)

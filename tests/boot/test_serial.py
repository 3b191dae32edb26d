"""Serial boot, host-built under sanitizers: the effect of frames on main memory, and that nothing on the line stops it
for good."""

import os
import pty
import random
import subprocess
import sys
import time
import tty
from contextlib import suppress

import pytest
from litex.tools import litex_term
from litex.tools.litex_term import sfl_magic_ack, sfl_magic_req

from heapwire.client import boot, connect
from tests.boot.sfl import ABORT, BASE, BYTES, JUMP, LOAD, PATIENCE, Rom, frame, jump, load

END = BASE + BYTES


@pytest.fixture
def rom(programs, tmp_path):
    with Rom(programs, tmp_path) as rom:
        yield rom


@pytest.fixture
def session(rom):
    """Returns a ROM that takes frames."""
    rom.begin()
    return rom


def finish(rom, entry=BASE):
    """Sends the jump. Returns the memory."""
    assert rom.answer(jump(entry)) == b"K"
    at, memory = rom.started()
    assert at == entry
    return memory


def test_a_program_is_loaded_and_started(session):
    data = random.Random(1).randbytes(3000)
    for start in range(0, len(data), 251):
        assert session.answer(load(BASE + 8 + start, data[start : start + 251])) == b"K"
    assert finish(session, BASE + 8) == bytes(8) + data + bytes(BYTES - 8 - len(data))


def test_frames_need_not_wait_for_answers(session):
    data = random.Random(2).randbytes(6000)
    session.send(b"".join(load(BASE + start, data[start : start + 60]) for start in range(0, len(data), 60)))
    assert session.read(100) == b"K" * 100
    assert finish(session)[:6000] == data


def test_it_says_what_it_waits_for_and_that_it_starts(rom):
    assert rom.begin() == b"boot: waiting for a program (litex_term --kernel FILE PORT): " + sfl_magic_req
    assert rom.answer(jump(END - 4)) == b"K"
    assert rom.until(b"\n") == b"boot: starting the program at 4000fffc\n"
    assert rom.started() == (END - 4, bytes(BYTES))


def test_a_request_a_second(rom):
    rom.until(sfl_magic_req)
    start = time.monotonic()
    for _ in range(5):
        rom.until(sfl_magic_req)
    assert time.monotonic() - start > 4.9 / rom.faster
    rom.begin()
    finish(rom)


@pytest.mark.parametrize(
    "garbage",
    [b"", b"\0\xff\x01", b"z6IHG7cYDID6", b"z6IHz", sfl_magic_req, load(BASE, b"early"), bytes(range(256)) * 20],
    ids=["none", "bytes", "most of it", "its start", "an echo", "a frame", "much"],
)
def test_garbage_before_consent(rom, garbage):
    rom.until(sfl_magic_req)
    rom.send(garbage + sfl_magic_ack)
    assert rom.answer(load(BASE, b"good")) == b"K"
    assert finish(rom) == b"good" + bytes(BYTES - 4)


def test_requests_go_on_under_constant_garbage(rom):
    for _ in range(3):
        rom.until(sfl_magic_req)
        for _ in range(15):
            rom.send(b"noise" * 10)
            time.sleep(0.01)


def test_a_broken_frame_is_not_taken_and_may_come_again(session):
    good = load(BASE, b"some bytes of a program")
    for position in range(1, len(good)):
        broken = bytearray(good)
        broken[position] ^= 0x10
        assert session.answer(bytes(broken)) == b"C"
        if position % 8 == 0:
            assert session.answer(load(BASE + 64, b"between")) == b"K"
    assert session.answer(good) == b"K"
    memory = finish(session)
    assert memory[:64] == good[8:] + bytes(64 - len(good) + 8) and not any(memory[71:])


def test_a_broken_length_is_not_taken(session):
    good = load(BASE, b"some bytes of a program")
    assert session.answer(bytes([good[0] - 9]) + good[1:]) == b"C"
    assert session.answer(bytes([good[0] + 9]) + good[1:]) == b"E"
    assert session.answer(load(BASE + 4, b"x")) == b"K"
    assert finish(session)[:8] == bytes(4) + b"x" + bytes(3)


@pytest.mark.parametrize(
    "address, length",
    [
        (BASE - 1, 1),
        (BASE - 1, 2),
        (BASE - 200, 251),
        (END, 1),
        (END - 1, 2),
        (END - 250, 251),
        (END + 1, 0),
        (0, 100),
        (0x1000_0000, 4),
        (0xF000_0000, 4),
        (0xFFFF_FFFF, 1),
        (0xFFFF_FF80, 251),
        (BASE + 0x8000_0000, 4),
        (BASE - 0x4000_0000, 251),
    ],
)
def test_nothing_is_written_outside_main_memory(session, address, length):
    assert session.answer(load(address, b"\xaa" * length)) == b"E"
    assert finish(session) == bytes(BYTES)


@pytest.mark.parametrize("address, length", [(BASE, 251), (END - 251, 251), (END - 1, 1), (BASE, 0), (END, 0)])
def test_up_to_the_last_byte(session, address, length):
    assert session.answer(load(address, b"\xaa" * length)) == b"K"
    assert finish(session).count(0xAA) == length


@pytest.mark.parametrize("length", range(4))
def test_a_load_without_address(session, length):
    assert session.answer(frame(LOAD, BASE.to_bytes(4, "big")[:length])) == b"E"
    assert finish(session) == bytes(BYTES)


@pytest.mark.parametrize(
    "bad",
    [
        jump(BASE + 2),
        jump(BASE + 1),
        jump(END),
        jump(BASE - 4),
        jump(0),
        jump(0xFFFF_FFFC),
        frame(JUMP),
        frame(JUMP, b"\x40\0\0"),
        frame(JUMP, BASE.to_bytes(4, "big") + b"\0"),
    ],
)
def test_a_program_starts_in_main_memory_only(session, bad):
    assert session.answer(bad) == b"E"
    finish(session)


@pytest.mark.parametrize("kept", [1, 3, 4, 8, 20])
def test_a_frame_that_is_cut(session, kept):
    assert session.answer(load(BASE, b"never whole, never seen")[:kept]) == b"E"
    assert session.answer(load(BASE, b"whole")) == b"K"
    assert finish(session)[:8] == b"whole" + bytes(3)


def test_an_unknown_command(session):
    assert session.answer(frame(7, b"x")) == b"U"
    finish(session)


def test_abort_asks_again(session):
    assert session.answer(load(BASE, b"kept")) == b"K"
    assert session.answer(frame(ABORT)) == b"K"
    assert session.until(b"\n") == b"boot: upload aborted by the host\n"
    session.begin()
    assert finish(session)[:4] == b"kept"


def test_a_host_that_goes_away(session):
    assert session.answer(load(BASE, b"kept")) == b"K"
    assert session.silent(4000)
    assert session.until(b"\n") == b"boot: upload broken off, nothing came for 5 seconds\n"
    session.begin()
    finish(session)


def test_bad_frames_in_a_row_end_the_session(session):
    for _ in range(2):
        for _ in range(15):
            assert session.answer(frame(9)) == b"U"
        assert session.answer(load(BASE)) == b"K"
    for _ in range(16):
        assert session.answer(frame(9)) == b"U"
    assert session.until(b"\n") == b"boot: upload failed, too many bad frames\n"
    session.begin()
    finish(session)


@pytest.mark.parametrize("seed", range(4))
def test_noise(session, seed):
    """Frames with lost, changed and added bytes. Each has one answer; frames with a good answer are in memory, and
    nothing else is."""
    chance = random.Random(seed)
    expected = bytearray(BYTES)
    for _ in range(60):
        address, data = BASE + chance.randrange(BYTES - 251), chance.randbytes(chance.randrange(252))
        whole = load(address, data)
        sent = bytearray(whole)
        for _ in range(chance.choice((0, 0, 1, 3))):
            at = chance.randrange(len(sent))
            sent[at : at + 1] = chance.choice((b"", bytes([sent[at] ^ 1 << chance.randrange(8)]), chance.randbytes(2)))
        answer = session.answer(bytes(sent))
        assert answer in ((b"K",) if sent == whole else (b"C", b"E"))
        if answer == b"K":
            expected[address - BASE : address - BASE + len(data)] = data
    assert finish(session) == expected


@pytest.mark.parametrize("options", [(), ("--safe",)], ids=["pipelined", "safe"])
def test_stock_litex_term(programs, tmp_path, options):
    """The installed program works, on a serial port."""
    image = tmp_path / "firmware.bin"
    image.write_bytes(random.Random(3).randbytes(1500))
    far, near = os.openpty()
    terminal, keyboard = pty.openpty()
    tty.setraw(near)
    # The ROM must not run faster than real time, because litex_term waits by its own clock. litex_term prints much, and
    # an unread pipe would stop it.
    rom = subprocess.Popen(
        [programs / "serial", hex(BASE), hex(BYTES), tmp_path / "memory"], stdin=far, stdout=far, stderr=subprocess.PIPE
    )
    with open(tmp_path / "said", "wb") as log:
        term = subprocess.Popen(
            [sys.executable, litex_term.__file__, "--kernel", image, *options, os.ttyname(near)],
            stdin=keyboard,
            stdout=log,
            stderr=log,
        )
    errors = None
    try:
        with suppress(subprocess.TimeoutExpired):
            errors = rom.communicate(timeout=3 * PATIENCE)[1]
            time.sleep(0.2)
    finally:
        for process in (rom, term):
            process.kill()
            process.wait()
        for file in (far, near, terminal, keyboard):
            os.close(file)
    said = (tmp_path / "said").read_text(errors="replace")
    assert errors == b"0x40000000\n" and (tmp_path / "memory").read_bytes()[:1500] == image.read_bytes(), said[-1000:]
    assert "Upload complete" in said and "Booting the device" in said, said[-1000:]


def test_the_upload_of_the_host(programs, tmp_path):
    """`heapwire bench --kernel` works, on a serial port."""
    image, said = random.Random(3).randbytes(1500), []
    far, near = os.openpty()
    tty.setraw(near)
    rom = subprocess.Popen(
        [programs / "serial", hex(BASE), hex(BYTES), tmp_path / "memory"], stdin=far, stdout=far, stderr=subprocess.PIPE
    )
    line = connect(os.ttyname(near))
    try:
        assert boot.overhear(line).endswith(f"{boot.REQUEST}\n")
        boot.upload(line, image, BASE, said.append)
        assert rom.communicate(timeout=PATIENCE)[1] == b"0x40000000\n"
    finally:
        rom.kill()
        rom.wait()
        line.close()
        for file in (far, near):
            os.close(file)
    assert (tmp_path / "memory").read_bytes()[:1500] == image
    assert said == ["the boot ROM gets the program, 1,500 bytes", "the program is started"]

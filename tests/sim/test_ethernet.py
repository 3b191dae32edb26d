"""Frames of sim.ethernet, on which the tests of UDP rest."""

import pytest

from sim import ethernet
from sim.ethernet import End, Frame

ONE, OTHER = End(bytes([2, 0, 0, 0, 0, 1]), "10.0.0.1", 7), End(bytes([2, 0, 0, 0, 0, 2]), "10.0.0.2", 53)


def test_a_datagram_on_the_line():
    line = ethernet.datagram(b"hello", ONE, OTHER)
    data = Frame(0, 0, line, False).data
    assert len(line) == 8 + 60 + 4 and line.startswith(ethernet.PREAMBLE)
    assert ethernet.content(Frame(0, 0, line, False), ONE, OTHER) == b"hello"
    assert data[47:] == bytes(13) and data[:12] == OTHER.mac + ONE.mac


def test_checksum():
    """The example of RFC 1071, and of a header whose checksum is in it."""
    assert ethernet.checksum(bytes.fromhex("0001f203f4f5f6f7")) == 0xDDF2 ^ 0xFFFF
    head = ethernet.datagram(b"hello", ONE, OTHER)[8 + 14 : 8 + 34]
    assert ethernet.checksum(head) == 0


@pytest.mark.parametrize("at", [0, 8, 30, 60, 71])
def test_what_is_damaged_is_no_datagram(at):
    line = bytearray(ethernet.datagram(b"hello", ONE, OTHER))
    line[at] ^= 1
    with pytest.raises(ValueError, match="no frame"):
        ethernet.content(Frame(0, 0, bytes(line), True), ONE, OTHER)
    with pytest.raises(ValueError, match="no datagram from 10.0.0.2"):
        ethernet.content(Frame(0, 0, ethernet.datagram(b"hello", ONE, OTHER), True), OTHER, ONE)


def test_files_of_frames(tmp_path):
    ethernet.write(tmp_path / "frames", [(3, b"abc"), (4, b"")])
    assert (tmp_path / "frames").read_bytes() == bytes.fromhex("03000000 03000000 616263 04000000 00000000")
    logged = bytes.fromhex("0100000000000000 0500000000000000 02000000 01000000 6162")
    (tmp_path / "log").write_bytes(logged)
    assert ethernet.read(tmp_path / "log") == [Frame(1, 5, b"ab", True)]

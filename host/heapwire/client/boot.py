"""Detects the boot ROM at the other end of a line (docs/reference/boot.md) and uploads the program that it asks for."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable

from base.errors import HeapwireError
from heapwire.client.ports import LinkError
from heapwire.client.transport import Transport

REQUEST = "sL5DdSMmkekro"
"""LiteX's request for a program. The boot ROM sends it once a second, at the end of a line."""
REPEATED = 1.2
"""Seconds within which the ROM repeats its request."""
ANSWER, QUIET, CUT = 1.0, 0.05, 0.3
"""In seconds: time to wait for the answer to a frame; silence after which the ROM has finished speaking; time until the
ROM has given up a truncated frame."""
TRIES = 8
"""Attempts for one frame: half as many as make the ROM start over."""


def overhear(transport: Transport) -> str:
    """Returns what the other end says within a second or two. Sends a newline first, so that a prompt answers."""
    transport.write(b"\r\n")
    heard, begun = bytearray(), time.monotonic()
    while (left := begun + REPEATED - time.monotonic()) > 0:
        if data := transport.read(left):
            if not heard:
                begun = time.monotonic()  # restart the period: hear to its end what has begun
            heard += data
        if heard.endswith(REQUEST.encode() + b"\n"):
            break
    return heard.decode("ascii", errors="replace")


def _drain(transport: Transport, quiet: float) -> None:
    """Drops incoming bytes until none has come for `quiet` seconds, but for at most a second."""
    deadline = time.monotonic() + 1
    while transport.read(quiet) and time.monotonic() < deadline:
        pass


def program(path: Path) -> bytes:
    """Returns the bytes of a program file for serial boot. Raises HeapwireError if the file cannot be such a
    program."""
    try:
        image = path.read_bytes()
    except OSError as error:
        raise HeapwireError(
            f"cannot read {path}: {error.strerror}. What to do: make firmware BOARD=..., and --kernel "
            "build/firmware/BOARD/monitor.bin"
        ) from error
    if image[:4] == b"\x7fELF":
        raise HeapwireError(f"{path} is an ELF file, serial boot wants raw bytes: --kernel {path.with_suffix('.bin')}")
    return image


def upload(transport: Transport, image: bytes, address: int, say: Callable[[str], None]) -> None:
    """Uploads a program to a boot ROM that has just asked for one, and starts it. Each frame is sent after the answer
    to the one before.

    Raises LinkError if a frame does not get through, Disconnected if the line is gone."""
    from litex.tools import litex_term

    def send(command: bytes, payload: bytes) -> None:
        frame = litex_term.SFLFrame()
        frame.cmd, frame.payload = command, payload
        answer = b""
        for _ in range(TRIES):
            transport.write(frame.encode())
            answer = transport.read(ANSWER)
            if answer[:1] == litex_term.sfl_ack_success:
                return
            # the ROM then waits for the start of a frame, and a late answer is not taken for the answer to the next
            # frame
            _drain(transport, CUT)
        raise LinkError(
            f"the boot ROM does not take the program: to a frame it answers {answer[:40]!r}"
            if answer
            else "the boot ROM does not answer while it gets the program"
        )

    say(f"the boot ROM gets the program, {len(image):,} bytes")
    transport.write(litex_term.sfl_magic_ack)
    _drain(transport, QUIET)  # what the ROM sent before it saw the acknowledgement
    part = litex_term.sfl_payload_length - 4
    for at in range(0, len(image), part):
        send(litex_term.sfl_cmd_load, (address + at).to_bytes(4, "big") + image[at : at + part])
    send(litex_term.sfl_cmd_jump, address.to_bytes(4, "big"))
    say("the program is started")

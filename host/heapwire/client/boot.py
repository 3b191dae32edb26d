"""The boot ROM at the other end of a line (docs/boot.md): it is heard, and gets the program that it asks for."""
from __future__ import annotations

import time
from pathlib import Path
from typing import Callable

from heapwire.client.ports import LinkError
from heapwire.client.transport import Transport
from heapwire.errors import HeapwireError

REQUEST = "sL5DdSMmkekro"
"""LiteX's word for a machine that wants a program: the boot ROM says it once a second, at the end of a line."""
REPEATED = 1.2
"""Seconds within which it says so again."""
ANSWER, QUIET, CUT = 1.0, 0.05, 0.3
"""Seconds for the answer to a frame; without a byte until the ROM has said all it wanted to; until it has given up a frame that is cut."""
TRIES = 8
"""Of a frame: half of what makes the ROM begin anew."""


def overhear(transport: Transport) -> str:
    """What is said at the other end within a second or two, after a new line to whoever has a prompt."""
    transport.write(b"\r\n")
    heard, begun = bytearray(), time.monotonic()
    while (left := begun + REPEATED - time.monotonic()) > 0:
        if data := transport.read(left):
            if not heard:
                begun = time.monotonic()  # what has begun is heard to its end
            heard += data
        if heard.endswith(REQUEST.encode() + b"\n"):
            break
    return heard.decode("ascii", errors="replace")


def _drain(transport: Transport, quiet: float) -> None:
    """Drops what comes until nothing has for `quiet` seconds, for a second at most."""
    deadline = time.monotonic() + 1
    while transport.read(quiet) and time.monotonic() < deadline:
        pass


def program(path: Path) -> bytes:
    """A program as serial boot wants it. Raises HeapwireError for a file that cannot be one."""
    try:
        image = path.read_bytes()
    except OSError as error:
        raise HeapwireError(f"cannot read {path}: {error.strerror}. What to do: make firmware BOARD=..., and --kernel build/firmware/BOARD/monitor.bin") from error
    if image[:4] == b"\x7fELF":
        raise HeapwireError(f"{path} is an ELF file, serial boot wants raw bytes: --kernel {path.with_suffix('.bin')}")
    return image


def upload(transport: Transport, image: bytes, address: int, say: Callable[[str], None]) -> None:
    """Sends a program to a boot ROM that has just asked for one, each frame once the one before was answered, and starts it.

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
            _drain(transport, CUT)  # then it waits for the beginning of a frame, and no late answer passes for that to the next one
        raise LinkError(f"the boot ROM does not take the program: to a frame it answers {answer[:40]!r}" if answer else
                        "the boot ROM does not answer while it gets the program")

    say(f"the boot ROM gets the program, {len(image):,} bytes")
    transport.write(litex_term.sfl_magic_ack)
    _drain(transport, QUIET)  # what it said before it heard that
    part = litex_term.sfl_payload_length - 4
    for at in range(0, len(image), part):
        send(litex_term.sfl_cmd_load, (address + at).to_bytes(4, "big") + image[at:at + part])
    send(litex_term.sfl_cmd_jump, address.to_bytes(4, "big"))
    say("the program is started")

"""A plain computation of what the program `jsbs` of several machines finds (study/firmware/programs/skyway/jsbs.c): the
digest of each MediaContent that a machine receives."""

import struct
import zlib

ROUNDS = 3


def _text(text: str | None) -> bytes:
    return b"\xff" if text is None else text.encode() + b"\0"


def _number(value: int) -> bytes:
    return struct.pack("<Q", value)


def media_digest(number: int) -> int:
    """Returns the CRC-32 of the values of the benchmark's media.1 with this bit rate, in the order of their
    declaration. Constants of enums count as their ordinals."""
    media = b"".join(
        (
            _text("http://javaone.com/keynote.mpg"),
            _text("Javaone Keynote"),
            _number(640),
            _number(480),
            _text("video/mpg4"),
            _number(18_000_000),
            _number(58_982_400),
            _number(number),
            _number(True),
            _number(2),
            _text("Bill Gates"),
            _text("Steve Jobs\uc2a4"),
            _number(0),
            _text(None),
        )
    )
    images = _number(2) + b"".join(
        _text(f"http://javaone.com/keynote_{name}.jpg")
        + _text("Javaone Keynote")
        + _number(width)
        + _number(height)
        + _number(size)
        for name, width, height, size in (("large", 1024, 768, 1), ("small", 320, 240, 0))
    )
    return zlib.crc32(media + images)


def results(objects: int, machines: int) -> dict[str, int]:
    """Returns the results of all machines together."""
    return {
        f"{receiver} {number}": media_digest(number)
        for receiver in range(machines)
        for sender in range(machines)
        if sender != receiver
        for phase in range(ROUNDS)
        for number in range((phase * machines + sender) * objects, (phase * machines + sender + 1) * objects)
    }

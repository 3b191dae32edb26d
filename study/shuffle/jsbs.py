"""A plain computation of what the program `jsbs` of several machines finds (study/firmware/programs/skyway/jsbs.c): the
digest of each MediaContent that a machine receives."""

import struct
import zlib

ROUNDS = 3


TITLE = "Javaone Keynote"
PEOPLE = "Bill Gates", "Steve Jobs\uc2a4"


def _coded(value: str | int | None) -> bytes:
    if value is None:
        return b"\xff"
    return value.encode() + b"\0" if isinstance(value, str) else struct.pack("<Q", value)


def media_digest(number: int) -> int:
    """Returns the CRC-32 of the values of the benchmark's media.1 with this bit rate, in the order of their
    declaration. Constants of enums count as their ordinals."""
    picture = "http://javaone.com/keynote_{}.jpg".format
    media = ("http://javaone.com/keynote.mpg", TITLE, 640, 480, "video/mpg4", 18_000_000, 58_982_400, number, True)
    people = (len(PEOPLE), *PEOPLE)
    player, copyright = 0, None
    images = (2, picture("large"), TITLE, 1024, 768, 1, picture("small"), TITLE, 320, 240, 0)
    return zlib.crc32(b"".join(map(_coded, (*media, *people, player, copyright, *images))))


def results(objects: int, machines: int) -> dict[str, int]:
    return {
        f"{receiver} {number}": media_digest(number)
        for receiver in range(machines)
        for sender in range(machines)
        if sender != receiver
        for phase in range(ROUNDS)
        for number in range((phase * machines + sender) * objects, (phase * machines + sender + 1) * objects)
    }

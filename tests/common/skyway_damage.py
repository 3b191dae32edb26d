"""Damages streams for tests: at places that matter to the format, and anywhere."""

from __future__ import annotations

import struct
from random import Random

from heapwire.records.skyway import SKYWAY_SEGMENT
from heapwire.skyway.stream import HEAD, HEADER


def _words(stream: bytes) -> list[int]:
    """Returns the offsets of the words of objects and tops."""
    found, at = [], HEADER.size
    while at + HEAD.size <= len(stream):
        magic, _, count, tops = HEAD.unpack_from(stream, at)
        at += HEAD.size
        if magic != SKYWAY_SEGMENT:
            break
        end = at + count + (tops + 1) // 2 * 8
        found += range(at, min(end, len(stream) - 3), 4)
        at = end
    return found


def _heads(stream: bytes) -> list[int]:
    """Returns the offsets of the words of headers."""
    inner = set(_words(stream))
    return [at for at in range(0, len(stream) - 3, 4) if at not in inner]


def mutate(random: Random, stream: bytes) -> bytes:
    """Returns the stream with one to three faults: words of objects, tops or headers changed, bits flipped, words or
    bytes removed, duplicated or cut off."""
    data = bytearray(stream)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        kind = random.choice(("word", "word", "word", "head", "bit", "cut", "drop", "double", "swap"))
        places = _words(bytes(data)) if kind in ("word", "swap") else _heads(bytes(data))
        if not places or len(data) < 8:
            continue
        at = random.choice(places)
        (old,) = struct.unpack_from("<I", data, at)
        if kind in ("word", "head"):
            near = old ^ 1 << random.randrange(32), old + 8, old - 8, old + 4, old + 1
            others = random.getrandbits(32), random.randrange(len(data)) // 8 * 8, random.randrange(40)
            new = random.choice((0, 1, *near, *others))
            struct.pack_into("<I", data, at, new & 0xFFFFFFFF)
        elif kind == "bit":
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        elif kind == "cut":
            del data[random.randrange(len(data)) :]
        elif kind == "drop":
            at = random.randrange(len(data))
            del data[at : at + random.choice((1, 4, 8, 16))]
        elif kind == "double":
            at = random.randrange(len(data))
            data[at:at] = data[at : at + random.choice((1, 4, 8, 16))]
        else:
            other = random.choice(places)
            data[at : at + 4], data[other : other + 4] = data[other : other + 4], data[at : at + 4]
    return bytes(data)

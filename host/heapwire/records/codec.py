"""Requests to the host program `codec`, and its answers (firmware/programs/codec/host)."""

from __future__ import annotations

from heapwire.records import Flags, Record, u32


class Steps(Flags, c="codec_flags", prefix="CODEC_"):
    """What to do besides deserializing."""

    DUMP = 1  # returns the arenas
    SERIALIZE = 2
    DAMAGE = 4  # first overwrites a few words of the objects


class Start(Record, c="codec_start"):
    """The program's first words."""

    schema: u32  # address
    registers: u32[32]
    arenas: u32  # address


class Request(Record, c="codec_request"):
    """Precedes a message. Sizes are in bytes."""

    type: u32
    max_depth: u32
    fixed: u32  # the fixed arena
    flexible: u32  # the flexible arena, which lies behind the fixed one
    output: u32
    flags: u32
    length: u32  # the message


class Answer(Record, c="codec_answer"):
    """Precedes the arenas' bytes, if requested, and the serialized message."""

    status: u32
    offset: u32
    root: u32
    fixed: u32  # bytes used
    flexible: u32
    serialized: u32  # status of serializing
    at: u32
    length: u32

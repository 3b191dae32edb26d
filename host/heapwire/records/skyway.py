"""Skyway's streams, and the packets that machines exchange (docs/reference/skyway.md, "Stream", "Link")."""

from __future__ import annotations

from heapwire.records import Numbers, Record, u32

SKYWAY_MAGIC, SKYWAY_SEGMENT, SKYWAY_DONE = (int.from_bytes(name, "little") for name in (b"SKYW", b"SEGM", b"DONE"))
SKYWAY_VERSION = 1
SKYWAY_FIRST = 16
"""Relative address of the first object. 0 is null."""
SKYWAY_LIMIT = 1 << 31
"""Relative addresses are below this."""


class Segment(Record, c="skyway_segment"):
    """The head of a segment, or the end of a stream."""

    magic: u32  # SKYWAY_SEGMENT; SKYWAY_DONE at the end
    base: u32  # relative address of its first object; at the end: the address behind the last object
    bytes: u32  # bytes of objects; at the end: the number of tops of the whole stream
    tops: u32  # number of tops behind the objects, a word each; at the end: the highest type id of the stream


SKYWAY_DATA_MAX = 992
"""Most bytes of a stream in one DATA packet: a multiple of 8; three words precede them."""
SKYWAY_CLASSES = 2048
"""Ids that a view has room for."""
SKYWAY_NAME_MAX = 980
"""Bytes of a class's name, which travels in one packet."""


class Operation(Numbers, c="skyway_operation", prefix="SKYWAY_"):
    """What a request asks for."""

    REQUEST_VIEW, LOOKUP, BEGIN, DATA, FINISH = range(0x20, 0x25)


class Answer(Numbers, c="skyway_answer", prefix="SKYWAY_"):
    """The status of an answer."""

    OK = 0
    UNKNOWN_OPERATION = 2  # this and the next as in the monitor's protocol
    BAD_BODY = 3
    OTHER_REGISTRY = 32  # the driver has another registry
    CONFLICT = 33  # the registry has this name with another fingerprint
    FULL = 34  # no id is left
    NO_TRANSFER = 35  # not the transfer under way, or bytes are missing before `offset`
    REFUSED = 36  # the stream was rejected; the body is `session`, `transfer`, its status

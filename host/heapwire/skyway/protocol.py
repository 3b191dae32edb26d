"""The numbers of docs/reference/skyway.md, "Link". `firmware/skyway/registry/protocol.h` has the same; tests/skyway
compares the two."""

from enum import IntEnum

RESPONSE = 0x80
DATA_MAX = 992


class Operation(IntEnum):
    """What a request asks for."""

    REQUEST_VIEW = 0x20
    LOOKUP = 0x21
    BEGIN = 0x22
    DATA = 0x23
    FINISH = 0x24


class Answer(IntEnum):
    """The status of an answer."""

    OK = 0
    UNKNOWN_OPERATION = 2
    BAD_BODY = 3
    OTHER_REGISTRY = 32
    CONFLICT = 33
    FULL = 34
    NO_TRANSFER = 35
    REFUSED = 36

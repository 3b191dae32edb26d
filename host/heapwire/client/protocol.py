"""The numbers of docs/reference/monitor_protocol.md. `firmware/programs/monitor` has the same; tests/host compares the
two."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag

PROTOCOL = 1
MAX_BODY = 1008
MAX_DATA = 1000
"""Data bytes of one WRITE or READ, at most."""
RESPONSE_BIT = 0x80
NAK = 0xFF


class Operation(IntEnum):
    """What a request asks for."""

    HELLO = 0x01
    LAYOUT = 0x02
    WRITE = 0x03
    READ = 0x04
    CHECKSUM = 0x05
    LOAD_SCHEMA = 0x06
    RUN = 0x07
    COUNTERS = 0x08
    RESET = 0x09
    EXIT = 0x0A
    TEXT = 0x0B
    BAUD = 0x0C
    STREAM_OUT = 0x0D
    STREAM_TAKEN = 0x0E
    STREAM_IN = 0x0F


class Status(IntEnum):
    """How the monitor answers a request."""

    OK = 0
    BAD_FRAME = 1
    UNKNOWN_OPERATION = 2
    BAD_BODY = 3
    BAD_ADDRESS = 4
    BAD_SCHEMA = 5
    NO_SCHEMA = 6
    NO_TYPE = 7
    NO_ENGINE = 8
    NOT_SUPPORTED = 9
    TOO_LARGE = 10
    NOT_READY = 11


class Engine(IntEnum):
    """The engine that parses, or writes, the message of a RUN."""

    HW = 0
    TABLE = 1
    NANOPB = 2


class RunFlag(IntFlag):
    """Flags of a RUN."""

    REENCODE = 1
    SERIALIZE = 2


NANOPB_FAILED = 255
"""`result` of a RUN that nanopb refused."""


@dataclass(frozen=True)
class Hello:
    """Answer to HELLO, its words in order."""

    protocol: int
    max_body: int
    interface: int
    capability: int
    sizes: int
    engines: int
    nanopb_schema: int
    clock_hz: int
    simulated: int


@dataclass(frozen=True)
class MemoryLayout:
    """Answer to LAYOUT: addresses. `registers` are the 32 runtime registers as last set."""

    registers: tuple[int, ...]
    memory_base: int
    memory_limit: int
    buffer_base: int
    buffer_limit: int
    fixed_base: int
    fixed_limit: int
    flexible_base: int
    flexible_limit: int
    schema: int
    schema_size: int


@dataclass(frozen=True)
class Run:
    """Answer to RUN, its words in order. `text` explains why nanopb refused the message.

    result: status of the command. cycles: fewest cycles of a counted iteration."""

    result: int
    root: int
    fixed_top: int
    flexible_top: int
    offset: int
    cycles: int
    cycles_most: int
    cycles_first: int
    instret: int
    fallbacks: int
    read_bytes: int
    write_bytes: int
    fixed_start: int
    flexible_start: int
    busy_cycles: int
    text: str = ""

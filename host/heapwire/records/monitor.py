"""The monitor's protocol (docs/reference/monitor_protocol.md). Ranges of addresses must lie where the comment says,
else the answer is BAD_ADDRESS."""

from __future__ import annotations

from heapwire.records import Flags, Numbers, Record, u32

MONITOR_PROTOCOL = 1
MONITOR_MAX_DATA = 1000
"""Data bytes of one WRITE or READ, at most."""
MONITOR_NAK = 0xFF
"""Operation of the answer to a frame without a valid packet."""
MONITOR_TEXT_SCHEMA, MONITOR_TEXT_NANOPB = 1, 64
"""Numbers of texts: schema errors from the first one on, then nanopb's last error."""
MONITOR_TEXT_MAX = 200


class Operation(Numbers, c="operation"):
    """What a request asks for."""

    HELLO, LAYOUT, WRITE, READ, CHECKSUM = range(1, 6)
    LOAD_SCHEMA, RUN, COUNTERS, RESET, EXIT = range(6, 11)
    TEXT, BAUD, STREAM_OUT, STREAM_TAKEN, STREAM_IN = range(11, 16)


class Status(Numbers, c="answer"):
    """How the monitor answers a request."""

    OK = 0
    BAD_FRAME = 1  # only in NAK
    UNKNOWN_OPERATION = 2
    BAD_BODY = 3  # length or a value of the request's body
    BAD_ADDRESS = 4  # a range outside where it must lie
    BAD_SCHEMA = 5  # a blob that does not hold what schema_blob.md asks
    NO_SCHEMA = 6  # none in force
    NO_TYPE = 7  # no such record, or no nanopb code of that name
    NO_ENGINE = 8  # not in this firmware
    NOT_SUPPORTED = 9  # not on this machine
    TOO_LARGE = 10  # no room (schema, nanopb arena, object stream)
    NOT_READY = 11  # no object stream that way at the moment


class Hello(Record, c="monitor_hello"):
    """Answer to HELLO."""

    protocol: u32
    max_body: u32
    interface: u32  # HW_INFO_VERSION
    capability: u32  # information words; 0 without a front end
    sizes: u32
    engines: u32  # bit e: engine e; bit 0 only if there is a unit that reads messages
    nanopb_schema: u32  # schema_id of the registered nanopb code, 0: none
    clock_hz: u32
    simulated: u32  # 1 or 0


class MemoryLayout(Record, c="monitor_layout"):
    """Answer to LAYOUT: addresses."""

    registers: u32[32]  # runtime registers by index, as last set; 0: never
    memory_base: u32
    memory_limit: u32
    buffer_base: u32
    buffer_limit: u32
    fixed_base: u32
    fixed_limit: u32
    flexible_base: u32
    flexible_limit: u32
    schema: u32  # address of the blob in force, 0: none
    schema_size: u32


class Range(Record, c="monitor_range"):
    """Request READ (at most MONITOR_MAX_DATA) or CHECKSUM, within main memory; LOAD_SCHEMA, within the buffer."""

    address: u32
    length: u32


class LoadedSchema(Record, c="monitor_schema"):
    """Answer to LOAD_SCHEMA."""

    schema: u32  # address in force
    schema_id: u32
    type_count: u32


class RunFlag(Flags, c="run_flag", prefix="RUN_"):
    """Flags of a RUN; at most one."""

    # After the last iteration the engine encodes what it has made: root .. fixed_top of the answer are then those
    # bytes.
    REENCODE = 1
    # The input is deserialized once, uncounted (by the driver, or by nanopb for nanopb); the iterations serialize what
    # it became: root .. fixed_top are the bytes of the last one. A result other than OK with no cycles means that there
    # was nothing to serialize, because the input is malformed.
    SERIALIZE = 2


class RunRequest(Record, c="monitor_run_request"):
    """Request RUN."""

    engine: u32  # of enum engine (workload.py), up to NANOPB, or one behind them that the program adds
    type: u32  # index of the record in the schema blob
    input: u32  # address within main memory, outside both arenas
    length: u32
    max_depth: u32
    warm: u32
    iterations: u32  # at least 1
    flags: u32


class RunAnswer(Record, c="monitor_run"):
    """Answer to RUN. Unit counters are over the counted iteration with the fewest cycles; 0 for software."""

    result: u32  # status (HW_STATUS_*) of the last iteration; nanopb: 0, or ENGINE_NANOPB_ERROR with the error as text
    root: u32  # address of the root object (0 on error); nanopb: of the struct; or see the flags
    fixed_top: u32  # end of what was taken from the fixed arena
    flexible_top: u32  # likewise
    offset: u32  # input offset of the error
    cycles: u32  # fewest of a counted iteration
    cycles_most: u32
    cycles_first: u32  # of the very first iteration, warm ones included
    instret: u32  # of the counted iteration with the fewest cycles
    fallbacks: u32  # of all iterations
    read_bytes: u32
    write_bytes: u32
    fixed_start: u32  # where the fixed arena started
    flexible_start: u32
    busy_cycles: u32
    reserved: u32


COUNTERS_OF_KIND = 8


class Counters(Record, c="monitor_counters"):
    """Answer to COUNTERS; COUNTERS_OF_KIND words for each kind of unit follow."""

    cycles_low: u32
    cycles_high: u32
    instret_low: u32
    instret_high: u32
    kinds: u32


class StreamAsk(Record, c="stream_ask"):
    """Request STREAM_OUT."""

    number: u32  # of the stream; 0: not known yet
    offset: u32


class StreamOut(Record, c="stream_out"):
    """Answer to STREAM_OUT; the stream's bytes from the offset on follow, as many as fit."""

    number: u32
    length: u32
    crc: u32  # CRC-32 of the stream


class StreamTaken(Record, c="stream_taken"):
    """Request STREAM_TAKEN."""

    number: u32
    crc: u32


class StreamIn(Record, c="stream_in"):
    """Request STREAM_IN; 1 or more bytes of the stream follow."""

    length: u32
    crc: u32
    offset: u32

"""Messages that are preloaded, and what the program `batch` makes of them (docs/reference/firmware_build.md)."""

from __future__ import annotations

from heapwire.records import Flags, Numbers, Record, u32

WORKLOAD_MAGIC = int.from_bytes(b"HWLD", "little")
WORKLOAD_VERSION = 1


class Engine(Numbers, c="engine"):
    """What parses, or writes, a message."""

    HW = 0  # the driver's public API, which falls back to software and counts that
    TABLE = 1  # the codec: same tables, same objects
    NANOPB = 2  # pb_decode into a struct in an arena, pb_encode of that; the type is looked up by name
    HW_NANOPB = 3  # nanopb's structs, by the units: hw_pb_decode and hw_pb_encode
    FIELDS = 4  # the codec's objects, by the field instructions, in a program with the generated code


ENGINE_NANOPB_ERROR = ENGINE_REFUSED = 255
"""The status when nanopb, or an engine that the study adds behind these (study/records/upb.py), fails: they have no
status codes."""


class Task(Flags, c="workload_task", prefix="WORKLOAD_"):
    """What the suites do with a case, besides the engines."""

    # `protobuf`:
    CAPNP = 0x400  # the message is one of Cap'n Proto; the core copies it
    FLIGHT = 0x800  # many of the message in flight
    # `heap`:
    WAIT = 0x2000  # the wait for its command in flight
    TRAFFIC = 0x4000  # adoption, survival, end to end
    HEAPS = 0x1000  # end to end in heaps of several sizes


class Case(Record, c="workload_case"):
    """A message. Offsets are from the start of the workload."""

    name: u32  # offset of a C string
    type: u32  # offset of the full name of its type, a C string
    message: u32  # offset of its bytes, a multiple of 16
    length: u32
    engines: u32  # bit e: engine e; tasks
    warm: u32  # iterations that are not counted
    digest: u32  # of its fields; 0: not known
    reserved: u32


class Header(Record, c="workload", cases="workload_case"):
    """The start of a workload."""

    magic: u32
    version: u32
    bytes: u32  # of the whole workload
    count: u32  # number of cases
    schema: u32  # offset of the schema blob
    schema_bytes: u32
    crc: u32  # CRC-32 (zlib's) of what follows the header; 0: not checked
    reserved: u32


BATCH_NO_TYPE = 0x200
"""The schema has no type of that name."""
BATCH_NOT_RUN = 0x201
"""There was nothing to serialize."""
BATCH_GROWTH, BATCH_MARGIN = 8, 4096
"""The place for a message that is written again has so many times its bytes, and so many more."""
BATCH_ALIGNMENT = 64
"""Of the results and of each place."""


class Result(Record, c="batch_result"):
    """What became of a case. Results follow the workload; a place for each message follows them."""

    deserialize_status: u32  # HW_STATUS_*, or one of the above
    offset: u32  # input offset of an error
    deserialize_fallbacks: u32
    serialize_status: u32
    serialize_fallbacks: u32
    output: u32  # address of the bytes
    output_bytes: u32
    reserved: u32

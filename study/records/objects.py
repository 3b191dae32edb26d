"""Object graphs that are preloaded for the suites of serializers (study/docs/suites.md). Offsets are from
the start of the workload."""

from __future__ import annotations

from heapwire.records import Flags, Record, u32

OBJECTS_MAGIC = int.from_bytes(b"HWLO", "little")
OBJECTS_VERSION = 1
OBJECTS_CONSTANT = 1 << 31
"""Flag of an object's first word: a constant of an enum; the second word is its ordinal in place of a length."""


class WorkloadFlags(Flags, c="objects_flags", prefix="OBJECTS_"):
    """Flags of a workload."""

    COPY = 1  # the copy unit is measured, too
    SKYWAY = 2  # the suite is `skyway`, not `cereal`


class Case(Record, c="objects_case"):
    """A graph."""

    name: u32  # offset of a C string
    graph: u32  # offset of the graph's words
    objects: u32  # number of objects reachable from the root
    heap_bytes: u32  # of all of them
    stream_bytes: u32  # of its Cereal stream
    stream_digest: u32
    digest: u32  # of the graph
    engines: u32  # bits of serializers.py
    warm: u32  # number of runs after the first
    skyway_bytes: u32  # of its Skyway buffer
    skyway_digest: u32  # leaves out the header
    reserved: u32


class Header(Record, c="objects_workload", cases="objects_case"):
    """The start of a workload."""

    magic: u32
    version: u32
    bytes: u32  # of the whole workload
    count: u32  # number of cases
    class_count: u32  # of the class tables that the host knows
    class_set: u32  # their fingerprint as in Cereal; other classes are refused
    crc: u32  # CRC-32 (zlib's) of what follows the header; 0: not checked
    flags: u32

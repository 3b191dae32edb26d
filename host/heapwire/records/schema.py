"""The schema blob (docs/reference/schema_blob.md). Offsets are in bytes from the start of the blob."""

from __future__ import annotations

from heapwire.records import Flags, Record, u32

SCHEMA_MAGIC = int.from_bytes(b"HWSB", "little")
SCHEMA_VERSION = 3
SCHEMA_ALIGNMENT = 64
"""Of the blob's address, of its size and of each table."""
SCHEMA_MAX_BYTES = 16 << 20
SCHEMA_MAX_TYPES = 4096
SCHEMA_FIRST_ID = 64
"""The first id of schema types. The runtime's own classes have lower ones."""
SCHEMA_INLINE_SLOTS = 30
"""Slots of the longest reference bitmap that a klass holds inline."""
SCHEMA_LONG_BITMAP = 1 << 31
"""In a loaded klass's bitmap: the other bits, shifted left by one, are the address of a longer one."""


class Header(Record, c="schema_header"):
    """The start of the blob. Sections come in the order of their words."""

    magic: u32
    version: u32
    size: u32  # bytes of the whole blob
    crc: u32  # CRC-32 (zlib's) of all bytes with this word taken as 0
    interface: u32  # the HW_INFO_VERSION for which the blob was made
    type_count: u32  # type records, 1 .. SCHEMA_MAX_TYPES
    types: u32  # offset of the type records, a multiple of 16
    klasses: u32  # offset of the klass structs, a multiple of 16: one for each record, in their order
    tables: u32  # offset of the descriptor tables, a multiple of 64
    tables_size: u32  # bytes of all descriptor tables
    strings: u32  # offset of the NUL-terminated UTF-8 strings
    strings_size: u32  # bytes of all strings, terminators included; the last byte is 0
    root: u32  # index of the (first) root type's record, 0
    schema_id: u32  # fingerprint: CRC-32 of the schema's canonical text, never 0
    reserved: u32
    reserved_link: u32  # once loaded: the address of the blob that is in force beside it and was loaded before, or 0


class TypeFlags(Flags, c="schema_flags", prefix="SCHEMA_"):
    """Flags of a type."""

    SOFTWARE_ONLY = 1  # too large for the units: more hasbits words or required fields than they hold


class TypeRecord(Record, c="schema_record"):
    """A message type."""

    name: u32  # offset of the full name (package.Message), within the strings
    klass: u32  # offset of the klass struct
    table: u32  # offset of the descriptor table, a multiple of 64
    object_size: u32  # bytes, a multiple of 8
    flags: u32
    id: u32  # the klass's numeric id: SCHEMA_FIRST_ID + index of the record
    bitmap: u32  # offset of the long reference bitmap, a multiple of 4, or 0: the klass has its bitmap inline
    field_count: u32  # fields in the table

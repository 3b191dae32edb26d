"""Packs the schema blob of docs/reference/schema_blob.md, and reads it back."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor

from heapwire.interface import Interface
from heapwire.schema.layout import SLOT, Clear, Layout, lay_out
from heapwire.schema.proto import SchemaError
from heapwire.schema.tables import Table, plan_table, write_table
from heapwire.schema.types import MessageType, closure, message_types, schema_id

MAGIC = 0x42535748
VERSION = 2
HEADER = struct.Struct("<14I8x")
RECORD = struct.Struct("<8I")
CRC_OFFSET = 12
ALIGNMENT = 64
MAX_SIZE = 16 << 20
FIRST_ID = 64
FLAG_SOFTWARE_ONLY = 1
INLINE_SLOTS = 30
"""Slots of the longest reference bitmap that a klass holds inline."""


@dataclass(frozen=True)
class TypeRecord:
    """A type of a compiled schema with its byte offsets in the blob."""

    message: MessageType
    layout: Layout
    table: Table
    klass_offset: int
    table_offset: int
    software_only: bool


@dataclass(frozen=True)
class CompiledSchema:
    """A schema ready for the machine. `types[0]` is the first root."""

    types: tuple[TypeRecord, ...]
    blob: bytes
    schema_id: int
    tables_offset: int
    tables_size: int

    def index(self, type_name: str) -> int:
        """Returns the index of a type's record, by full name.

        Raises SchemaError if the schema does not reach the type."""
        for record in self.types:
            if record.message.name == type_name:
                return record.message.index
        raise SchemaError(f"the compiled schema has no type {type_name}")

    def loaded(self, base: int, interface: Interface) -> bytes:
        """Returns the blob as it stands in memory at `base` after the firmware has patched it, without a superclass."""
        if base % ALIGNMENT:
            raise ValueError(f"a schema blob must be aligned to {ALIGNMENT} bytes")
        data = bytearray(self.blob)
        at_types = HEADER.unpack_from(data)[6]
        for index in range(len(self.types)):
            name, klass, table, _, _, _, bitmap, _ = RECORD.unpack_from(data, at_types + index * RECORD.size)
            interface.header["klass"].put(data, table, base + klass)
            struct.pack_into("<I", data, klass + interface.klass["name"], base + name)
            if bitmap:
                struct.pack_into(
                    "<I", data, klass + interface.klass["reference_bitmap"], 0x80000000 | (base + bitmap) >> 1
                )
        return bytes(data)


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def _bitmap(layout: Layout, interface: Interface) -> tuple[int, int]:
    """Returns the reference bitmap as a number (bit i: slot i after the header), and the number of slots."""
    header = interface.object["header_size"]
    bits = 0
    for offset in layout.references:
        bits |= 1 << (offset - header) // SLOT
    return bits, (layout.size - header) // SLOT


def compile_schema(
    roots: Descriptor | list[Descriptor], interface: Interface, clear: Clear = Clear.ALL
) -> CompiledSchema:
    """Compiles all types that the roots reach into layouts, tables and klass structs, and packs them. clear: the part
    of new objects that units clear.

    Raises SchemaError if a limit of the tables or of the blob is exceeded."""
    roots = roots if isinstance(roots, list) else [roots]
    messages = message_types(roots, interface)
    layouts = [lay_out(message, interface, clear) for message in messages]
    tables = [plan_table(message, interface) for message in messages]
    bitmaps = [_bitmap(layout, interface) for layout in layouts]

    types_at = HEADER.size
    klass_size = _align(interface.klass["size"], 16)
    klasses_at = _align(types_at + RECORD.size * len(messages), 16)
    at = klasses_at + klass_size * len(messages)
    bitmap_at = []
    for bits, slots in bitmaps:
        bitmap_at.append(0 if slots <= INLINE_SLOTS else at)
        at += 0 if slots <= INLINE_SLOTS else 4 + 4 * ((slots + 31) // 32)
    tables_at = at = _align(at, ALIGNMENT)
    table_at = []
    for table in tables:
        table_at.append(at)
        at = _align(at + table.size, ALIGNMENT)
    strings_at = at
    names = [message.name.encode() + b"\0" for message in messages]
    strings = b"".join(names)
    size = _align(strings_at + len(strings), ALIGNMENT)
    if size > MAX_SIZE:
        raise SchemaError(f"{roots[0].full_name}: the schema takes {size} bytes; at most {MAX_SIZE} fit")

    data = bytearray(size)
    data[strings_at : strings_at + len(strings)] = strings
    name_at = strings_at
    records = []
    for i, (message, layout, table) in enumerate(zip(messages, layouts, tables)):
        klass = klasses_at + klass_size * i
        software_only = (
            layout.hasbits_words > interface.descriptor["max_hasbits_words"]
            or message.required_count > interface.descriptor["max_required"]
        )
        RECORD.pack_into(
            data,
            types_at + RECORD.size * i,
            name_at,
            klass,
            table_at[i],
            layout.size,
            FLAG_SOFTWARE_ONLY if software_only else 0,
            FIRST_ID + i,
            bitmap_at[i],
            len(message.fields),
        )
        name_at += len(names[i])
        bits, slots = bitmaps[i]
        words = {
            "object_size": layout.size,
            "kind": interface.klass["kind_message"],
            "element_shift": 0,
            "id": FIRST_ID + i,
            "reference_bitmap": 0 if bitmap_at[i] else bits,
        }
        for name, value in words.items():
            struct.pack_into("<I", data, klass + interface.klass[name], value)
        if bitmap_at[i]:
            count = (slots + 31) // 32
            struct.pack_into(
                f"<{count + 1}I", data, bitmap_at[i], count, *((bits >> 32 * w) & 0xFFFFFFFF for w in range(count))
            )
        write_table(data, table_at[i], message, layout, table, table_at, interface)
        records.append(TypeRecord(message, layout, table, klass, table_at[i], software_only))

    identity = schema_id(closure(roots))
    HEADER.pack_into(
        data,
        0,
        MAGIC,
        VERSION,
        size,
        0,
        interface.version,
        len(messages),
        types_at,
        klasses_at,
        tables_at,
        strings_at - tables_at,
        strings_at,
        len(strings),
        0,
        identity,
    )
    struct.pack_into("<I", data, CRC_OFFSET, zlib.crc32(data))
    return CompiledSchema(tuple(records), bytes(data), identity, tables_at, strings_at - tables_at)


def check_blob(blob: bytes) -> list[str]:
    """Returns the names of the types in an unpatched blob.

    Raises SchemaError if the blob is damaged, by the same checks as the firmware's."""
    if len(blob) < HEADER.size:
        raise SchemaError("a schema blob is at least 64 bytes long")
    magic, version, size, crc, _, count, types, _, _, _, strings, strings_size, _, _ = HEADER.unpack_from(blob)
    if magic != MAGIC or version != VERSION or size != len(blob):
        raise SchemaError("not a schema blob of this version, or cut short")
    if zlib.crc32(blob[:CRC_OFFSET] + bytes(4) + blob[CRC_OFFSET + 4 :]) != crc:
        raise SchemaError("the schema blob is damaged (CRC-32)")
    names = []
    for i in range(count):
        name = RECORD.unpack_from(blob, types + RECORD.size * i)[0]
        if not strings <= name < strings + strings_size:
            raise SchemaError("the schema blob has a name outside its strings")
        names.append(blob[name : blob.index(b"\0", name)].decode())
    return names

"""Packs the schema blob of docs/reference/schema_blob.md, and reads it back."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, replace

from google.protobuf.descriptor import Descriptor

from base.errors import HeapwireError
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire.records import align
from heapwire.records import schema as records
from heapwire.records.schema import SCHEMA_ALIGNMENT, SCHEMA_FIRST_ID, SCHEMA_INLINE_SLOTS, Header, TypeRecord
from heapwire.schema.layout import SLOT, Clear, Layout, lay_out
from heapwire.schema.proto import SchemaError
from heapwire.schema.tables import Table, plan_table, write_table
from heapwire.schema.types import MessageType, closure, message_types, schema_id


@dataclass(frozen=True)
class CompiledType:
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

    types: tuple[CompiledType, ...]
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
        if base % SCHEMA_ALIGNMENT:
            raise ValueError(f"a schema blob must be aligned to {SCHEMA_ALIGNMENT} bytes")
        data = bytearray(self.blob)
        for each in type_records(data):
            interface.header["klass"].put(data, each.table, base + each.klass)
            struct.pack_into("<I", data, each.klass + interface.klass["name"], base + each.name)
            if each.bitmap:
                place = records.SCHEMA_LONG_BITMAP | (base + each.bitmap) >> 1
                struct.pack_into("<I", data, each.klass + interface.klass["reference_bitmap"], place)
        return bytes(data)


def type_records(blob: bytes) -> list[TypeRecord]:
    """Returns the type records of a blob."""
    header = Header.unpack(blob)
    return [TypeRecord.unpack(blob, header.types + TypeRecord.SIZE * i) for i in range(header.type_count)]


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

    types_at = Header.SIZE
    klass_size = align(interface.klass["size"], 16)
    klasses_at = align(types_at + TypeRecord.SIZE * len(messages), 16)
    at = klasses_at + klass_size * len(messages)
    bitmap_at = []
    for bits, slots in bitmaps:
        bitmap_at.append(0 if slots <= SCHEMA_INLINE_SLOTS else at)
        at += 0 if slots <= SCHEMA_INLINE_SLOTS else 4 + 4 * ((slots + 31) // 32)
    tables_at = at = align(at, SCHEMA_ALIGNMENT)
    table_at = []
    for table in tables:
        table_at.append(at)
        at = align(at + table.size, SCHEMA_ALIGNMENT)
    strings_at = at
    names = [message.name.encode() + b"\0" for message in messages]
    strings = b"".join(names)
    size = align(strings_at + len(strings), SCHEMA_ALIGNMENT)
    if size > records.SCHEMA_MAX_BYTES:
        raise SchemaError(
            f"{roots[0].full_name}: the schema takes {size} bytes; at most {records.SCHEMA_MAX_BYTES} fit"
        )

    data = bytearray(size)
    data[strings_at : strings_at + len(strings)] = strings
    name_at = strings_at
    compiled = []
    for i, (message, layout, table) in enumerate(zip(messages, layouts, tables)):
        klass = klasses_at + klass_size * i
        software_only = (
            layout.hasbits_words > interface.descriptor["max_hasbits_words"]
            or message.required_count > interface.descriptor["max_required"]
        )
        packed = TypeRecord(
            name=name_at,
            klass=klass,
            table=table_at[i],
            object_size=layout.size,
            flags=records.TypeFlags.SOFTWARE_ONLY if software_only else 0,
            id=SCHEMA_FIRST_ID + i,
            bitmap=bitmap_at[i],
            field_count=len(message.fields),
        )
        record_at = types_at + TypeRecord.SIZE * i
        data[record_at : record_at + TypeRecord.SIZE] = packed.pack()
        name_at += len(names[i])
        bits, slots = bitmaps[i]
        words = {
            "object_size": layout.size,
            "kind": interface.klass["kind_message"],
            "element_shift": 0,
            "id": SCHEMA_FIRST_ID + i,
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
        compiled.append(CompiledType(message, layout, table, klass, table_at[i], software_only))

    identity = schema_id(closure(roots))
    header = Header(
        magic=records.SCHEMA_MAGIC,
        version=records.SCHEMA_VERSION,
        size=size,
        crc=0,
        interface=interface.version,
        type_count=len(messages),
        types=types_at,
        klasses=klasses_at,
        tables=tables_at,
        tables_size=strings_at - tables_at,
        strings=strings_at,
        strings_size=len(strings),
        root=0,
        schema_id=identity,
    )
    data[: Header.SIZE] = header.pack()
    data[: Header.SIZE] = replace(header, crc=zlib.crc32(data)).pack()
    return CompiledSchema(tuple(compiled), bytes(data), identity, tables_at, strings_at - tables_at)


def check_limits(roots: list[Descriptor]) -> None:
    """Raises SchemaError for types of which compile_schema makes no tables. Before the first build of the machine, when
    there is no heapwire.json yet, it only counts them."""
    closure(roots)
    try:
        built = interface_module.load()
    except HeapwireError:
        return
    compile_schema(roots, built)


def check_blob(blob: bytes) -> list[str]:
    """Returns the names of the types in an unpatched blob.

    Raises SchemaError if the blob is damaged, by the same checks as the firmware's."""
    if len(blob) < Header.SIZE:
        raise SchemaError(f"a schema blob is at least {Header.SIZE} bytes long")
    header = Header.unpack(blob)
    if (header.magic, header.version, header.size) != (records.SCHEMA_MAGIC, records.SCHEMA_VERSION, len(blob)):
        raise SchemaError("not a schema blob of this version, or cut short")
    if zlib.crc32(replace(header, crc=0).pack() + blob[Header.SIZE :]) != header.crc:
        raise SchemaError("the schema blob is damaged (CRC-32)")
    names = []
    for each in type_records(blob):
        if not header.strings <= each.name < header.strings + header.strings_size:
            raise SchemaError("the schema blob has a name outside its strings")
        names.append(blob[each.name : blob.index(b"\0", each.name)].decode())
    return names

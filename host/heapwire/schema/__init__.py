"""Compiles a protobuf schema to descriptor tables, klass structs and the schema blob.

docs/reference/schema_blob.md defines the byte format of the blob and the firmware's patches to it. `blob` packs it;
`firmware/runtime/schema.h` reads it."""

from heapwire.schema.blob import CompiledSchema, CompiledType, check_blob, check_limits, compile_schema
from heapwire.schema.layout import Clear
from heapwire.schema.proto import Schema, SchemaError, compile_proto, load, load_descriptor_set

__all__ = [
    "Clear",
    "CompiledSchema",
    "Schema",
    "SchemaError",
    "CompiledType",
    "check_blob",
    "check_limits",
    "compile_proto",
    "compile_schema",
    "load",
    "load_descriptor_set",
]

"""From a protobuf schema to descriptor tables, klass structs and the schema blob.

The byte format of the blob, and what the firmware patches in it, is defined in
docs/schema_blob.md; `blob` packs it, `firmware/runtime/schema.h` is its reader.
"""
from heapwire.schema.blob import CompiledSchema, TypeRecord, check_blob, compile_schema
from heapwire.schema.layout import Clear
from heapwire.schema.proto import Schema, SchemaError, compile_proto, load, load_descriptor_set

__all__ = ["Clear", "CompiledSchema", "Schema", "SchemaError", "TypeRecord", "check_blob", "compile_proto",
           "compile_schema", "load", "load_descriptor_set"]

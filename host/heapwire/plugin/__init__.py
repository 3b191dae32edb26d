"""protoc-gen-heapwire: C accessors for managed messages (docs/reference/accessors.md).

`names` turns full protobuf names into C identifiers. `fields` writes the functions of a field, `header` and `source`
write the two files, and `generate` answers protoc's request. The layout of objects is that of `heapwire.schema`."""

from heapwire.plugin.generate import PluginError, generate, respond

__all__ = ["PluginError", "generate", "respond"]

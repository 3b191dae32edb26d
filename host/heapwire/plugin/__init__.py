"""protoc-gen-heapwire: C accessors for managed messages (docs/reference/accessors.md).

`names` turns full protobuf names into C identifiers. `accessors` writes the functions of a field, `files` the two
files, and `generate` answers protoc's request. The layout of objects is that of `heapwire.schema`."""

"""The schemas of the runner's own protocol and of its test messages."""

from __future__ import annotations

import tempfile
from pathlib import Path

from heapwire.interface import Interface
from heapwire.schema import Schema, compile_proto, compile_schema
from heapwire.schema.blob import CompiledSchema

FILES = ("proto2", "proto3", "edition2023", "proto2_editions", "proto3_editions")
TYPES = (
    "protobuf_test_messages.proto2.TestAllTypesProto2",
    "protobuf_test_messages.proto3.TestAllTypesProto3",
    "protobuf_test_messages.editions.TestAllTypesEdition2023",
    "protobuf_test_messages.editions.proto2.TestAllTypesProto2",
    "protobuf_test_messages.editions.proto3.TestAllTypesProto3",
)
"""The types that the runner asks for. They reach the other types."""


def protocol(package: Path) -> Schema:
    """Returns the schema of conformance.proto. package: the unpacked npm package."""
    return compile_proto(package / "include" / "conformance" / "conformance.proto", [package / "include"])


def test_schema(package: Path) -> Schema:
    """Returns the schema of the runner's test messages."""
    with tempfile.TemporaryDirectory() as folder:
        every = Path(folder) / "every.proto"
        imports = "".join(f'import "google/protobuf/test_messages_{name}.proto";\n' for name in FILES)
        every.write_text(f'syntax = "proto3";\n{imports}')
        return compile_proto(every, [package / "include"])


def test_messages(package: Path, interface: Interface) -> CompiledSchema:
    """Returns the compiled types of the runner's test messages."""
    schema = test_schema(package)
    return compile_schema([schema.descriptor(name) for name in TYPES], interface)

"""The runner's own protocol, and the types of its messages."""
from __future__ import annotations

import tempfile
from pathlib import Path

from heapwire.interface import Interface
from heapwire.schema import Schema, compile_proto, compile_schema
from heapwire.schema.blob import CompiledSchema

FILES = ("proto2", "proto3", "edition2023", "proto2_editions", "proto3_editions")
TYPES = ("protobuf_test_messages.proto2.TestAllTypesProto2", "protobuf_test_messages.proto3.TestAllTypesProto3",
         "protobuf_test_messages.editions.TestAllTypesEdition2023",
         "protobuf_test_messages.editions.proto2.TestAllTypesProto2", "protobuf_test_messages.editions.proto3.TestAllTypesProto3")
"""The types that the runner asks for; others are reached from them."""


def protocol(package: Path) -> Schema:
    """conformance.proto. package: the unpacked npm package."""
    return compile_proto(package / "include" / "conformance" / "conformance.proto", [package / "include"])


def test_messages(package: Path, interface: Interface) -> CompiledSchema:
    """The types of the runner's messages."""
    with tempfile.TemporaryDirectory() as folder:
        every = Path(folder) / "every.proto"
        imports = "".join(f'import "google/protobuf/test_messages_{name}.proto";\n' for name in FILES)
        every.write_text(f'syntax = "proto3";\n{imports}')
        schema = compile_proto(every, [package / "include"])
        return compile_schema([schema.descriptor(name) for name in TYPES], interface)

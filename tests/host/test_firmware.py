"""nanopb's code as the peer of any schema."""
import subprocess

import pytest

from heapwire.demo.messages import demo_cases
from heapwire.firmware import generate_peers, recursive_fields
from heapwire.schema import compile_proto, compile_schema
from heapwire.schema.types import closure


def test_recursive_fields(everything):
    assert recursive_fields(closure([everything.descriptor("test.Everything")])) == {
        "test.Everything.child", "test.Everything.choice_child", "test.Everything.ByNumberEntry.value"}


def test_no_peer_for_groups(everything, tmp_path):
    assert not generate_peers(everything, ["test.WithGroup"], tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("which", ["demo", "everything", "imports"])
def test_peers(which, everything, interface, tmp_path):
    if which == "demo":
        schema, cases = demo_cases()
        roots = [case.type_name for case in cases]
    elif which == "everything":
        schema, roots = everything, ["test.Everything"]
    else:
        (tmp_path / "main.proto").write_text(
            'syntax = "proto3"; import "google/protobuf/struct.proto"; message M { google.protobuf.Struct s = 1; }')
        schema, roots = compile_proto(tmp_path / "main.proto"), ["M"]
    folder = tmp_path / "peers"
    assert generate_peers(schema, roots, folder)
    registry = (folder / "registry.c").read_text()
    identity = compile_schema([schema.descriptor(root) for root in dict.fromkeys(roots)], interface).schema_id
    assert f"nanopb_schema_id = {identity:#x}u;" in registry
    for descriptor in closure([schema.descriptor(root) for root in roots]):
        name = descriptor.full_name.replace(".", "_")
        assert f'NANOPB_TYPE("{descriptor.full_name}", {name})' in registry
        assert any(f"}} {name};" in header.read_text() for header in folder.glob("*.h"))
    stamps = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    (folder / "stale.c").write_text("")
    generate_peers(schema, roots, folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps


def test_generated_code_compiles(everything, tmp_path):
    """The structs are laid out without cycles. Only nanopb's header is needed; where it is
    not unpacked yet, its few declarations that the generated header uses stand in."""
    assert generate_peers(everything, ["test.Everything"], tmp_path)
    (tmp_path / "pb.h").write_text(
        "#include <stdint.h>\n#include <stdbool.h>\ntypedef uint_least32_t pb_size_t;\n"
        "typedef struct { pb_size_t size; uint8_t bytes[1]; } pb_bytes_array_t;\ntypedef int pb_msgdesc_t;\n"
        "#define PB_PROTO_HEADER_VERSION 40\n")
    result = subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32ima", "-mabi=ilp32", "-ffreestanding", "-fsyntax-only",
                             "-x", "c", f"-I{tmp_path}", str(tmp_path / "schema0.pb.h")], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

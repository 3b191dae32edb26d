"""nanopb's code as the peer for any schema."""

import os
import time
from pathlib import Path

import pytest
from google.protobuf.compiler import plugin_pb2
from nanopb.generator.proto import nanopb_pb2

from base.repository import ROOT
from heapwire import firmware, nanopb
from heapwire.firmware import generate_peers, recursive_fields
from heapwire.program.program import schemas_of
from heapwire.schema import compile_proto, compile_schema
from heapwire.schema.proto import in_order
from heapwire.schema.types import closure
from heapwire.simulation import parts
from heapwire.workload.messages import demo_cases
from tests.common.run import RISCV, checked


def test_recursive_fields(everything):
    assert recursive_fields(closure([everything.descriptor("test.Everything")])) == {
        "test.Everything.child",
        "test.Everything.choice_child",
        "test.Everything.ByNumberEntry.value",
    }


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
            'syntax = "proto3"; import "google/protobuf/struct.proto"; message M { google.protobuf.Struct s = 1; }'
        )
        schema, roots = compile_proto(tmp_path / "main.proto"), ["M"]
    folder = tmp_path / "peers"
    assert generate_peers(schema, roots, folder)
    identity = compile_schema([schema.descriptor(root) for root in dict.fromkeys(roots)], interface).schema_id
    names = {descriptor.full_name for descriptor in closure([schema.descriptor(root) for root in roots])}
    assert registered(folder, tmp_path) == (identity, names)
    stamps = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    (folder / "stale.c").write_text("")
    generate_peers(schema, roots, folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps


PB = """#pragma once
#include <stdint.h>
#include <stdbool.h>
typedef uint_least32_t pb_size_t;
typedef struct { pb_size_t size; uint8_t bytes[1]; } pb_bytes_array_t;
typedef int pb_msgdesc_t;
#define PB_PROTO_HEADER_VERSION 40
"""
"""The few declarations of nanopb's header that the generated ones use."""
REGISTERED = """#include <stdio.h>
#include "nanopb/registry.h"
int main(void) {
    printf("%lu\\n", (unsigned long)nanopb_schema_id);
    for (unsigned i = 0; i < nanopb_type_count; i++) puts(nanopb_types[i].name);
}
"""


def registered(folder, out):
    """Returns what a program learns from the registry: the identity of the schema, and the names of its types. Their
    descriptions by nanopb are not linked."""
    for name, text in {"pb.h": PB, "told.c": REGISTERED}.items():
        (out / name).write_text(text)
    paths = [f"-I{each}" for each in (folder, out, ROOT / "firmware")]
    sources = out / "told.c", folder / "registry.c"
    checked("cc", "-no-pie", "-Wl,--unresolved-symbols=ignore-all", *paths, *sources, "-o", out / "told")
    identity, *names = checked(out / "told").splitlines()
    return int(identity), set(names)


def compiles(folder, *lines):
    """Compiles the headers, and lines of C behind them."""
    (folder / "pb.h").write_text(PB)
    headers = [header for header in folder.glob("*.h") if header.name != "pb.h"]
    assert headers
    includes = "".join(f'#include "{header.name}"\n' for header in headers)
    (folder / "all.c").write_text(includes + "\n".join(lines) + "\n")
    flags = "-march=rv32ima -mabi=ilp32 -ffreestanding -fsyntax-only -Werror".split()
    checked(f"{RISCV}gcc", *flags, f"-I{folder}", f"-I{ROOT / 'firmware'}", folder / "all.c")


def test_generated_code_compiles(everything, tmp_path):
    """The structs contain no cycles."""
    assert generate_peers(everything, ["test.Everything"], tmp_path)
    compiles(tmp_path)


def test_names_of_a_schema_need_not_be_names_in_c(tmp_path):
    """Names include keywords, macros, names that collide without dots, and names that nanopb derives from others."""
    (tmp_path / "t.proto").write_text("""syntax = "proto2";
message int { optional int32 union = 1; optional bool true = 2; optional bool has_union = 3; repeated int32 NULL = 4;
optional int32 NULL_count = 5;
              oneof struct { int32 bool = 6; string which_struct = 7; } optional class inner = 8;
              optional enum kind = 9 [default = for];
              message class { optional int int = 1; } enum enum { for = 0; while = 7; } }
message int_class { optional int.class default = 1; }
""")
    schema = compile_proto(tmp_path / "t.proto")
    assert generate_peers(schema, ["int", "int_class"], tmp_path / "peers")
    compiles(tmp_path / "peers")


def test_the_users_own_options_for_nanopb_do_not_count(tmp_path):
    """These options rename, limit and omit, but the peer needs every type and field, under our names."""
    (tmp_path / "t.proto").write_text("""syntax = "proto2"; package t; import "nanopb.proto";
option (nanopb_fileopt).mangle_names = M_FLATTEN; option (nanopb_fileopt).long_names = false;
message M { optional string text = 1 [(nanopb).max_size = 4]; repeated int32 numbers = 2 [(nanopb).type = FT_IGNORE];
optional Skipped s = 3;
            message Skipped { option (nanopb_msgopt).skip_message = true; optional E e = 1; }
            enum E { option (nanopb_enumopt).long_names = false; for = 0; NULL = 1; } }
""")
    schema = compile_proto(tmp_path / "t.proto", [Path(nanopb_pb2.__file__).parent])
    folder = tmp_path / "peers"
    assert generate_peers(schema, ["t.M"], folder)
    compiles(
        folder,
        '#include "registry.c"',
        "char *text(T0 *m) { return m->f1; }",
        "int32_t *numbers(T0 *m) { return m->f2; }",
    )
    assert registered(folder, tmp_path)[1] == {"t.M", "t.M.Skipped"}


def test_a_folder_for_nanopbs_code_that_cannot_be_made_is_told(tmp_path, monkeypatch):
    (tmp_path / "x.proto").write_text("")
    monkeypatch.setattr(nanopb, "_run", lambda *arguments: set())
    out = tmp_path / "x.proto" / "out"
    monkeypatch.setattr("sys.argv", ["heapwire.nanopb", "-I", str(tmp_path), "-D", str(out), "x.proto"])
    with pytest.raises(SystemExit, match=f"{tmp_path}/x.proto.*: Not a directory"):
        nanopb.main()


def test_files_that_no_type_needs_are_left_out(tmp_path):
    """This includes a file between two needed ones, which makes one known to the other."""
    (tmp_path / "unused.proto").write_text('syntax = "proto3"; package u; message Unused { int32 x = 1; }')
    (tmp_path / "used.proto").write_text(
        'syntax = "proto3"; package v; enum E { A = 0; } message Used { int32 x = 1; }'
    )
    (tmp_path / "between.proto").write_text(
        'syntax = "proto3"; package b; import public "used.proto"; message Between { v.Used x = 1; }'
    )
    (tmp_path / "t.proto").write_text("""syntax = "proto3"; package t; import "unused.proto"; import "between.proto";
message M { v.Used used = 1; v.E e = 2; } message Other { u.Unused x = 1; }""")
    folder = tmp_path / "peers"
    assert generate_peers(compile_proto(tmp_path / "t.proto"), ["t.M"], folder)
    assert len(list(folder.glob("*.pb.h"))) == 2
    compiles(folder)


def imports_of(schema, root):
    """Returns how many files each of nanopb's files imports, sorted."""
    descriptors = closure([schema.descriptor(root)])
    wanted = firmware._wanted_files(descriptors)
    files = [file for file in in_order(schema.files) if file.name in wanted]
    request = plugin_pb2.CodeGeneratorRequest.FromString(
        firmware._generator_request(files, descriptors, firmware._Names(files))
    )
    return sorted(len(file.dependency) for file in request.proto_file)


def test_a_file_of_nanopbs_code_includes_what_its_types_need(tmp_path):
    """This includes what an import makes public, and nothing of what a file imports without need."""
    (tmp_path / "leaf.proto").write_text('syntax = "proto3"; package l; message Leaf { int32 x = 1; }')
    (tmp_path / "public.proto").write_text(
        'syntax = "proto3"; package p; import public "leaf.proto"; message P { int32 x = 1; }'
    )
    (tmp_path / "other.proto").write_text(
        'syntax = "proto3"; package o; import "public.proto"; message O { p.P p = 1; }'
    )
    (tmp_path / "t.proto").write_text("""syntax = "proto3"; package t; import "public.proto"; import "other.proto";
message Inner { l.Leaf leaf = 1; } message M { Inner inner = 1; }  message N { M m = 1; repeated o.O o = 2; }""")
    schema = compile_proto(tmp_path / "t.proto")
    assert generate_peers(schema, ["t.M"], tmp_path / "m")
    assert imports_of(schema, "t.M") == [0, 1]
    assert generate_peers(schema, ["t.N"], tmp_path / "n")
    # leaf: none; public: none, because no field of its own has a type of leaf; other: public; t: leaf and other.
    assert imports_of(schema, "t.N") == [0, 0, 1, 2]
    compiles(tmp_path / "m")
    compiles(tmp_path / "n")


@pytest.mark.parametrize("deep", [False, True], ids=["side by side", "in layers"])
def test_nanopbs_code_of_many_files_takes_seconds(deep, tmp_path):
    """50 files, imported by one, or each by both files of the next layer, which makes 2^25 paths of imports."""
    for i in range(50):
        below = [i // 2 * 2 - 2, i // 2 * 2 - 1] if deep and i > 1 else []
        (tmp_path / f"part{i}.proto").write_text(
            'syntax = "proto3"; package many; '
            + "".join(f'import "part{j}.proto"; ' for j in below)
            + f"message Part{i} {{ int32 v = 1; {' '.join(f'repeated Part{j} p{j} = {j + 2};' for j in below)} }}"
        )
    (tmp_path / "root.proto").write_text(
        'syntax = "proto3"; package many; '
        + "".join(f'import "part{i}.proto"; ' for i in range(50))
        + f"message Root {{ {' '.join(f'Part{i} p{i} = {i + 1};' for i in range(50))} }}"
    )
    schema = compile_proto(tmp_path / "root.proto")
    began = time.process_time(), os.times().children_user
    assert generate_peers(schema, ["many.Root"], tmp_path / "peers")
    schemas_of([tmp_path / "root.proto"]).write_nanopb(tmp_path / "program")
    assert time.process_time() - began[0] + os.times().children_user - began[1] < 10
    assert [len(list((tmp_path / folder).glob("*.pb.h"))) for folder in ("peers", "program")] == [51, 51]
    compiles(tmp_path / "peers")


@pytest.mark.parametrize(
    "fields",
    ["Node next = 521;", "repeated Node next = 521;", "map<int32, Node> next = 521;", "oneof o { Node next = 521; }"],
)
def test_pointers_to_large_structs(fields, tmp_path):
    """nanopb's generator takes the size of the pointer, but its field descriptors hold that of the struct."""
    doubles = " ".join(f"double d{i} = {i};" for i in range(1, 521))
    (tmp_path / "t.proto").write_text(
        f'syntax = "proto3"; package w; message Node {{ {doubles} {fields} }} message Outer {{ repeated Node n = 1; }}'
    )
    assert generate_peers(compile_proto(tmp_path / "t.proto"), ["w.Outer"], tmp_path / "peers")
    flags = "-march=rv32ima -mabi=ilp32 --specs=picolibc.specs -fsyntax-only -DPB_ENABLE_MALLOC -DPB_FIELD_32BIT"
    sources = (tmp_path / "peers").glob("*.pb.c")  # which assert that their field descriptors hold the sizes
    checked(f"{RISCV}gcc", *flags.split(), f"-I{parts().nanopb}", f"-I{tmp_path}/peers", *sources)

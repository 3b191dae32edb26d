"""The plugin: protoc's protocol, identifiers, refusals."""

import re
import sys
from pathlib import Path

import pytest
from google.protobuf.compiler import plugin_pb2

from base.repository import ROOT
from heapwire.cli import cli
from heapwire.plugin.generate import respond, write_files
from heapwire.records import __main__ as records
from heapwire.schema import compile_proto
from tests.common.run import python, run, script

PROTOS = Path(__file__).parent / "protos"


def request(proto, *wanted, parameter=""):
    files = compile_proto(proto).files
    return plugin_pb2.CodeGeneratorRequest(
        proto_file=files.file, parameter=parameter, file_to_generate=wanted or [files.file[-1].name]
    )


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Returns the path of an executable plugin."""
    text = f"#!/bin/sh\nPYTHONPATH={ROOT}:{ROOT / 'host'} exec {sys.executable} -m heapwire.plugin\n"
    return script(tmp_path / "protoc-gen-heapwire", text)


def protoc(plugin, folder, *arguments):
    return python("grpc_tools.protoc", f"--plugin=protoc-gen-heapwire={plugin}", f"-I{folder}", *arguments)


def test_protoc_runs_the_plugin(plugin, tmp_path):
    result = protoc(plugin, PROTOS, f"--heapwire_out={tmp_path}", "shop/order.proto", "shop/defaults.proto")
    assert result.returncode == 0, result.stderr
    header = (tmp_path / "shop" / "order.heapwire.h").read_text()
    assert '#include "shop/defaults.heapwire.h"' in header
    assert '#include "google/protobuf/timestamp.heapwire.h"' in header
    assert (tmp_path / "shop" / "defaults.heapwire.c").exists()


def test_protoc_shows_the_plugins_errors(plugin, tmp_path):
    result = protoc(plugin, PROTOS, f"--heapwire_out=colour=blue:{tmp_path}", "shop/defaults.proto")
    assert result.returncode != 0
    assert "unknown option 'colour=blue'" in result.stderr and "interface=PATH" in result.stderr


def test_not_as_a_plugin_it_says_how_to_run_it():
    result = python("heapwire.plugin", "file.proto", cwd=ROOT / "host")
    assert result.returncode != 0 and "heapwire accessors FILE.proto" in result.stderr
    result = python("heapwire.plugin", cwd=ROOT / "host", text=False, input=b"\xff\xff")
    assert result.returncode != 0 and b"no CodeGeneratorRequest" in result.stderr


def test_an_interface_that_is_absent_is_an_error():
    response = respond(request(PROTOS / "shop" / "defaults.proto", parameter="interface=/nowhere.json"))
    assert "/nowhere.json" in response.error and "make verilog" in response.error


def test_command_line(tmp_path):
    cli.main(["accessors", str(PROTOS / "shop" / "order.proto"), "-o", str(tmp_path)], standalone_mode=False)
    names = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.h"))
    files = "google/protobuf/timestamp", "keywords", "shop/defaults", "shop/order"
    assert names == sorted(f"{name}.{kind}.h" for name in files for kind in ("heapwire", "fields"))


def test_identifiers(tmp_path, interface):
    """Some names are reserved by C or the runtime, and some collide. Their identifiers never change."""
    write_files(compile_proto(PROTOS / "keywords.proto"), tmp_path, interface)
    header = (tmp_path / "keywords.heapwire.h").read_text()
    for name in "int_ NULL_ hw_handle_ malloc_".split():
        assert f"typedef struct {{ hw_handle handle; }} {name};" in header
    # The nested types X.set_a, X.new and X.Y, and the file's type X_Y.
    for name in "X_set_a X_new X_Y X_Y_".split():
        assert f"typedef struct {{ hw_handle handle; }} {name};" in header
    for expected in [
        "int32_t int__get_int(int_ message)",
        "struct hw_bytes int__get_return(int_ message)",
        "enum enum_t_ {",
        "enum int__switch_case int__which_switch(int_ message)",
        "int__switch_NOT_SET = 0,",
        "int__switch_NOT_SET_ = 7,",
        # Functions that would have the names of nested types.
        "bool X_set_a_(X message, int32_t value)",
        "int32_t X_get_a_(X message)",
        "static inline X X_new_(void)",
        "int32_t X_get_equals(X message)",
        "int32_t X_get_get_a(X message)",
        # Macros of <stdint.h>.
        "INT8_Limit_MAX = 1,",
        "UINT8_MAX_ = 4,",
    ]:
        assert expected in header, expected


def proto(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_collisions_across_files_are_errors_that_say_what_to_do(tmp_path):
    """If neither file sees the other's names, no identifier would be the same from everywhere."""
    proto(tmp_path, "one.proto", 'syntax = "proto3"; package a.b; message C {}')
    proto(tmp_path, "two.proto", 'syntax = "proto3"; package a_b; message C {}')
    both = proto(
        tmp_path,
        "three.proto",
        'syntax = "proto3"; import "one.proto"; import "two.proto"; message M { a.b.C x = 1; a_b.C y = 2; }',
    )
    error = respond(request(both)).error
    assert "a.b.C and a_b.C both become the C identifier a_b_C" in error and "rename one of them" in error
    files = request(both)
    files.file_to_generate[:] = ["one.proto", "two.proto"]
    assert "they are generated together" in respond(files).error


def test_a_collision_with_an_import_renames_the_later_one(tmp_path):
    proto(tmp_path, "one.proto", 'syntax = "proto3"; package a.b; message C {}')
    later = proto(
        tmp_path, "two.proto", 'syntax = "proto3"; package a_b; import "one.proto"; message C { a.b.C c = 1; }'
    )
    response = respond(request(later))
    assert not response.error
    assert "a_b_C a_b_C__get_c(a_b_C_ message)" in response.file[0].content


@pytest.mark.parametrize("name", ["../up.proto", "/absolute.proto", 'quote".proto', "line\n.proto"])
def test_file_names_that_lead_elsewhere_are_refused(name):
    made = plugin_pb2.CodeGeneratorRequest(file_to_generate=[name])
    made.proto_file.add(name=name)
    assert "cannot be made the path of a header" in respond(made).error


def test_message_sets_have_unknown_fields_alone(tmp_path):
    path = proto(
        tmp_path,
        "set.proto",
        'syntax = "proto2"; message S { option message_set_wire_format = true; extensions 4 to max; }',
    )
    answer = respond(request(path))
    assert not answer.error and "hw_message_set_unknown_fields" in answer.file[0].content


def test_editions(plugin, tmp_path):
    """Features decide about presence and encoding in a file of edition 2023."""
    path = proto(
        tmp_path,
        "edition.proto",
        """edition = "2023"; package e;
        message M { int32 explicit = 1; int32 implicit = 2 [features.field_presence = IMPLICIT];
                    M delimited = 3 [features.message_encoding = DELIMITED]; }""",
    )
    result = protoc(plugin, tmp_path, f"--heapwire_out={tmp_path}", path.name)
    assert result.returncode == 0, result.stderr
    header, source = (tmp_path.joinpath(f"edition.heapwire.{kind}").read_text() for kind in "hc")
    assert "e_M_has_explicit" in header and "e_M_has_implicit" not in header
    assert "HW_TYPE_GROUP, 0, &e_M_info}, /* delimited */" in source
    assert "HW_FIELD_IMPLICIT, NULL}, /* implicit */" in source


def test_a_map_entry_wants_a_value_that_lacks_something_otherwise(plugin, tmp_path):
    """An absent value means an empty message. If that would lack required fields, the value is required."""
    path = proto(
        tmp_path,
        "entries.proto",
        """syntax = "proto2"; package m;
        message V { required int32 a = 1; } message W { optional int32 a = 1; }
        message M { map<int32, V> needs = 1; map<int32, W> free = 2; }""",
    )
    result = protoc(plugin, tmp_path, f"--heapwire_out={tmp_path}", path.name)
    assert result.returncode == 0, result.stderr
    source = (tmp_path / "entries.heapwire.c").read_text()
    tables = {
        line: source.split(f"/* {line} */", 1)[1].split("};", 1)[0] for line in ("m.M.NeedsEntry", "m.M.FreeEntry")
    }
    assert "HW_FIELD_REQUIRED" in tables["m.M.NeedsEntry"] and "HW_FIELD_REQUIRED" not in tables["m.M.FreeEntry"]


def compiled(folder, interface, *words):
    """Has a C compiler look at files of a folder."""
    records.main(str(folder / "records"))
    folders = [f"-I{each}" for each in (folder, ROOT / "firmware", interface.path.resolve().parent)]
    return run("cc", "-std=c11", "-fsyntax-only", *folders, *words, cwd=folder)


@pytest.mark.parametrize("name", ["accessors", "units/protobuf_fields"])
def test_the_documented_example_compiles(tmp_path, interface, name):
    folder = ROOT / "docs" / "reference"
    pages = (("proto", "accessors"), ("c", name))
    schema, program = (
        re.search(rf"```{language}\n(.*?)```", (folder / f"{page}.md").read_text(), re.S).group(1)
        for language, page in pages
    )
    write_files(compile_proto(proto(tmp_path, "shop.proto", schema)), tmp_path, interface)
    (tmp_path / "example.c").write_text(program)
    warnings = "-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror".split()
    result = compiled(tmp_path, interface, *warnings, "example.c", "shop.heapwire.c", "shop.fields.c")
    assert result.returncode == 0, result.stderr


def test_a_handle_of_another_type_does_not_compile(tmp_path, interface):
    write_files(compile_proto(PROTOS / "shop" / "order.proto"), tmp_path, interface)
    (tmp_path / "wrong.c").write_text(
        '#include "shop/order.heapwire.h"\nint64_t f(shop_Order_Line m);\n'
        "int64_t f(shop_Order_Line m) { return shop_Order_get_number(m); }\n"
    )
    result = compiled(tmp_path, interface, "wrong.c")
    assert result.returncode != 0 and "incompatible type" in result.stderr

"""Several schemas in force, and the error of a thread."""

import subprocess

from heapwire.schema import compile_proto, compile_schema


def blob(folder, interface, package, name, stamp):
    (folder / package).mkdir()
    (folder / package / "shared.proto").write_text(
        f'syntax = "proto3"; package shared; message Stamp {{ int32 seconds = 1; {stamp} }}'
    )
    path = folder / package / "own.proto"
    path.write_text(
        f'syntax = "proto3"; package {package}; import "shared.proto"; message {name} {{ shared.Stamp at = 1; }}'
    )
    made = folder / f"{package}.blob"
    made.write_bytes(compile_schema(compile_proto(path).descriptor(f"{package}.{name}"), interface).blob)
    return made


def test_several_schemas_and_errors(programs, interface, tmp_path):
    fields = "Stamp next = 2; repeated string tags = 3;"
    blobs = [
        blob(tmp_path, interface, "library", "Log", fields),
        blob(tmp_path, interface, "program", "Order", fields),
        blob(tmp_path, interface, "other", "Order", fields.replace("string", "bytes")),
    ]
    result = subprocess.run([programs / "schemas", *blobs], capture_output=True, text=True)
    assert result.stdout == "ok\n", result.stdout + result.stderr

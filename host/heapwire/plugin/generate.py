"""Answers protoc's request with the generated files of every .proto file that it names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from google.protobuf import descriptor_pb2
from google.protobuf.compiler import plugin_pb2
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.message import DecodeError

from base.errors import HeapwireError
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire.plugin import fields, services
from heapwire.plugin.accessors import Laid
from heapwire.plugin.files import header_name, used_files, write_header, write_source
from heapwire.plugin.names import Names, clash, file_names, messages_of
from heapwire.schema import Schema
from heapwire.schema.layout import lay_out
from heapwire.schema.types import message_types


class PluginError(HeapwireError):
    """A request that the plugin cannot serve."""


def _options(parameter: str) -> dict[str, str]:
    """Parses the parameter of `--heapwire_opt`: name=value pairs, separated by commas."""
    known = {"interface": "interface=PATH of heapwire.json"}
    options = {}
    for part in filter(None, parameter.split(",")):
        name, _, value = part.partition("=")
        if name not in known or not value:
            raise PluginError(f"unknown option {part!r} in --heapwire_opt; there is: {', '.join(known.values())}")
        options[name] = value
    return options


def _check_name(name: str) -> None:
    """Checks the name of a .proto file, which becomes a path and an #include."""
    if not re.fullmatch(r"[\w.+@ /-]+", name) or name.startswith("/") or ".." in name.split("/"):
        raise PluginError(
            f"{name!r} cannot be made the path of a header: give protoc the file by a relative path of "
            "letters, digits and . _ + - @ below one of its -I folders"
        )


def _layouts(file: FileDescriptor, interface: Interface) -> dict[str, Laid]:
    messages = messages_of(file)
    types = message_types(messages, interface) if messages else []
    return {kind.name: Laid(kind, lay_out(kind, interface)) for kind in types[: len(messages)]}


def _check_apart(files: list[FileDescriptor], known: dict[str, Names]) -> None:
    """Checks that files that are linked together without importing each other do not use one identifier twice."""
    owner: dict[str, str] = {}
    for file in files:
        for name, what in known[file.name].owner.items():
            if owner.setdefault(name, what) != what:
                raise clash(name, owner[name], what, "they are generated together")


def generate(files: descriptor_pb2.FileDescriptorSet, wanted: list[str], interface: Interface) -> dict[str, str]:
    """Returns the content of the generated files by path. wanted: names of the .proto files.

    Raises HeapwireError for input that cannot be generated."""
    for name in wanted:
        _check_name(name)
    schema = Schema(files, ", ".join(wanted))
    known: dict[str, Names] = {}
    descriptors = [schema.pool.FindFileByName(name) for name in wanted]
    generated = {}
    for file in descriptors:
        names, laid = file_names(file, known), _layouts(file, interface)
        header = header_name(file)
        generated[header] = write_header(file, names, laid)
        generated[header.removesuffix(".h") + ".c"] = write_source(file, names, laid)
        by_field = fields.fields_header(file)
        generated[by_field] = fields.write_header(file, names)
        generated[by_field.removesuffix(".h") + ".c"] = fields.write_source(file, names, laid)
        generated |= services.write_headers(file, names)
    _check_apart(descriptors, known)
    return generated


def respond(request: plugin_pb2.CodeGeneratorRequest) -> plugin_pb2.CodeGeneratorResponse:
    """Returns the response to protoc. A user's error becomes its `error`."""
    response = plugin_pb2.CodeGeneratorResponse()
    response.supported_features = response.FEATURE_PROTO3_OPTIONAL | response.FEATURE_SUPPORTS_EDITIONS
    response.minimum_edition = descriptor_pb2.EDITION_PROTO2
    response.maximum_edition = descriptor_pb2.EDITION_2023
    try:
        interface = interface_module.load(_options(request.parameter).get("interface"))
        files = descriptor_pb2.FileDescriptorSet(file=request.proto_file)
        for name, content in generate(files, list(request.file_to_generate), interface).items():
            response.file.add(name=name, content=content)
    except HeapwireError as error:
        response.error = str(error)
    return response


def write_files(schema: Schema, folder: Path, interface: Interface) -> list[Path]:
    """Generates all files of a schema into `folder`, including the well-known types that are used. Returns the
    paths."""
    wanted = [file.name for file in schema.files.file if not file.name.startswith("google/protobuf/")]
    wanted = wanted or [file.name for file in schema.files.file]
    for name in wanted:  # the list grows during the loop
        file = schema.pool.FindFileByName(name)
        used = [used.name for used in [*used_files(file), *services.message_files(file)]]
        wanted += [other for other in dict.fromkeys(used) if other not in wanted]
    return [_write(folder / name, content) for name, content in generate(schema.files, wanted, interface).items()]


def _write(path: Path, content: str) -> Path:
    """Writes a file, unless it is as it should be: make compiles what is new. Returns its path."""
    if not path.is_file() or path.read_text() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return path


def write_registry(schema: Schema, roots: list[str], folder: Path, interface: Interface) -> list[Path]:
    """Generates all files of a schema, and the list of its roots for a program that finds types by their names
    (firmware/protobuf/fields/registry.h)."""
    known: dict[str, Names] = {}
    types = [schema.descriptor(name) for name in roots]
    headers = sorted({fields.fields_header(each.file) for each in types})
    constants = [file_names(each.file, known).function(each, "fields") for each in types]
    text = [
        *(f'#include "{header}"' for header in headers),
        '#include "protobuf/fields/registry.h"',
        "",
        "const struct hw_fields_type *const hw_fields_types[] = {",
        *(f"    &{constant}," for constant in constants),
        "    NULL,",
        "};",
        "",
    ]
    return [*write_files(schema, folder, interface), _write(folder / "registry.c", "\n".join(text))]


def main() -> None:
    """The console script: reads a request from standard input and writes the response to standard output."""
    if sys.stdin.isatty() or len(sys.argv) > 1:
        sys.exit(
            "protoc-gen-heapwire is a plugin: run protoc --heapwire_out=DIR FILE.proto, "
            "or `heapwire accessors FILE.proto -o DIR`"
        )
    try:
        request = plugin_pb2.CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    except DecodeError:
        sys.exit("protoc-gen-heapwire: standard input is no CodeGeneratorRequest")
    sys.stdout.buffer.write(respond(request).SerializeToString())

"""Reads a schema, either a `.proto` file (compiled with protoc) or a serialized FileDescriptorSet, into message
descriptors of the official library."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError, Message

from base.errors import HeapwireError


class SchemaError(HeapwireError):
    """A schema that cannot be read, or that the object model cannot hold."""


#: How many folders above a file may be the root of its imports.
IMPORT_LEVELS = 5


class Schema:
    """A set of files, all imports included, in a pool of its own.

    Objects have no place for extensions and message sets: extensions are unknown fields, and a message set is its
    groups on the wire. So the schema drops declarations of extensions, and the official library sees what a unit sees
    (docs/reference/upb.md)."""

    def __init__(self, files: descriptor_pb2.FileDescriptorSet, origin: str) -> None:
        self.files = descriptor_pb2.FileDescriptorSet(file=map(_without_extensions, files.file))
        self.origin = origin
        self.pool = descriptor_pool.DescriptorPool()
        for file in in_order(self.files):
            try:
                self.pool.Add(file)
                self.pool.FindFileByName(file.name)
            except (TypeError, KeyError) as error:
                raise SchemaError(f"{origin}: {file.name}: {error}") from error

    def type_names(self) -> list[str]:
        """Returns the full names of all message types except map entries, and except the types of imported
        google/protobuf files that no service takes or gives."""
        names: list[str] = []

        def walk(prefix: str, messages: list[descriptor_pb2.DescriptorProto]) -> None:
            for message in messages:
                name = f"{prefix}.{message.name}" if prefix else message.name
                if not message.options.map_entry:
                    names.append(name)
                walk(name, list(message.nested_type))

        for file in self.files.file:
            if not file.name.startswith("google/protobuf/"):
                walk(file.package, list(file.message_type))
        methods = [method for file in self.files.file for service in file.service for method in service.method]
        named = [name for method in methods for name in (method.input_type, method.output_type)]
        return list(dict.fromkeys([*names, *(name.removeprefix(".") for name in named)]))

    def descriptor(self, type_name: str) -> Descriptor:
        """Returns the message type of that full name.

        Accepts a name without its package if it is unambiguous."""
        with contextlib.suppress(KeyError):
            return self.pool.FindMessageTypeByName(type_name.lstrip("."))
        names = self.type_names()
        matches = [name for name in names if name.rsplit(".", 1)[-1] == type_name]
        if len(matches) == 1:
            return self.pool.FindMessageTypeByName(matches[0])
        known = (", ".join(names[:20]) or "none") + (", ..." if len(names) > 20 else "")
        what = f"more than one ({', '.join(matches)})" if matches else "no"
        raise SchemaError(f"{self.origin} has {what} message type {type_name!r}; it has: {known}")

    def root(self, type_name: str) -> Descriptor:
        """Returns the same as `descriptor`, for a type that a user names. Refuses the entry of a map."""
        found = self.descriptor(type_name)
        if found.GetOptions().map_entry:
            raise SchemaError(
                f"{self.origin}: {type_name} is the entry of a map, which is no message of its own. "
                f"What to do: name the message that has the map, {found.containing_type.full_name}"
            )
        return found

    def message_class(self, type_name: str) -> type[Message]:
        """Returns the official library's class for a type."""
        return message_factory.GetMessageClass(self.descriptor(type_name))


def _without_extensions(file: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    """Returns the file without declarations of extensions, and with message sets as normal messages."""
    copy = descriptor_pb2.FileDescriptorProto.FromString(file.SerializeToString())

    def prepare(messages) -> None:
        for message in messages:
            del message.extension[:]
            if message.options.message_set_wire_format:
                # Only a message set may have such large extension numbers.
                message.options.ClearField("message_set_wire_format")
                del message.extension_range[:]
            prepare(message.nested_type)

    del copy.extension[:]
    prepare(copy.message_type)
    return copy


def in_order(files: descriptor_pb2.FileDescriptorSet) -> list[descriptor_pb2.FileDescriptorProto]:
    """Returns the files, each after its imports. Missing imports are left for the pool to report."""
    by_name = {file.name: file for file in files.file}
    ordered: dict[str, descriptor_pb2.FileDescriptorProto] = {}
    pending = [(name, False) for name in reversed(by_name)]
    visited: set[str] = set()
    while pending:
        name, done = pending.pop()
        if done:
            ordered[name] = by_name[name]
        elif name in by_name and name not in visited:
            visited.add(name)
            pending.append((name, True))
            pending.extend((dependency, False) for dependency in by_name[name].dependency)
    return list(ordered.values())


def compile_proto(path: str | Path, include: list[str | Path] = ()) -> Schema:
    """Compiles a `.proto` file with protoc. Imports are searched in `include`, among the well-known types, and beside
    the file, or else in the folders above it. The name of the file begins in the folder of `include` that holds it, if
    one does.

    Raises SchemaError with protoc's own text."""
    path = Path(path).resolve()
    if not path.is_file():
        raise SchemaError(f"no such file: {path}")
    complaints: list[str] = []
    folders = [Path(folder).resolve() for folder in include]
    roots = [folder for folder in folders if folder in path.parents] + list(path.parents)[:IMPORT_LEVELS]
    for root in roots:
        compiled = _compile(path, list(dict.fromkeys([root, *folders])))
        if isinstance(compiled, Schema):
            return compiled
        complaints.append(compiled)
        if not _not_found(compiled):
            break
    # A file that is there below another root is missing only because the root is wrong.
    there = [
        [name for name in _not_found(text) if any((root / name).is_file() for root in roots)] for text in complaints
    ]
    complaint = complaints[there.index([]) if [] in there else 0]
    if missing := _not_found(complaint):  # all else that protoc says follows from it
        todo = "What to do: name the folders in which imports begin, with -I FOLDER (make: INCLUDE=)"
        complaint = "\n".join([*(f"{name}: File not found." for name in missing), todo])
    raise SchemaError(f"{path} does not compile:\n{complaint}")


def _not_found(complaint: str) -> list[str]:
    """Returns the imports that protoc has not found."""
    return re.findall(r"^(\S+): File not found", complaint, re.MULTILINE)


def well_known() -> Path:
    """Returns the folder of the well-known types, google/protobuf/*.proto."""
    import grpc_tools

    return Path(grpc_tools.__file__).parent / "_proto"


def _compile(path: Path, folders: list[Path]) -> Schema | str:
    """Returns the schema, or protoc's complaint. Imports are searched in `folders`, the first of which holds the
    file."""
    from grpc_tools import protoc

    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "set.binpb"
        arguments = [
            "protoc",
            *(f"-I{folder}" for folder in [*folders, well_known()]),
            "--include_imports",
            f"--descriptor_set_out={output}",
            str(path.relative_to(folders[0])),
        ]
        complaint = _run_protoc(protoc.main, arguments)
        if complaint is not None:
            return complaint
        return Schema(descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes()), str(path))


def _run_protoc(main, arguments: list[str]) -> str | None:
    """Runs protoc in this process. Returns None if it succeeded, else its error text. protoc writes that text to the
    process's standard error, below Python's."""
    import os
    import sys

    sys.stderr.flush()
    saved = os.dup(2)
    with tempfile.TemporaryFile() as caught:
        os.dup2(caught.fileno(), 2)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                code = main(arguments)
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        caught.seek(0)
        return None if code == 0 else caught.read().decode(errors="replace").strip()


def load_descriptor_set(path: str | Path) -> Schema:
    """Reads a serialized FileDescriptorSet."""
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(Path(path).read_bytes())
    except OSError as error:
        raise SchemaError(f"cannot read {path}: {error.strerror}") from error
    except DecodeError as error:
        raise SchemaError(f"{path} is no FileDescriptorSet (protoc --include_imports --descriptor_set_out)") from error
    if not files.file:
        raise SchemaError(f"{path} holds no file: is it a FileDescriptorSet?")
    return Schema(files, str(path))


def load(path: str | Path, include: list[str | Path] = ()) -> Schema:
    """Reads a schema from a `.proto` file or, with any other suffix, from a descriptor set."""
    return compile_proto(path, include) if Path(path).suffix == ".proto" else load_descriptor_set(path)

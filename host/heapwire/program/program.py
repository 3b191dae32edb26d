"""What a user gives: C files, schemas, and a file to read. All of it is checked before anything is built."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor

from base.errors import HeapwireError
from heapwire import nanopb
from heapwire.schema import Schema, check_limits, compile_proto
from heapwire.schema.proto import well_known

PLUGIN = (".heapwire.h", ".fields.h", ".rpc.h", ".rpc_nanopb.h")
"""Ends of the names of headers that the plugin generates: accessors, field instructions, services of managed messages
and of nanopb's structs."""
NANOPB = (".pb.h", ".rpc_nanopb.h")
"""Ends of the names of headers that need nanopb's structs."""
GENERATED = (*PLUGIN, ".pb.h")
"""Ends of the names of headers that are generated from a .proto file."""

SAFE = re.compile(r"[\w./+, -]+")
"""A path that make takes as it is, but for blanks (generate.compilable). Names of object files have @ for /
(firmware/image.mk)."""
_COMMENT_OR_TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


class ProgramError(HeapwireError):
    """A program that cannot be built or that did not end well."""


def _without_comments(text: str) -> str:
    return _COMMENT_OR_TEXT.sub(lambda found: " " if found[0].startswith("/") else found[0], text)


def _without_texts(text: str) -> str:
    """Returns the code without comments and without string and character constants."""
    return _COMMENT_OR_TEXT.sub(" ", text)


def readable(path: Path, what: str) -> bytes:
    """Returns the bytes of a file that the user has named. what: the variable or option that named it."""
    if not path.is_file():
        raise ProgramError(f"{what}: no such file: {path}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProgramError(f"{what}: cannot read {path}: {error.strerror}") from error


def check(sources: list[Path]) -> list[Path]:
    """Returns the absolute paths of a program's C files.

    Raises ProgramError for a file that is missing, is no C file or has a name that make would misread, and if no file
    has a `main`."""
    if not sources:
        raise ProgramError("which program? What to do: name its C files, as in make program SRC=my.c")
    paths = [path.resolve() for path in sources]
    for path, given in zip(paths, sources):
        if path.suffix != ".c":
            raise ProgramError(f"SRC: {given} is no C file (.c)")
        readable(path, "SRC")
        if not SAFE.fullmatch(str(path)):
            raise ProgramError(
                f"SRC: make would misread the path {path}. What to do: copy the program to a folder whose "
                "path has only letters, digits, blanks and . _ + , -"
            )
    if not any(re.search(r"\bmain\s*\(", _without_texts(_text(path))) for path in paths):
        raise ProgramError(
            f"SRC: no main function in {', '.join(map(str, sources))}. What to do: write `int main(void)`, "
            "or name the file that has it, too"
        )
    return list(dict.fromkeys(paths))


def _text(path: Path) -> str:
    return readable(path, "SRC").decode(errors="replace")


def generated_headers(sources: list[Path]) -> dict[str, Path]:
    """Returns the names of the generated headers that the C files include, each with a file that includes it.

    Follows the headers that lie beside the files. A generated header that lies there is the user's own."""
    found: dict[str, Path] = {}
    files = list(sources)
    for file in files:  # the list grows during the loop
        for name in _INCLUDE.findall(_without_comments(_text(file))):
            beside = (file.parent / name).resolve()
            if beside.is_file():
                files += [beside] if beside not in files else []
            elif name.endswith(GENERATED):
                found.setdefault(name, file)
    return found


OPTIONS = "nanopb.proto"
"""The file that a .proto file with nanopb's options imports. It is part of no message."""
DESCRIPTORS = "google/protobuf/descriptor.proto"


@dataclass(frozen=True)
class Schemas:
    """The schema of all files, and the folders in which their imports begin."""

    schema: Schema
    folders: tuple[Path, ...]

    @property
    def roots(self) -> list[Descriptor]:
        """All message types, as roots of the descriptor tables."""
        return [self.schema.descriptor(name) for name in self.schema.type_names()]

    @property
    def names(self) -> list[str]:
        """The names of the files, as import statements have them."""
        return [file.name for file in self.schema.files.file if file.name != DESCRIPTORS]

    def path(self, name: str) -> Path:
        """Returns the path of a file by its name."""
        return next(folder / name for folder in (*self.folders, well_known()) if (folder / name).is_file())

    def write_nanopb(self, folder: Path) -> None:
        """Writes nanopb's code of all files. The options of x.proto are those of x.options beside it, if that
        exists."""
        nanopb.generate([str(self.path(name)) for name in self.names], folder, list(self.folders))


def _without_options(file: descriptor_pb2.FileDescriptorProto) -> descriptor_pb2.FileDescriptorProto:
    """Returns the file without its import of nanopb.proto. Its options remain, as unknown fields."""
    copy = descriptor_pb2.FileDescriptorProto.FromString(file.SerializeToString())
    kept = [name for name in file.dependency if name != OPTIONS]
    public = [kept.index(name) for name in map(file.dependency.__getitem__, file.public_dependency) if name != OPTIONS]
    del copy.dependency[:], copy.public_dependency[:], copy.weak_dependency[:]
    copy.dependency.extend(kept)
    copy.public_dependency.extend(public)
    return copy


def schemas_of(protos: list[Path], imports: Sequence[Path] = ()) -> Schemas | None:
    """Compiles the .proto files, or returns None if there are none. imports: folders in which imports begin.

    Raises ProgramError or SchemaError for a file that is missing or does not compile, for two different files of one
    name, and for a name that make would misread."""
    files: dict[str, descriptor_pb2.FileDescriptorProto] = {}
    folders: dict[Path, None] = {}
    for proto in protos:
        readable(proto, "PROTO")
        if proto.suffix != ".proto":
            raise ProgramError(f"PROTO: {proto} is no .proto file")
        compiled = compile_proto(proto, [*imports, nanopb.option_folder()]).files.file
        # The last file is the one that was named. Its name is its path below the folder in which its imports begin.
        folders[Path(str(proto.resolve()).removesuffix(compiled[-1].name))] = None
        for file in map(_without_options, compiled):
            if files.setdefault(file.name, file) != file:
                raise ProgramError(
                    f"PROTO: {proto} has or imports another file named {file.name}. What to do: rename one of them"
                )
    if not protos:
        return None
    files.pop(OPTIONS, None)
    for name in files:
        # Generated files are named after these, and make reads their names.
        if not SAFE.fullmatch(name):
            raise ProgramError(
                f"PROTO: make would misread the name of the file {name!r}. What to do: rename it, or its folder, so "
                "that it has only letters, digits, blanks and . _ + , -"
            )
    schemas = Schemas(
        Schema(descriptor_pb2.FileDescriptorSet(file=files.values()), ", ".join(map(str, protos))),
        tuple(dict.fromkeys([*folders, *(folder.resolve() for folder in imports)])),
    )
    if not schemas.roots:
        raise ProgramError(f"PROTO: no message type in {schemas.schema.origin}")
    check_limits(schemas.roots)
    return schemas


@dataclass(frozen=True)
class Program:
    """A program whose files are there. The paths are absolute."""

    sources: list[Path]
    schemas: Schemas | None
    data: bytes
    headers: frozenset[str]  # the generated headers that it includes
    before: tuple[str, ...] = ()  # headers that are included before each of its files

    @property
    def name(self) -> str:
        """The name of the first C file."""
        return self.sources[0].stem

    def includes(self, ends: str | tuple[str, ...]) -> bool:
        """Returns whether the program includes a generated header whose name ends in one of these ways."""
        return any(header.endswith(ends) for header in self.headers)


def read(
    files: list[Path], protos: list[Path], data: Path | None, before: Sequence[str] = (), imports: Sequence[Path] = ()
) -> Program:
    """Reads and checks what the user has given.

    Raises HeapwireError if a file is missing or wrong, or if no schema has a generated header that the program
    includes."""
    paths, found = check(files), schemas_of(protos, imports)
    headers = generated_headers(paths)
    program = Program(paths, found, readable(data, "DATA") if data else b"", frozenset(headers), tuple(before))
    _check_headers(headers, found)
    if found and program.includes(NANOPB):
        # Only to see whether nanopb accepts the schemas and their options.
        with tempfile.TemporaryDirectory() as scratch:
            found.write_nanopb(Path(scratch))
    return program


def _check_headers(headers: dict[str, Path], found: Schemas | None) -> None:
    """Checks that each generated header comes from one of the schemas."""
    for header, includer in headers.items():
        proto = next(header.removesuffix(end) for end in GENERATED if header.endswith(end)) + ".proto"
        names = found.names if found else []
        if proto not in names:
            given = f"which has {', '.join(names)}" if names else "which is not given"
            raise ProgramError(
                f"{includer} includes {header}. It is made of {proto}, and that is not in PROTO, {given}. "
                f"What to do: add PROTO={proto} with its path, or include the header by another name"
            )

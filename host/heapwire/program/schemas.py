"""The .proto files of a program, as one schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor

from heapwire import nanopb
from heapwire.program.sources import SAFE, ProgramError, readable
from heapwire.schema import Schema, compile_proto
from heapwire.schema.proto import well_known

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


def read(protos: list[Path]) -> Schemas | None:
    """Compiles the .proto files, or returns None if there are none.

    Raises ProgramError or SchemaError for a file that is missing or does not compile, for two different files of one
    name, and for a name that make would misread."""
    files: dict[str, descriptor_pb2.FileDescriptorProto] = {}
    folders: dict[Path, None] = {}
    for proto in protos:
        readable(proto, "PROTO")
        if proto.suffix != ".proto":
            raise ProgramError(f"PROTO: {proto} is no .proto file")
        compiled = compile_proto(proto, [nanopb.option_folder()]).files.file
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
                "that "
                "it has only letters, digits and . _ + , -"
            )
    schemas = Schemas(
        Schema(descriptor_pb2.FileDescriptorSet(file=files.values()), ", ".join(map(str, protos))), tuple(folders)
    )
    if not schemas.roots:
        raise ProgramError(f"PROTO: no message type in {schemas.schema.origin}")
    return schemas

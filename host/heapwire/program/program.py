"""What a user gives: C files, schemas, and a file to read. All of it is checked before anything is built."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from heapwire.program import schemas, sources
from heapwire.program.schemas import Schemas
from heapwire.program.sources import ProgramError


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

    def includes(self, end: str) -> bool:
        """Returns whether the program includes a generated header whose name ends so."""
        return any(header.endswith(end) for header in self.headers)


def read(files: list[Path], protos: list[Path], data: Path | None, before: Sequence[str] = ()) -> Program:
    """Reads and checks what the user has given.

    Raises HeapwireError if a file is missing or wrong, or if no schema has a generated header that the program
    includes."""
    paths, found = sources.check(files), schemas.read(protos)
    headers = sources.generated_headers(paths)
    program = Program(paths, found, sources.readable(data, "DATA") if data else b"", frozenset(headers), tuple(before))
    _check_headers(headers, found)
    if found and program.includes(".pb.h"):
        with (
            tempfile.TemporaryDirectory() as scratch
        ):  # only to see whether nanopb accepts the schemas and their options
            found.write_nanopb(Path(scratch))
    return program


def _check_headers(headers: dict[str, Path], found: Schemas | None) -> None:
    """Checks that each generated header comes from one of the schemas."""
    for header, includer in headers.items():
        proto = next(header.removesuffix(end) for end in sources.GENERATED if header.endswith(end)) + ".proto"
        names = found.names if found else []
        if proto not in names:
            given = f"which has {', '.join(names)}" if names else "which is not given"
            raise ProgramError(
                f"{includer} includes {header}. It is made of {proto}, and that is not in PROTO, {given}. "
                f"What to do: add PROTO={proto} with its path, or include the header by another name"
            )

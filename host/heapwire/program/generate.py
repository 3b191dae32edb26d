"""Generates the code that a program is linked with: accessors, nanopb's structs, descriptor tables, the input."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from heapwire.interface import Interface
from heapwire.plugin.generate import write_files
from heapwire.program.program import NANOPB, PLUGIN, Program
from heapwire.schema import compile_schema

TABLES_ALIGNMENT = 64
INPUT_ALIGNMENT = 16


_MACHINE = """    .section .rodata.program_machine, "a"
    .balign 4
    .globl program_machine
program_machine: .long {}
"""


def _linked(name: str, file: Path, data: bytes, section: str, alignment: int) -> str:
    """Returns the assembly that makes the contents of `file` the array `name` of firmware/programs/program.h. Its text
    differs if the contents differ, so that make assembles it again."""
    return f"""# SHA-256 of {file.name}: {hashlib.sha256(data).hexdigest()}
    .section {section}
    .balign {alignment}
    .globl {name}
{name}:
    .incbin "{file}"
    .section .rodata.{name}_length, "a"
    .balign 4
    .globl {name}_length
{name}_length:
    .long {len(data)}
"""


def generate(program: Program, interface: Interface, folder: Path, machine: int = 0) -> list[Path]:
    """Makes the generated code in `folder` that of the program on a machine. Returns the files to compile."""
    with tempfile.TemporaryDirectory() as scratch:
        made, tables = Path(scratch), b""
        if program.schemas:
            tables = compile_schema(program.schemas.roots, interface).blob
            if program.includes(PLUGIN):
                write_files(program.schemas.schema, made, interface)
            if program.includes(NANOPB):
                program.schemas.write_nanopb(made)
        (made / "schema.bin").write_bytes(tables)
        (made / "input.bin").write_bytes(program.data)
        (made / "before.h").write_text("".join(f'#include "{header}"\n' for header in program.before))
        (made / "program.S").write_text(
            _linked("program_schema", folder / "schema.bin", tables, '.data.program_schema, "aw"', TABLES_ALIGNMENT)
            + _linked(
                "program_input", folder / "input.bin", program.data, '.rodata.program_input, "a"', INPUT_ALIGNMENT
            )
            + _MACHINE.format(machine)
        )
        _bring(made, folder)
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".S"))


def compilable(files: list[Path], folder: Path) -> list[Path]:
    """Returns the files, each of whose paths has blanks replaced by a file in `folder` that includes it: make separates
    paths by blanks."""

    def named(number: int, file: Path) -> Path:
        if " " not in str(file):
            return file
        path = folder / str(number) / file.name.replace(" ", "_")
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f'#include "{file}"\n'
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
        return path

    return [named(number, file) for number, file in enumerate(files)]


def _bring(made: Path, folder: Path) -> None:
    """Makes the files of `folder` those of `made`. Files that are equal keep their time, so that make does not compile
    them again."""
    files = {path.relative_to(made): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    for old in [path for path in folder.rglob("*") if path.is_file()]:
        if old.relative_to(folder) not in files:
            old.unlink()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

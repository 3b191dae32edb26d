"""Host programs with nanopb's code of a schema."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import message_factory

from heapwire import nanopb
from heapwire.schema import Schema, compile_proto
from tests.common.built import host_programs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "test" / "nanopb"

#: Kinds of fields that the checks of check.h have no name for. A message with such a field has no table.
FOREIGN = re.compile(r"CALLBACK|EXTENSION|MSG_W_CB")
FIELDLIST = re.compile(r"^#define (\w+)_FIELDLIST\(X, a\) \\\n((?:X\(.*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """A program, and the types of its schema in the program's order."""

    path: Path
    types: list[str]  # C names
    schema: Schema

    def message_class(self, name: str):
        """Returns the official library's class for a C name."""
        for full_name in self.schema.type_names():
            if full_name.replace(".", "_") == name:
                return message_factory.GetMessageClass(self.schema.descriptor(full_name))
        raise KeyError(name)


def types_source(header: Path) -> tuple[str, list[str]]:
    """Returns the text of types.c, which lists the messages of a generated header, and their C names."""
    found = FIELDLIST.findall(header.read_text())
    checked = [name for name, fields in found if not FOREIGN.search(fields)]
    names = [name for name, _ in found]
    rows = "".join(
        f'    {{"{name}", &{name}_msg, sizeof({name}), {f"check_{name}" if name in checked else "0"}}},\n'
        for name in names
    )
    return (
        f'#include "check.h"\n#include "{header.name}"\n'
        + "".join(f"CHECK_TABLE({name})\n" for name in checked)
        + f"const struct test_type test_types[] = {{\n{rows}}};\n"
        "const unsigned test_type_count = sizeof(test_types) / sizeof(test_types[0]);\n"
    ), names


def write_if_changed(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def build(
    name: str, proto: str, options: str, defines: str = "-DPB_FIELD_32BIT", program: str = "differential"
) -> Program:
    """Compiles a schema, nanopb's code of it, and a program of host/."""
    folder = OUT / name
    generated = folder / "schema"
    generated.mkdir(parents=True, exist_ok=True)
    write_if_changed(folder / "schema.proto", proto)
    write_if_changed(folder / "schema.options", options)
    nanopb.generate(["schema.proto"], generated, [folder], folder / "schema.options")
    source, names = types_source(generated / "schema.pb.h")
    write_if_changed(generated / "types.c", source)
    host_programs(HERE / "host", folder, SCHEMA=generated, OPTIONS=defines, PROGRAMS=program)
    return Program(folder / program, names, compile_proto(folder / "schema.proto"))

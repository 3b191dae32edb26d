"""Host programs with nanopb's code of a schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from google.protobuf import message_factory
from nanopb.generator import nanopb_generator

from heapwire import nanopb
from heapwire.schema import Schema, compile_proto
from tests.common.built import host_programs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "test" / "nanopb"

#: Kinds of fields that the checks of check.h have no name for. A message with such a field has no table.
FOREIGN = {"CALLBACK", "EXTENSION", "MSG_W_CB"}


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


def types_source(schema: Schema, options: Path) -> tuple[str, list[str]]:
    """Returns the text of types.c, which lists the messages of nanopb's code of a schema, and their C names."""
    settings, _ = nanopb_generator.process_cmdline(["-q", "-f", str(options), "schema.proto"], is_plugin=False)
    messages = nanopb_generator.parse_file("schema.proto", schema.files.file[-1], settings).messages
    checked = [
        str(message.name)
        for message in messages
        if not any({field.allocation, field.pbtype} & FOREIGN for field in message.all_fields())
    ]
    names = [str(message.name) for message in messages]
    rows = "".join(
        f'    {{"{name}", &{name}_msg, sizeof({name}), {f"check_{name}" if name in checked else "0"}}},\n'
        for name in names
    )
    return (
        '#include "check.h"\n#include "schema.pb.h"\n'
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
    schema = compile_proto(folder / "schema.proto")
    source, names = types_source(schema, folder / "schema.options")
    write_if_changed(generated / "types.c", source)
    host_programs(HERE / "host", folder, SCHEMA=generated, OPTIONS=defines, PROGRAMS=program)
    return Program(folder / program, names, schema)

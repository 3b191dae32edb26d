"""`heapwire schema`, `heapwire accessors`, `heapwire decode` and `heapwire heaps`: what needs no machine."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from base.errors import HeapwireError
from heapwire.cli import terminal
from heapwire.cli.terminal import DATA, IMPORTS, LINK, PROTO, TYPE, need


@click.command()
@PROTO
@IMPORTS
@TYPE
@click.option("--output", type=click.Path(path_type=Path), help="Write the schema blob here.")
def schema(proto: Path | None, imports: tuple[Path, ...], type_name: str | None, output: Path | None) -> None:
    """Show how a schema's objects lie in memory and how its tables look up fields."""
    from heapwire import interface
    from heapwire.schema import compile_schema, load

    if not proto or not type_name:
        raise HeapwireError("needs --proto and --type")
    loaded = load(proto, imports)
    compiled = compile_schema(loaded.root(type_name), interface.load())
    for record in compiled.types:
        terminal.console.print(
            Text.assemble(
                "\n",
                (record.message.name, "bold"),
                f": {record.layout.size} bytes, hasbits at "
                f"{record.layout.hasbits} ({record.layout.hasbits_words} words); table of "
                f"{len(record.table.hash.slots)} slots, at most "
                f"{record.table.hash.max_probe + 1} probes",
                "; by software: more presence bits or required fields than a unit holds"
                if record.software_only
                else "",
            )
        )
        table = Table("number", "field", "type", "offset", "hasbit")
        for field in record.message.fields:
            kind = (
                compiled.types[field.sub_type].message.name if field.sub_type is not None else field.type.name.lower()
            )
            table.add_row(
                str(field.number),
                field.name,
                ("repeated " if field.repeated else "") + kind,
                str(record.layout.fields[field.number]),
                "" if field.repeated else str(field.hasbit),
            )
        terminal.console.print(table)
    terminal.console.print(
        f"{len(compiled.types)} types, {len(compiled.blob)} bytes, schema_id {compiled.schema_id:#010x}"
    )
    if output:
        with terminal.writing(output):
            output.write_bytes(compiled.blob)


@click.command()
@click.argument("proto", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder to write into."
)
@click.option(
    "-I",
    "--include",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder to look for imports in (repeatable).",
)
def accessors(proto: Path, output: Path, include: tuple[Path, ...]) -> None:
    """Write C accessors for the messages of PROTO and of all its imports (docs/reference/accessors.md)."""
    from heapwire import interface
    from heapwire.plugin.generate import write_files
    from heapwire.schema import load

    loaded = load(proto, include)
    with terminal.writing(output):
        paths = write_files(loaded, output, interface.load())
    terminal.console.print(f"{len(paths)} files in {output}")


@click.command()
@PROTO
@IMPORTS
@TYPE
@DATA
@LINK
def decode(
    proto: Path | None, imports: tuple[Path, ...], type_name: str | None, data: Path | None, link: str | None
) -> None:
    """Print a message as objects. A machine builds them with --link, else the software model."""
    from heapwire.demo import user_group
    from heapwire.inspect import by_machine, by_model, show

    need(proto=proto, type=type_name, data=data)
    group = user_group(proto, type_name, data, imports)
    show(by_machine(group, link, terminal.say) if link else by_model(group), terminal.console.print)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Write heaps.h and heaps.c here."
)
def heaps(file: Path, output: Path | None) -> None:
    """Check FILE, the format file of a cluster's heaps, and write it as a table in C (docs/howto/heap_formats.md)."""
    from heapwire.skyway.cluster import KEYS, load, write_files

    cluster = load(file)
    table = Table("heap", *KEYS)
    for name, form in cluster.heaps.items():
        table.add_row(name, *map(str, astuple(form)))
    terminal.console.print(table)
    if output:
        with terminal.writing(output):
            paths = write_files(cluster, output)
        terminal.console.print(f"{len(paths)} files in {output}")

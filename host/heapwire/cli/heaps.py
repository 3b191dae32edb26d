"""`heapwire heaps`."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import click
from rich.table import Table

from heapwire.cli import terminal


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), help="Write heaps.h and heaps.c here."
)
def heaps(file: Path, output: Path | None) -> None:
    """Check FILE, the format file of a cluster's heaps, and write it as a table in C (docs/howto/heap_formats.md)."""
    from heapwire.skyway.cluster import KEYS, load
    from heapwire.skyway.table import write_files

    cluster = load(file)
    table = Table("heap", *KEYS)
    for name, form in cluster.heaps.items():
        table.add_row(name, *map(str, astuple(form)))
    terminal.console.print(table)
    if output:
        with terminal.writing(output):
            paths = write_files(cluster, output)
        terminal.console.print(f"{len(paths)} files in {output}")

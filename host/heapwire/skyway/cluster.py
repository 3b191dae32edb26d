"""The format file: the heaps of a cluster and their formats (docs/howto/heap_formats.md), also as a table in C, which
senders link (firmware/skyway/format.h)."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from heapwire.skyway.formats import Format, FormatError

KEYS = tuple(Format.__dataclass_fields__)
LIKE = "like"


@dataclass(frozen=True)
class Cluster:
    """The heaps of a format file. file: its name."""

    file: str
    heaps: dict[str, Format]

    def __getitem__(self, name: str) -> Format:
        """Returns the format of a heap. Raises FormatError if the file has no heap of this name."""
        return _known(self.file, self.heaps, name)


def _known(where: str, heaps: dict[str, Format], name: Any) -> Format:
    if not isinstance(name, str) or name not in heaps:
        raise FormatError(f"{where}: unknown heap {name!r}; known so far: {', '.join(heaps) or 'none'}")
    return heaps[name]


def _heap(where: str, values: Any, heaps: dict[str, Format]) -> Format:
    """Returns the format of one table of the file. heaps: those before it."""
    if not isinstance(values, dict):
        raise FormatError(f"{where}: must be a table of keys, [{where.rpartition(': ')[2]}]")
    base = _known(f"{where}: {LIKE}", heaps, values[LIKE]) if LIKE in values else Format()
    for key, value in values.items():
        if key != LIKE and key not in KEYS:
            raise FormatError(f"{where}: unknown key {key!r}; there are: {', '.join((*KEYS, LIKE))}")
        if key != LIKE and (not isinstance(value, int) or isinstance(value, bool)):
            raise FormatError(f"{where}: {key} = {value!r}: must be a whole number")
    try:
        return Format(**asdict(base) | {key: value for key, value in values.items() if key != LIKE})
    except FormatError as error:
        raise FormatError(f"{where}: {error}") from error


def parse(text: str, file: str) -> Cluster:
    """Reads a format file. file: its name, for messages. Raises FormatError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{file}: {error}") from error
    tables = document.pop("heap", None)
    if document:
        raise FormatError(f"{file}: unknown key {next(iter(document))!r}; there are only tables [heap.NAME]")
    if not isinstance(tables, dict) or not tables:
        raise FormatError(f"{file}: names no heap; each has a table [heap.NAME]")
    heaps: dict[str, Format] = {}
    for name, values in tables.items():
        if not re.fullmatch(r"[A-Za-z0-9_.-]+", name):
            raise FormatError(f"{file}: heap name {name!r}: letters, digits and . _ - only")
        heaps[name] = _heap(f"{file}: heap.{name}", values, heaps)
    return Cluster(file, heaps)


def load(path: Path) -> Cluster:
    """Reads a format file. Raises FormatError."""
    try:
        return parse(path.read_text(encoding="utf-8"), path.name)
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not a text in UTF-8") from error


LAYOUT, WORDS = KEYS[:3], KEYS[3:]
"""The members of struct hw_skyway_format's two parts."""
HEADER, SOURCE = "heaps.h", "heaps.c"


def _members(form: Format, names: tuple[str, ...]) -> str:
    return ", ".join(f".{name} = {getattr(form, name)}" for name in names)


def _entry(name: str, form: Format) -> str:
    return f"""\
    {{.name = "{name}",
     .format = {{.layout = {{{_members(form, LAYOUT)}}},
                .words = {{{_members(form, WORDS)}}}}}}},
"""


def generate(cluster: Cluster) -> dict[str, str]:
    """Returns the content of the generated files by name."""
    origin = f"/* The heaps of {cluster.file}, written by `heapwire heaps`. */\n"
    header = f"""\
{origin}#ifndef HEAPS_H
#define HEAPS_H

#include "skyway/format.h"

#define HW_SKYWAY_HEAPS {len(cluster.heaps)}u

extern const struct hw_skyway_heap hw_skyway_heaps[HW_SKYWAY_HEAPS];

#endif
"""
    entries = "".join(_entry(name, form) for name, form in cluster.heaps.items())
    source = f"""\
{origin}#include "{HEADER}"

const struct hw_skyway_heap hw_skyway_heaps[HW_SKYWAY_HEAPS] = {{
{entries}}};
"""
    return {HEADER: header, SOURCE: source}


def write_files(cluster: Cluster, folder: Path) -> list[Path]:
    """Writes the files into `folder`, except those that are there with this content. Returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in generate(cluster).items():
        path = folder / name
        if not path.exists() or path.read_text() != content:
            path.write_text(content)
        paths.append(path)
    return paths

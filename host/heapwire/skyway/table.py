"""Writes the heaps of a cluster as a table in C, which senders link (firmware/skyway/heap.h)."""

from __future__ import annotations

from pathlib import Path

from heapwire.skyway.cluster import Cluster
from heapwire.skyway.formats import Format

LAYOUT = ("fields", "elements", "alignment")
WORDS = ("reference_bytes", "mark_bytes", "class_bytes", "length", "hash_bit", "hash_bits", "unlocked")
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

#include "skyway/heap.h"

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

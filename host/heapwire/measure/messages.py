"""The messages that are measured: the demo's, field-heavy ones, and real messages made by others, if they are
available."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Callable, Sequence

from base.repository import ROOT
from heapwire.measure.fields import field_heavy_group
from heapwire.schema import load_descriptor_set
from heapwire.workload.case import Case
from heapwire.workload.group import ALL_AND_FLIGHT, LAYOUTS, Group
from heapwire.workload.messages import demo_cases

LARGE = 1 << 18
"""A set with more bytes is measured in one layout: five would take the simulator hours for software."""


def data_folder() -> Path | None:
    """Returns the folder of real messages: HEAPWIRE_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("HEAPWIRE_DATA") or ROOT.parent / "shared" / "data")
    return folder if folder.is_dir() else None


def demo_group() -> Group:
    """Returns the group of the demo's messages."""
    schema, cases = demo_cases()
    return Group("demo", schema, [Case(f"demo/{case.name}", case.type_name, case.data) for case in cases])


def real_groups(folder: Path) -> list[Group]:
    """Returns a group for every set of real messages in the folder."""

    def cases(place: Path, pattern: str, type_of: Callable[[str], str], **options) -> list[Case]:
        """Returns a set's messages. type_of: gives a message's type by the name of its file."""
        name, files = place.relative_to(folder), sorted(place.glob(pattern))
        return [Case(f"{name}/{path.stem}", type_of(path.stem), path.read_bytes(), **options) for path in files]

    groups = []
    jsbs, fleet = folder / "jsbs", folder / "fleetbench"
    if jsbs.is_dir():
        found = cases(jsbs, "*.pb", lambda _: "MediaContent", engines=ALL_AND_FLIGHT)
        groups.append(Group("jsbs", load_descriptor_set(jsbs / "schema.binpb"), found))
    for bench in sorted((folder / "hyperprotobench").glob("bench*")):
        found = cases(bench, "*.bin", lambda stem: stem.split("_", 1)[1])
        layouts = 1 if sum(len(case.data) for case in found) > LARGE else LAYOUTS
        schema = load_descriptor_set(bench / "schema.binpb")
        groups.append(Group(f"hyperprotobench-{bench.name}", schema, found, layouts=layouts))
    if fleet.is_dir():
        found = cases(fleet, "*.bin", lambda _: "Message0")
        groups.append(Group("fleetbench", load_descriptor_set(fleet / "Message0.binpb"), found))
    return groups


def groups() -> list[Group]:
    """Returns all groups whose messages are available."""
    folder = data_folder()
    return [*(real_groups(folder) if folder else []), demo_group(), field_heavy_group()]


def no_group(names: Sequence[str], known: Sequence[str]) -> str:
    """Says that no group has these names, and which groups exist."""
    hint = (
        ""
        if data_folder()
        else "; those of real messages are where HEAPWIRE_DATA names a folder of them (docs/reference/host.md)"
    )
    return f"no group is named {', '.join(names)}; there are {', '.join(known)}{hint}"

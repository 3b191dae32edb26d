"""upb, Google's own implementation in C, as a peer of the suites `protobuf` and `core` (study/docs/peers.md). The host
makes mini descriptors of a schema's types; the machine builds upb's tables from them when a program begins."""

import subprocess
from dataclasses import replace
from pathlib import Path

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor

from base.errors import HeapwireError
from base.repository import ROOT, cache
from heapwire import firmware
from heapwire.schema import Schema, compile_proto
from heapwire.schema.proto import in_order
from heapwire.schema.types import closure
from heapwire.workload.group import Group
from study.records.upb import Upb
from study.records.view import View

PEER = ROOT / "study" / "firmware" / "peers" / "upb"
TYPES = "upb_types.c"
ONLY_READ = (Upb.UPB_ALIAS.text, Upb.UPB_NOCHECK.text, View.HW_VIEW.text)
"""Engines that write as `upb` or `hw` does: they have no rows of their own for that."""


def sources() -> Path:
    """Returns the folder of upb's sources."""
    if not (cache() / "upb" / "upb").is_dir():
        raise HeapwireError(f"{cache() / 'upb'} is missing. What to do: make setup-upb")
    return (cache() / "upb").resolve()


def _describer() -> Path:
    """Builds the program that makes mini descriptors, linked with upb's reflection. Returns it."""
    out = ROOT / "build" / "study" / "upb"
    with firmware.alone_in(out):
        result = firmware.make(PEER / "host", f"UPB={sources()}", f"OUT={out}")
    if result.returncode:
        raise HeapwireError(f"{PEER / 'host'} does not build:\n{result.stderr[-3000:]}")
    return out / "describe"


def describe(schema: Schema, type_names: list[str], folder: Path) -> Path:
    """Writes the mini descriptors of all that the types reach, as C. Returns the folder."""
    files = descriptor_pb2.FileDescriptorSet(file=in_order(schema.files))
    result = subprocess.run([_describer(), *type_names], input=files.SerializeToString(), capture_output=True)
    if result.returncode:
        raise HeapwireError(f"upb refuses {schema.origin}: {result.stderr.decode(errors='replace')[-2000:]}")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / TYPES
    if not file.is_file() or file.read_bytes() != result.stdout:
        file.write_bytes(result.stdout)
    return folder


def describe_core(folder: Path) -> Path:
    """Does the same for the messages of the suite `core`."""
    schema = compile_proto(ROOT / "study" / "firmware" / "programs" / "bench" / "core.proto")
    return describe(schema, schema.type_names(), folder)


def _checks_strings(group: Group) -> bool:
    """Returns whether the schema asks for UTF-8 anywhere: files of proto2 do not."""
    syntax = {file.name: file.syntax for file in group.schema.files.file}
    return any(
        field.type == FieldDescriptor.TYPE_STRING and syntax[type_.file.name] not in ("", "proto2")
        for type_ in closure([group.schema.descriptor(name) for name in group.roots])
        for field in type_.fields
    )


def with_upb(group: Group) -> Group:
    """Returns the group with upb's engines in every case that `table` runs, too."""
    engines = tuple(engine.text for engine in Upb if engine is not Upb.UPB_NOCHECK or _checks_strings(group))
    cases = [
        replace(case, engines=(*case.engines, *engines)) if "table" in case.engines else case for case in group.cases
    ]
    return replace(group, cases=cases, added=tuple(Upb))


def with_views(group: Group) -> Group:
    """Returns the group with the unit that leaves strings in the input wherever upb does so, too."""
    cases = [
        replace(case, engines=(*case.engines, View.HW_VIEW.text))
        if {"hw", Upb.UPB_ALIAS.text} <= set(case.engines)
        else case
        for case in group.cases
    ]
    return replace(group, cases=cases, added=(*group.added, *View))

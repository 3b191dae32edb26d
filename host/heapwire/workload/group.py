"""The file of cases that the firmware's protobuf bench runs (docs/reference/firmware_build.md)."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

from heapwire.firmware import nanopb_can
from heapwire.interface import Interface
from heapwire.records import Numbers, align
from heapwire.records import workload as record
from heapwire.records.schema import SCHEMA_ALIGNMENT
from heapwire.schema import Clear, CompiledSchema, Schema, SchemaError, compile_schema
from heapwire.schema.types import closure
from heapwire.workload.case import CAPNP, Case
from heapwire.workload.digest import as_on_the_wire, digest

MESSAGE_ALIGNMENT = 16
LONG = 4096
"""Messages with more bytes run warm once, others twice."""
LAYOUTS = 5
"""Number of link layouts. Software, and with it the driver, counts in its best layout."""
CHECKED = 1 << 16
"""Longer workloads carry no CRC-32: the machine would take longer to compute it than to measure."""
WAIT, TRAFFIC, HEAPS = "wait", "traffic", "heaps"
"""The tasks of a case in the suite `heap`, in place of engines."""
FLIGHT = "flight"
"""A task of a case in the suite `protobuf`, beside its engines: keep many of the message in flight."""
STRUCTS = ("nanopb", "hw_nanopb")
"""The engines whose messages are nanopb's structs: nanopb, and the units behind its interface."""
COMPARED = ("hw", FLIGHT)
"""The engines and tasks on which machines with one unit and with several are compared: units on managed objects."""
ALL_AND_FLIGHT = ("hw", "table", *STRUCTS, FLIGHT)
ENGINE_BITS = {
    **{engine.name.lower(): 1 << engine for engine in record.Engine},
    **{task.name.lower(): task for task in record.Task},
}
"""Bits of engines and tasks by their names."""


@dataclass(frozen=True)
class Group:
    """Cases that share a schema, and so a firmware image. name: name of the folder. clear: the part of new objects that
    units clear. layouts: number of link layouts in which they are measured, all or one. added: engines that a program
    adds to the machine's, which cases may name."""

    name: str
    schema: Schema
    cases: list[Case]
    clear: Clear = Clear.ALL
    layouts: int = LAYOUTS
    added: tuple[Numbers, ...] = ()

    @property
    def roots(self) -> list[str]:
        """Full names of the cases' types, each once."""
        return list(dict.fromkeys(self.schema.descriptor(case.type_name).full_name for case in self.cases))

    @property
    def nanopb(self) -> bool:
        """Whether nanopb supports all of them."""
        return nanopb_can(closure([self.schema.descriptor(name) for name in self.roots]))

    def compile(self, interface: Interface) -> CompiledSchema:
        """Returns the tables of all types that the cases reach."""
        return compile_schema([self.schema.descriptor(name) for name in self.roots], interface, self.clear)


def by_units(group: Group) -> Group:
    """Returns a group for units and managed objects alone (COMPARED), without the cases that no unit runs."""
    cases = [
        replace(case, engines=tuple(engine for engine in case.engines if engine in COMPARED)) for case in group.cases
    ]
    return replace(group, cases=[case for case in cases if case.engines])


def pack(group: Group, interface: Interface, checked: bool = True) -> bytes:
    """Returns a workload file. Its address in memory must be a multiple of 64.

    checked: the cases carry their digest. Raises SchemaError for a case that the official library refuses."""
    blob = group.compile(interface).blob
    plain = as_on_the_wire(group.schema)
    nanopb = group.nanopb
    bits = {**ENGINE_BITS, **{engine.text: 1 << engine for engine in group.added}}
    strings: dict[str, int] = {}
    at = record.Header.SIZE + record.Case.SIZE * len(group.cases)
    for text in [case.name for case in group.cases] + group.roots:
        if text not in strings:
            strings[text] = at
            at += len(text.encode()) + 1
    blob_at = align(at, SCHEMA_ALIGNMENT)
    at = blob_at + len(blob)
    records, contents = [], []
    for case in group.cases:
        name = group.schema.descriptor(case.type_name).full_name
        try:
            expected = (
                0 if not checked or CAPNP in case.engines else digest(plain.message_class(name).FromString(case.data))
            )
        except Exception as error:
            raise SchemaError(f"{case.name}: the official library refuses it as {name}: {error}") from error
        at = align(at, MESSAGE_ALIGNMENT)
        engines = sum(bits[engine] for engine in case.engines if engine not in STRUCTS or nanopb)
        warm = 2 if len(case.data) <= LONG else 1
        made = record.Case(strings[case.name], strings[name], at, len(case.data), engines, warm, expected)
        records.append(made.pack())
        contents.append((at, case.data))
        at += len(case.data)
    data = bytearray(align(at, MESSAGE_ALIGNMENT))
    data[record.Header.SIZE : record.Header.SIZE + record.Case.SIZE * len(records)] = b"".join(records)
    for text, offset in strings.items():
        data[offset : offset + len(text.encode())] = text.encode()
    data[blob_at : blob_at + len(blob)] = blob
    for offset, content in contents:
        data[offset : offset + len(content)] = content
    header = record.Header(
        magic=record.WORKLOAD_MAGIC,
        version=record.WORKLOAD_VERSION,
        bytes=len(data),
        count=len(records),
        schema=blob_at,
        schema_bytes=len(blob),
        crc=zlib.crc32(data[record.Header.SIZE :]) if len(data) <= CHECKED else 0,
    )
    return header.pack() + bytes(data[record.Header.SIZE :])

"""Shows the objects that a message becomes."""

from __future__ import annotations

import struct
from typing import Callable, Iterator

from base.errors import HeapwireError
from heapwire import interface as interface_module
from heapwire.client import Engine
from heapwire.client.line import linked
from heapwire.compare import unknown_fields
from heapwire.graph import GraphReader, Node
from heapwire.heap import Region, model_runtime
from heapwire.machine import nothing
from heapwire.model import Deserializer
from heapwire.wire import MAX_DEPTH
from heapwire.workload.group import Group

SCHEMA_BASE, KLASS_BASE = 0x4200_0000, 0x4000_1000
FIXED_BASE, FLEXIBLE_BASE = 0x4800_0000, 0x4C00_0000
ARENA_BYTES = 1 << 20
"""The memory of the software model: schema blob, klasses, and the two arenas with their least size."""
WIRE_TYPES = {0: "varint", 1: "fixed64", 2: "bytes", 5: "fixed32"}
"""Names of the wire types other than groups."""


def by_model(group: Group) -> Node:
    """Returns the root object of the group's first case, built by the software model."""
    interface = interface_module.load()
    runtime = model_runtime(interface, group.compile(interface), SCHEMA_BASE, KLASS_BASE)
    room = ARENA_BYTES + 16 * len(group.cases[0].data)
    fixed, flexible = Region("fixed", FIXED_BASE, bytearray(room)), Region("flexible", FLEXIBLE_BASE, bytearray(room))
    outcome = Deserializer(runtime, fixed, flexible, MAX_DEPTH).run(group.cases[0].data)
    if outcome.status != "OK":
        raise HeapwireError(
            f"{outcome.status} at input offset {outcome.offset}: "
            f"{interface.status_meaning[interface.status[outcome.status]]}"
        )
    return GraphReader(runtime, fixed, flexible).read(outcome.root)


def by_machine(group: Group, link: str, say: Callable[[str], None] = nothing) -> Node:
    """Returns the same root object, built by the hardware behind a monitor. say: receives messages about the line."""
    from heapwire.demo import Session

    interface = interface_module.load()
    with linked(link, say) as monitor:
        session = Session(monitor, group, interface, nothing)
        data = group.cases[0].data
        address = session.place(data)
        run = monitor.run(Engine.HW, 0, address, len(data), max_depth=MAX_DEPTH, warm=0)
        if run.result:
            raise HeapwireError(
                f"{interface.status_name(run.result)} at input offset {run.offset}: "
                f"{interface.status_meaning.get(run.result, '')}"
            )
        fixed = Region("fixed", run.fixed_start, monitor.read(run.fixed_start, run.fixed_top - run.fixed_start))
        flexible = Region(
            "flexible", run.flexible_start, monitor.read(run.flexible_start, run.flexible_top - run.flexible_start)
        )
    return GraphReader(session.runtime, fixed, flexible).read(run.root)


def _text(kind: str, value: object) -> str:
    if kind in ("FLOAT", "DOUBLE"):
        wide = kind == "DOUBLE"
        return repr(struct.unpack("<d" if wide else "<f", value.to_bytes(8 if wide else 4, "little"))[0])
    if kind == "STRING":
        return repr(value.decode(errors="backslashreplace"))
    return repr(value)


def show(node: Node, write: Callable[..., None], indent: str = "") -> None:
    """Writes a message object, one line for each field, in the order of field numbers."""
    layout = node.record.layout
    write(
        f"{indent}{node.record.message.name} @ {node.address:#010x}, {layout.size} bytes", highlight=False, markup=False
    )
    for field in node.record.message.fields:
        value = node.fields[field.number]
        elements = value if field.repeated else [value] if field.number in node.present else None
        for i, element in enumerate(elements or []):
            label = f"{field.name}[{i}]" if field.repeated else field.name
            where = f"{indent}  {field.number}: {label}"
            if isinstance(element, Node):
                write(f"{where} =", highlight=False, markup=False)
                show(element, write, indent + "    ")
            else:
                write(f"{where} = {_text(field.type.name, element)}", highlight=False, markup=False, soft_wrap=True)
    for line in _unknown(unknown_fields(node.unknown)):
        write(f"{indent}  {line}", highlight=False, markup=False, soft_wrap=True)


def _unknown(fields: list[tuple[int, int, object]]) -> Iterator[str]:
    """Yields one line for each unknown field that the message keeps, including those in groups."""
    for number, wire_type, value in fields:
        if isinstance(value, list):
            yield f"{number}: unknown group ="
            yield from (f"  {line}" for line in _unknown(value))
        else:
            yield f"{number}: unknown {WIRE_TYPES[wire_type]} = {value!r}"

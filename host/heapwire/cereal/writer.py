"""Writes graphs as streams."""

from __future__ import annotations

import struct

from heapwire.cereal.graph import ClassSet, Kind, Object, objects
from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import Header, pack


def write(root: Object, classes: ClassSet, strip: bool = False) -> bytes:
    """Returns the stream of all objects that the root reaches. Raises KeyError for a class that is not registered."""
    graph = objects(root)
    addresses, top = {}, 0
    for each in graph:
        addresses[id(each)] = top
        top += each.cls.size(each.length)
    values: list[int] = []
    references: list[str] = []
    layouts: list[str] = []
    for each in graph:
        cls, length = each.cls, each.length
        if not strip:
            values.append(each.hash << FORMAT.hash_bit | FORMAT.mark)
        values.append(classes.ids[cls])
        if cls.is_array:
            values.append(length)
        layout = ["1" if cls.is_array else "0"]
        for i, slot in enumerate(each.slots):
            if cls.is_reference(i, length):
                layout.append("1")
                references.append(f"{addresses[id(slot)] // FORMAT.granule + 1:b}" if slot is not None else "")
            else:
                layout.append("0")
                values.append(slot)
        if cls.is_array:
            _clear_padding(each, values)
        layouts.append("".join(layout))
    packed = struct.pack(f"<{len(values)}I", *values)
    packed += bytes(-len(packed) % FORMAT.alignment)
    packed_references, packed_layouts = pack(references), pack(layouts)
    header = Header(
        FORMAT.magic,
        FORMAT.version,
        FORMAT.flag_strip if strip else 0,
        0,
        classes.fingerprint,
        len(graph),
        top,
        len(packed),
        len(packed_references),
        len(packed_layouts),
    )
    return header.pack() + packed + packed_references + packed_layouts


def _clear_padding(array: Object, values: list[int]) -> None:
    """Sets to 0 the part of the array's slots that its elements do not fill. These slots are the last of `values`."""
    end = array.length << array.cls.shift
    first = end // FORMAT.slot
    count = len(array.slots) - first
    if count and array.cls.kind == Kind.VALUES:
        values[-count] &= (1 << 8 * (end % FORMAT.slot)) - 1
    for i in range(count - (array.cls.kind == Kind.VALUES)):
        values[-1 - i] = 0

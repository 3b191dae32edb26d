"""Digests of graphs and of streams, as the firmware computes them (study/docs/suites.md)."""

import struct

from heapwire.cereal import Object, objects
from heapwire.klasses import Klasses
from heapwire.workload.digest import mix

MASK = 0xFFFFFFFF


def digest_bytes(data: bytes) -> int:
    """Returns the digest of bytes, which is that of a message's field of bytes."""
    state = 2
    for (word,) in struct.iter_unpack("<I", data + bytes(-len(data) % 4)):
        state = mix(state, word)
    return mix(state, len(data))


def digest_graph(root: Object, klasses: Klasses) -> int:
    """Returns the digest of a graph, which is the same for isomorphic graphs. It covers classes, lengths of arrays and
    slots: values and, for references, the place of the object in the order of discovery, from 1 on, or 0 for null. 0
    means that there is no graph. A graph whose digest happens to be 0 is not measured."""
    graph = objects(root)
    places = {id(each): place for place, each in enumerate(graph, 1)}
    state = 6
    for each in graph:
        state = mix(state, klasses.index[each.cls])
        if each.cls.is_array:
            state = mix(state, each.length)
        for slot in each.slots:
            if slot is None:
                slot = 0
            elif isinstance(slot, Object):
                slot = places[id(slot)]
            # `mix`, inlined: most of the time is spent here
            product = (state ^ slot) * 0x9E3779B1 & MASK
            state = (product << 13 | product >> 19) & MASK
    return mix(state, len(graph))

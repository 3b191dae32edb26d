"""Where in a machine's memory a workload lies."""

from __future__ import annotations

import struct

from heapwire.interface import Interface


def load_base(interface: Interface) -> int:
    """Returns the address of workloads: an eighth into main memory (docs/reference/firmware_build.md)."""
    return interface.cluster["memoryBase"] + interface.cluster["memoryBytes"] // 8


def jump_to(interface: Interface, layout: int) -> tuple[int, bytes]:
    """Returns code and its address, the beginning of main memory, where a machine starts. It jumps to a program that is
    linked as that layout alone, in a slot of its own (firmware/platform/link.ld)."""
    begin = interface.cluster["memoryBase"]
    slot = begin + layout * (interface.cluster["memoryBytes"] // 64)
    return begin, struct.pack("<II", slot | 0x2B7, 0x28067)  # lui t0, slot; jr t0

"""Where in a machine's memory a workload lies."""

from __future__ import annotations

from heapwire.interface import Interface


def load_base(interface: Interface) -> int:
    """Returns the address of workloads: an eighth into main memory (docs/reference/firmware_build.md)."""
    return interface.cluster["memoryBase"] + interface.cluster["memoryBytes"] // 8

"""Main memory, as the core sees it: patterns that are written over the line and read back, and its checksums."""

from __future__ import annotations

import random
from typing import Callable, Iterator

from heapwire.check import Finding
from heapwire.client import Monitor
from heapwire.interface import Interface
from heapwire.records.monitor import Hello

BLOCK = 64
WALKING = b"".join(
    (1 << bit).to_bytes(4, "little") + (~(1 << bit) & 0xFFFFFFFF).to_bytes(4, "little") for bit in range(32)
)
"""Each data line alone at one, and alone at zero."""
RANDOM_BYTES = {True: 1 << 11, False: 1 << 16}
"""Random bytes that are written, in a simulation and on a board, where they exceed every cache."""
STEADY_BYTES = {True: 1 << 12, False: 1 << 23}
"""Bytes whose checksum is computed twice."""


def check(monitor: Monitor, hello: Hello, interface: Interface, say: Callable[[str], None]) -> Finding:
    """Writes to the monitor's buffer, in which the boot ROM and the units have no part."""
    layout, simulated = monitor.layout(), bool(hello.simulated)
    size, described = layout.memory_limit - layout.memory_base, interface.cluster["memoryBytes"]
    facts = {"bytes": size, "described": described, "buffer": layout.buffer_limit - layout.buffer_base}
    problems = [] if size == described else [f"the monitor knows {size:,} bytes of memory, {described:,} were built"]

    say("memory: one block behind each address line")
    blocks = {address: _random(BLOCK, address) for address in _places(layout.buffer_base, layout.buffer_limit)}
    for address, data in blocks.items():
        monitor.write(address, data)
    lost = [address for address, data in blocks.items() if monitor.read(address, BLOCK) != data]
    facts["lost_blocks"] = [f"{address:#x}" for address in lost]
    if lost:
        problems.append(
            f"{len(lost)} of {len(blocks)} blocks were overwritten by others, the first at {lost[0]:#x}: address lines"
        )

    data = WALKING + _random(RANDOM_BYTES[simulated], size)
    say(f"memory: {len(data):,} bytes there and back")
    monitor.write(layout.buffer_base, data)
    back = monitor.read(layout.buffer_base, len(data))
    wrong = [at for at in range(len(data)) if back[at] != data[at]]
    bits = 0
    for at in wrong:
        bits |= (back[at] ^ data[at]) << 8 * (at % 4)
    facts |= {"pattern_bytes": len(data), "wrong_bytes": len(wrong), "wrong_bits": f"{bits:#010x}"}
    if wrong:
        problems.append(f"{len(wrong)} of {len(data):,} bytes came back wrong, in the bits {bits:#010x} of a word")

    steady = min(STEADY_BYTES[simulated], layout.buffer_limit - layout.buffer_base)
    say(f"memory: the checksum of {steady:,} bytes, twice")
    sums = [monitor.checksum(layout.buffer_base, steady) for _ in range(2)]
    facts |= {"steady_bytes": steady, "sums": [f"{each:08x}" for each in sums]}
    if sums[0] != sums[1]:
        problems.append(
            f"{steady:,} bytes read differently the second time: bits do not hold, or are read at a bad moment"
        )
    good = f"{size >> 20:,} MB; {len(blocks)} addresses, {len(data):,} bytes of patterns, {steady:,} bytes read twice"
    return Finding("memory", not problems, "; ".join(problems) or good, facts)


def _random(count: int, seed: int) -> bytes:
    return random.Random(seed).randbytes(count)


def _places(base: int, limit: int) -> Iterator[int]:
    """Yields the first block, one behind each power of two of blocks, and the last."""
    yield base
    distance = BLOCK
    while base + distance + BLOCK < limit:
        yield base + distance
        distance *= 2
    yield limit - BLOCK

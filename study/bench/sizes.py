"""Throughput against the size of the message, with the misses of the shared cache."""

from __future__ import annotations

import re

from heapwire.measure.rows import Row

BLOCK = 64
"""Bytes of a block of the shared cache."""


def section(rows: list[Row]) -> tuple[str, str, list[str], list[list[str]]]:
    """Returns title, text, head and lines of a table of the suite's page."""
    lines = []
    for row in rows:
        if not re.fullmatch(r"bytes/\d+", str(row["case"])) or row["engine"] != "hw":
            continue
        cycles, wire = int(row["cycles"]), int(row["wire_bytes"])
        moved = int(row["read_bytes"]) + int(row["write_bytes"])
        misses, back = int(row.get("dram_read_bytes", 0)) / BLOCK, int(row.get("dram_write_bytes", 0)) / BLOCK
        lines.append(
            [
                str(row["op"]),
                f"{wire:,}",
                f"{cycles:,}",
                f"{wire / cycles:.3f}",
                f"{100 * moved / (cycles * int(row['port_bytes_per_cycle'])):.0f} %",
                f"{misses:,.0f}",
                f"{1024 * misses / wire:.1f}",
                f"{back:,.0f}",
                f"{row.get('cold_cycles', 0):,}",
            ]
        )
    return (
        "Throughput against size",
        "Books of trades. Misses: blocks of 64 bytes that the shared cache fetched from DRAM during the warm "
        "run, and those it wrote back; cold: the first run, with empty caches.",
        [
            "operation",
            "wire bytes",
            "cycles",
            "wire bytes a cycle",
            "of the port",
            "misses",
            "misses / KB",
            "written back",
            "cold cycles",
        ],
        lines,
    )

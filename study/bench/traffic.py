"""The traffic of the microbenchmarks (after "Datacenter Tax Cuts", figs. 3 and 6): the unit's through its port, and all
of it through DRAM's."""

from __future__ import annotations

import re

from heapwire.measure.rows import Row


def section(rows: list[Row]) -> tuple[str, str, list[str], list[list[str]]]:
    """Returns title, text, head and lines of a table of the suite's page."""
    nanopb = {(row["case"], row["op"]): row for row in rows if row["engine"] == "nanopb"}
    lines = []
    for row in rows:
        if row["engine"] != "hw" or not re.fullmatch(r"\w+_(un)?packed/\d+", str(row["case"])):
            continue
        peer = nanopb.get((row["case"], row["op"]), {})
        lines.append(
            [
                str(row["case"]),
                str(row["op"]),
                *(f"{int(row[name]):,}" for name in ("wire_bytes", "object_bytes", "read_bytes", "write_bytes")),
                *(
                    f"{int(found.get(name, 0)):,}" if found else ""
                    for found in (row, peer)
                    for name in ("dram_read_bytes", "dram_write_bytes")
                ),
            ]
        )
    return (
        "Traffic",
        "Bytes of one repeated field of each type, warm: what the unit read and wrote, and what the shared cache "
        "fetched from "
        "DRAM and wrote back, by engine.",
        [
            "case",
            "operation",
            "wire",
            "objects",
            "unit reads",
            "unit writes",
            "DRAM to cache, hw",
            "cache to DRAM, hw",
            "DRAM to cache, nanopb",
            "cache to DRAM, nanopb",
        ],
        lines,
    )

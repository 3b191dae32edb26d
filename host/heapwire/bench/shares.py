"""Where the cycles of a command go, and what bounds it: the driver, the memory's latency, the
unit's own rate or the memory port (after Wu & Schmulbach, fig. 13)."""
from __future__ import annotations

from dataclasses import dataclass

from heapwire.bench.flight import ONE, TWO
from heapwire.bench.rows import Row

NEAR = 0.75
"""A case is the port's if it moves this share of what the port could."""


@dataclass(frozen=True)
class Shares:
    """Of the cycles of a command: those without the unit (driver, front end, completion), those in
    which the unit waited for descriptor tables, for other reads and for writes, those in which it worked;
    `port`: bytes moved over what the port could have moved in all of them."""

    driver: float
    table: float
    reads: float
    writes: float
    work: float
    port: float

    @property
    def bound(self) -> str:
        """What takes the largest share."""
        if self.port >= NEAR:
            return "memory port"
        parts = {"driver": self.driver, "tables": self.table, "memory latency (reads)": self.reads, "memory (writes)": self.writes, "unit": self.work}
        return max(parts, key=parts.__getitem__)


def shares(row: Row) -> Shares:
    """The shares of a row of a unit that was measured busy."""
    cycles, busy = int(row["cycles"]), int(row["busy_cycles"])
    reads, tables, writes = (int(row[f"{name}_stall_cycles"]) for name in ("read", "table", "write"))
    moved = int(row["read_bytes"]) + int(row["write_bytes"])
    return Shares((cycles - busy) / cycles, tables / cycles, (reads - tables) / cycles, writes / cycles, (busy - reads - writes) / cycles,
                  moved / (cycles * int(row["port_bytes_per_cycle"])))


def section(rows: list[Row]) -> tuple[str, str, list[str], list[list[str]]]:
    """Title, text, head and lines of the table of a suite's page."""
    lines = []
    for row in rows:
        if not row.get("busy_cycles") or row["engine"] in (ONE, TWO):
            continue
        found = shares(row)
        lines.append([str(row["case"]), str(row["op"]), str(row["engine"]), f"{row['cycles']:,}", *(
            f"{100 * share:.0f} %" for share in (found.driver, found.table, found.reads, found.writes, found.work, found.port)), found.bound])
    return ("Where the cycles go", "Shares of a command's cycles; `of the port`: bytes moved over what the port could have moved.",
            ["case", "operation", "engine", "cycles", "driver", "waits for tables", "waits for reads", "waits for writes", "unit works", "of the port",
             "bound by"], lines)

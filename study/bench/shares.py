"""Where the cycles of a command go, and what bounds it: the driver, the memory's latency, the unit's own rate or the
port of DRAM (after Wu & Schmulbach, fig. 13)."""

from dataclasses import dataclass

from heapwire.measure.rows import Row
from study.bench.rows import port_share

NEAR = 0.75
"""Share of the port's capacity from which the port counts as the bound."""


PARTS = {
    "driver": "driver",
    "waits for tables": "table",
    "waits for reads": "reads",
    "waits for writes": "writes",
    "unit works": "work",
    "of DRAM's port": "port",
}
"""The shares by what tables call them."""
BOUNDS = {
    **{"driver": "driver", "tables": "table", "memory latency (reads)": "reads", "memory (writes)": "writes"},
    "unit": "work",
}
"""The shares by what they are called as the bound."""
PORT = "DRAM's port"


@dataclass(frozen=True)
class Shares:
    """Shares of the cycles of a command. driver: cycles without the unit (driver, front end, completion). table, reads,
    writes: cycles in which the unit waited for descriptor tables, other reads and writes. work: cycles in which the
    unit worked. port: bytes moved between the shared cache and DRAM, divided by those that DRAM's port could have moved
    in all these cycles."""

    driver: float
    table: float
    reads: float
    writes: float
    work: float
    port: float

    @property
    def bound(self) -> str:
        """The part with the largest share."""
        if self.port >= NEAR:
            return PORT
        return max(BOUNDS, key=lambda name: getattr(self, BOUNDS[name]))


def shares(row: Row) -> Shares:
    """Returns the shares of a row with measured busy cycles."""
    cycles, busy = int(row["cycles"]), int(row["busy_cycles"])
    reads, tables, writes = (int(row[f"{name}_stall_cycles"]) for name in ("read", "table", "write"))
    return Shares(
        (cycles - busy) / cycles,
        tables / cycles,
        (reads - tables) / cycles,
        writes / cycles,
        (busy - reads - writes) / cycles,
        port_share(row),
    )

"""Memory and core, on which everything else depends."""

from __future__ import annotations

from study.report import text
from study.report.content import Item, Table, unmeasured
from study.report.store import Store, machine_of


def _item(store: Store, suite: str, title: str, note: str) -> Item:
    lines, rows = [], []
    for machine in store.machines(suite):
        for row in store.rows(suite, machine):
            moved = int(row.get("read_bytes", 0)) + int(row.get("write_bytes", 0))
            share = (
                moved / (int(row["cycles"]) * int(row["port_bytes_per_cycle"]))
                if moved and int(row["cycles"])
                else None
            )
            lines.append(
                [
                    str(row["case"]),
                    str(row["op"]),
                    str(row["engine"]),
                    machine or "default-128",
                    text.count(int(row["cycles"])),
                    text.percent(share),
                    str(row.get("layouts", 1)),
                ]
            )
            rows.append(row)
    if not lines:
        return unmeasured("", title, f"make bench SUITE={suite}")
    return Item(
        "",
        title,
        [f"{machine_of(rows)} {note}"],
        tables=[Table("Cycles", ["case", "operation", "engine", "machine", "cycles", "of the port", "layouts"], lines)],
        cut=store.cut(suite),
    )


def memory(store: Store) -> Item:
    """Returns the item of the copy unit, the fabric and DRAM."""
    return _item(
        store,
        "memory",
        "memory: copies, fills, random reads",
        "`of the port` is the bytes that the unit read and wrote, over what DRAM's port could have moved. A copy "
        "within the shared cache moves a word each way in a cycle, so it may be above 100 %.",
    )


def core(store: Store) -> Item:
    """Returns the item of the core alone."""
    return _item(
        store,
        "core",
        "the core alone: streams and nanopb",
        "Machines that end in `-stock` have LiteX's own CPU and L2 on the memory of that board. A board of 8 MB holds "
        "one link layout, in which software may be far from its best.",
    )

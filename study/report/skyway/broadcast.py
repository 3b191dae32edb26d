"""Figure 7 on several machines: JSBS's objects, broadcast by each to all others."""

from __future__ import annotations

from study.bench.skyway import CONFIG
from study.report import text
from study.report.content import Table
from study.report.plan import BROADCAST
from study.report.store import Store, machine_of

COMMAND = f'make demo-skyway CONFIG={CONFIG} ARGS="{BROADCAST}"'


def tables(store: Store) -> tuple[list[str], list[Table]]:
    """Returns what to say of the broadcast, and its table if it was measured."""
    rows = [row for row in store.rows("broadcast") if row["op"] == "broadcast"]
    if not rows:
        reason = store.cut("broadcast") or "the broadcast among several machines is not measured"
        return [f"{reason[0].upper()}{reason[1:]}. What to do: `{COMMAND}`."], []
    lines = [
        [
            str(row["engine"]),
            *(text.count(int(row[f"{part}_cycles"])) for part in ("serialize", "network", "deserialize")),
            text.count(int(row["wire_bytes"])),
        ]
        for row in rows
    ]
    first = rows[0]
    said = (
        f"With the network: {first['machines']} simulated machines behind a switch, each of which broadcasts "
        f"{first['objects']} objects; a byte takes {first['byte_cycles']} cycles on a line. {machine_of(rows)} The "
        "paper has five nodes, 1000 rounds and Ethernet of 1 Gbit/s; here the core carries each byte through a UART, "
        "so the network weighs far more. `network` is the time to send one object to all others and to receive one "
        "of each, waiting included."
    )
    columns = ["engine", "serialize", "network", "deserialize", "bytes"]
    return [said], [Table("Cycles of an object in the broadcast", columns, lines)]

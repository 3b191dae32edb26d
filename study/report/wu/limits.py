"""Figures 11 to 14 of the fuller report, and its measurements without a figure: cache misses, breakdown, clearing,
pauses, area."""

from __future__ import annotations

from heapwire.measure.rows import Row
from study.bench.clearing import LESS
from study.bench.shares import shares
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store, machine_of, series
from study.report.wu import paper
from study.report.wu.common import COMMAND, HYPER, rows

BLOCK = 64
"""Bytes of a block of the shared cache."""
EMPTY = "string/0"
"""The message that is closest to empty: its only field is absent."""
FEW = 14
"""Messages in the picture of figure 13."""


def misses(store: Store) -> list[Item]:
    """Returns figures 11 and 12."""
    titles = ("misses of the last cache", "reads that reach the last cache")
    sweep = [
        (size, row)
        for size, row in series(rows(store, "bytes/"), "bytes")
        if row["engine"] == "hw" and "dram_read_bytes" in row
    ]
    if not sweep:
        return [unmeasured(f"Figure {number}", title, COMMAND) for number, title in zip((11, 12), titles)]
    miss = {size: int(row["dram_read_bytes"]) / BLOCK for size, row in sweep}
    lines = [
        [
            text.count(size),
            text.count(miss[size]),
            f"{1024 * miss[size] / int(row['wire_bytes']):.1f}",
            text.count(int(row["dram_write_bytes"]) / BLOCK),
            text.count(int(row["read_bytes"])),
            f"{int(row['read_bytes']) / int(row['wire_bytes']):.2f}",
        ]
        for size, row in sweep
    ]
    plot = Plot(
        "wu-11",
        "Blocks of 64 bytes a KB of message: fetched from DRAM, and read by the unit",
        lambda: _lines(
            {
                "": {
                    "fetched from DRAM": [
                        (size, max(1024 * miss[size] / int(row["wire_bytes"]), 0.01)) for size, row in sweep
                    ],
                    "read by the unit": [
                        (size, 1024 * int(row["read_bytes"]) / BLOCK / int(row["wire_bytes"])) for size, row in sweep
                    ],
                }
            }
        ),
    )
    where = (
        f"{machine_of([row for _, row in sweep])} The messages are books of trades, warm. The paper samples over "
        "time; our figures are totals of one message."
    )
    return [
        Item(
            "Figure 11",
            titles[0],
            ["The paper: misses differ little between messages of different sizes.", where],
            [plot],
            [
                Table(
                    "To read",
                    [
                        "bytes",
                        "misses",
                        "misses / KB",
                        "written back",
                        "bytes that the unit read",
                        "of them a byte of the message",
                    ],
                    lines,
                )
            ],
            cut=store.cut("protobuf"),
        ),
        Item(
            "Figure 12",
            titles[1],
            [
                "The paper: a large message sends many more reads to the last cache. Here one cache is between the "
                "unit and DRAM, so figure 11 has those reads: the last two columns of its table, and the second line "
                "of its picture."
            ],
            cut=store.cut("protobuf"),
        ),
    ]


def _lines(panels: dict):
    from study.report import plots

    return plots.lines(panels, "bytes of the message", "blocks a KB")


def _parts(row: Row) -> dict[str, float]:
    found = shares(row)
    return {
        "driver": found.driver,
        "waits for tables": found.table,
        "waits for reads": found.reads,
        "waits for writes": found.writes,
        "unit works": found.work,
    }


def figure_13(store: Store) -> Item:
    """Returns the figure of a message's cycles by category."""
    title = "where the time of a message goes"
    found = [row for row in rows(store) if row["engine"] == "hw" and row.get("busy_cycles")]
    mine = [row for row in found if str(row["case"]).startswith((HYPER, "jsbs/", "fleetbench/", "fields/"))] or found
    if not mine:
        return unmeasured("Figure 13", title, COMMAND)
    empty = next((row for row in rows(store, EMPTY) if row["case"] == EMPTY and row["engine"] == "hw"), None)
    nothing = (
        f"A message without a field takes {int(empty['cycles']):,} cycles here."
        if empty
        else f"A call with a message without a field (`{EMPTY}`) is not measured: run `{COMMAND}`."
    )
    lines = [
        [
            str(row["case"]),
            text.count(int(row["wire_bytes"])),
            text.count(int(row["cycles"])),
            *(text.percent(share) for share in _parts(row).values()),
            shares(row).bound,
        ]
        for row in mine
    ]
    chosen = sorted(mine, key=lambda row: int(row["wire_bytes"]))[:: max(1, -(-len(mine) // FEW))]
    return Item(
        "Figure 13",
        title,
        [
            f"The paper, for Bench0's M25: an empty call through JNI takes {paper.CALL_NS} ns "
            f"({paper.GHZ * paper.CALL_NS:,.0f} cycles), all software without the unit {paper.SOFTWARE_NS} ns; the "
            "accelerator takes most of the time.",
            f"{machine_of(mine)} {nothing} There is no JNI: the driver is C on the same core.",
        ],
        [
            Plot(
                "wu-13",
                "Percent of a message's cycles, messages by size",
                lambda: _stacked(
                    {
                        "": {
                            str(row["case"]).rpartition("/")[2].rpartition(".")[2]: {
                                name: 100 * share for name, share in _parts(row).items()
                            }
                            for row in chosen
                        }
                    }
                ),
            )
        ],
        [
            Table(
                "Shares of a message's cycles, to read",
                ["message", "bytes", "cycles", *_parts(mine[0]), "bound by"],
                lines,
            )
        ],
        cut=store.cut("protobuf"),
    )


def _stacked(panels: dict):
    from study.report import plots

    return plots.stacked(panels, "percent")


def figure_14(store: Store) -> Item:
    """Returns the figure of the cost of clearing."""
    title = "what clearing new objects costs"
    cycles = {
        str(row["case"]): int(row["cycles"])
        for row in store.rows("protobuf")
        if row["engine"] == "hw" and row["op"] == "deserialize"
    }
    lines, more = [], {}
    for case, whole in cycles.items():
        less = [cycles.get(f"clear {clear.value}: {case}") for clear in LESS]
        if None not in less:
            added = [whole / found - 1 for found in less if found]
            lines.append([case, text.count(whole), *map(text.count, less), *map(text.percent, added)])
            more[case.rpartition("/")[2]] = {f"over {clear.value}": 100 * extra for clear, extra in zip(LESS, added)}
    if not lines:
        return unmeasured("Figure 14", title, COMMAND)
    names = [clear.value for clear in LESS]
    return Item(
        "Figure 14",
        title,
        [
            f"The paper: clearing of sub-messages adds {paper.CLEARING[0]} % to one message and {paper.CLEARING[1]} % "
            "to another (its two are Bench0's M1 and M25).",
            "Here the unit clears all of an object, or its references and the words that software reads without a "
            "look at a hasbit, or only these words.",
        ],
        [Plot("wu-14", "Percent that clearing everything adds", lambda: _bars({"": more}))],
        [Table("Cycles to read", ["message", "all", *names, *(f"all adds to {name}" for name in names)], lines)],
        cut=store.cut("protobuf"),
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "percent")

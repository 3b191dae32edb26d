"""Area by machine, and the engine against plain cores."""

from __future__ import annotations

from pathlib import Path

from study.bench import cores
from study.report import text
from study.report.content import Item, Plot, Table, unmeasured
from study.report.store import Store

FIGURES = ("ecp5.LUT", "ecp5.FF", "ecp5.BRAM", "gowin.LUT", "kGE", "memory bits")
LEAST = 0.03
"""Least share of the cluster's LUTs of a module that is listed."""
TOP = "HeapwireCluster"


def areas(store: Store) -> Item:
    """Returns the item with the large modules of each machine whose area was measured."""
    title = "area by module"
    tables, bars = [], {}
    for machine, document in store.areas.items():
        modules = document.get("modules", {})
        if TOP not in modules:
            continue
        whole = modules[TOP]["total"]["ecp5.LUT"]
        large = sorted(
            (
                (name, module["total"])
                for name, module in modules.items()
                if module["total"]["ecp5.LUT"] >= LEAST * whole
            ),
            key=lambda pair: -pair[1]["ecp5.LUT"],
        )
        tables.append(
            Table(
                f"{machine}, modules of at least {100 * LEAST:.0f} % of the cluster; a module's row counts everything "
                "in it",
                ["module", *FIGURES],
                [[name, *(text.short(total.get(figure)) for figure in FIGURES)] for name, total in large],
            )
        )
        bars[machine] = {name: {"LUTs of ECP5": float(total["ecp5.LUT"])} for name, total in large}
    if not tables:
        return unmeasured("", title, "make area CONFIG=default")
    return Item(
        "",
        title,
        [
            "Yosys mapped each module on its own for ECP5 and Gowin; nothing was placed "
            "([area.md](docs:reference/area.md))."
        ],
        [Plot("area", "LUTs of ECP5 by module", lambda: _bars(bars))],
        tables,
    )


def _bars(panels: dict):
    from study.report import plots

    return plots.bars(panels, "LUTs")


def against_cores(store: Store, area: Path) -> Item:
    """Returns the item of messages a second and 1,000 LUT."""
    title = "the engine against plain cores"
    rows = store.rows("protobuf")
    if not rows:
        return unmeasured("", title, "make bench SUITE=protobuf")
    _, remark, head, lines = cores.section(rows, area)
    if not lines:
        return unmeasured(
            "",
            title,
            "make bench SUITE=protobuf",
            ["It needs the real messages of JSBS and fleetbench ([host.md](docs:reference/host.md))."],
        )
    return Item(
        "",
        title,
        [remark],
        tables=[Table("Cycles, and messages a second and 1,000 LUT", head, lines)],
        cut=store.cut("protobuf"),
    )

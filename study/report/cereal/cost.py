"""Table V: area."""

from __future__ import annotations

from study.report import text
from study.report.cereal import paper
from study.report.content import Item, Table, absent, unmeasured
from study.report.store import Store

MACHINE = "cereal-128"
UNITS = {"Serializer": "SerializationUnit", "Deserializer": "DeserializationUnit"}
"""Our modules by the paper's names."""
FIGURES = ("ecp5.LUT", "ecp5.FF", "ecp5.BRAM", "kGE", "memory bits")


def table_5(store: Store) -> Item:
    """Returns the table of areas. Power comes from another command."""
    title = "area and power of Cereal's units"
    modules = store.areas.get(MACHINE, {}).get("modules", {})
    if not modules:
        return unmeasured("Table V", title, "make area CONFIG=cereal")
    lines = []
    for name, module in UNITS.items():
        if module not in modules:
            continue
        lines.append(
            [
                f"**{module}**",
                *(text.short(modules[module]["total"].get(figure)) for figure in FIGURES),
                f"{name}: {paper.UNIT_AREA[name]} mm²",
            ]
        )
        for child, many in modules[module].get("children", {}).items():
            if child in modules and modules[child]["total"].get("ecp5.LUT", 0) >= 500:
                lines.append(
                    [
                        child + (f", {many} of them" if many > 1 else ""),
                        *(text.short(modules[child]["total"].get(figure)) for figure in FIGURES),
                        "",
                    ]
                )
    whole = modules.get("HeapwireCluster")
    if whole:
        lines.append(
            [
                "**the whole cluster**, core and road in it",
                *(text.short(whole["total"].get(figure)) for figure in FIGURES),
                "8 + 8 units and system: 3.857 mm²",
            ]
        )
    theirs = [[f"{unit}: {name}", f"{area}"] for unit, parts in paper.AREA.items() for name, area in parts.items()]
    return Item(
        "Table V",
        title,
        [
            "The paper synthesized for a foundry's 40 nm. Our areas are LUTs, flip-flops and block memories of an "
            "ECP5, thousands of NAND2 equivalents, and bits of memory ([area.md](docs:reference/area.md)). They cannot "
            "be converted into square millimetres, but shares of a unit can be compared.",
            "`make power` estimates power, in units of its own ([power.md](docs:../study/results/power.md)).",
        ],
        tables=[
            Table("Ours, parts of 500 LUTs and more", ["module", *FIGURES, "the paper's"], lines),
            Table("The paper's parts, square millimetres a unit", ["part", "mm²"], theirs),
        ],
    )


def figure_17(store: Store) -> Item:
    """Returns a placeholder: energy is not a row."""
    return absent(
        "Figure 17",
        "energy, normalized",
        "`make power` estimates it from switching in the simulation, in units of its own; it writes no rows, so this "
        "page has no figure of it. "
        "[power.md](docs:../study/results/power.md#energy) has what was estimated, beside the paper's.",
    )

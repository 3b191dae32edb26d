"""Writes an area: area.json, area.csv and area.md."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from synth.area import Area
from synth.fmax import Speeds

FMAX = "Fmax alone"
SMALL = 0.02
"""Parts below this share of their unit's LUTs are summed up in one row."""


def as_json(area: Area, config: str) -> dict:
    """Returns the document of an area. `modules` maps a name to the figures of the module with all that is in it
    (`total`), the figures without that (`own`), and its children. `flat` has the figures of everything as one
    module."""
    return {
        "config": config,
        "top": area.top,
        "flat": area.flat,
        "modules": {
            name: {
                "total": {figure: area.total(name, figure) for figure in area.figures},
                "own": module.own,
                "children": module.children,
            }
            for name, module in area.modules.items()
        },
    }


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"


def _row(name: str, area: Area, module: str, count: int = 1) -> list[str]:
    return [
        name + (f" x {count}" if count > 1 else ""),
        *(_number(count * area.total(module, figure)) for figure in area.figures),
    ]


def _parts(area: Area, unit: str, units: int) -> list[list[str]]:
    """Returns the rows of a unit's parts, for all units of a kind together, the largest first."""
    figure = "ecp5.LUT"
    whole = units * area.total(unit, figure) or 1
    children = ((name, units * count) for name, count in area.modules[unit].children.items())
    parts = sorted(children, key=lambda part: -part[1] * area.total(part[0], figure))
    large = [(name, count) for name, count in parts if count * area.total(name, figure) >= SMALL * whole]
    small = [(name, count) for name, count in parts if (name, count) not in large]
    rows = [_row(f"&ensp;{name}", area, name, count) for name, count in large]
    if small:
        rows.append(
            [
                f"&ensp;{sum(count for _, count in small)} small ones",
                *(_number(sum(count * area.total(name, f) for name, count in small)) for f in area.figures),
            ]
        )
    return [
        *rows,
        ["&ensp;between them", *(_number(units * area.modules[unit].own.get(figure, 0)) for figure in area.figures)],
    ]


def markdown(area: Area, config: str, speeds: Speeds | None = None) -> str:
    """Returns the page: units with their parts, one row for each module."""
    head = ["module", *area.figures]
    lines = [_row(f"**{area.top}**", area, area.top)]
    if area.flat:
        lines.append(
            [
                f"{area.top}, mapped flat",
                *(_number(area.flat[figure]) if figure in area.flat else "" for figure in area.figures),
            ]
        )
    for unit, count in area.modules[area.top].children.items():
        lines += [_row(f"**{unit}**", area, unit, count), *_parts(area, unit, count)]
    if speeds:
        head, lines = [*head, FMAX], [[*row, speeds.cell(row[0].strip("*").split("*")[0])] for row in lines]
    rule = ["---"] + ["---:"] * (len(head) - 1)
    table = "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *lines])
    return (
        f"# Area of `{config}`\n\nMapped a module at a time (hierarchy kept), but for the second row; not placed. "
        "`ecp5.LUT` counts places of a LUT4: a carry "
        "cell takes two, 16 x 4 bits of distributed memory six. `kGE` are thousands of NAND2 equivalents of static "
        "CMOS, "
        f"without memories, whose bits are beside them.\n\n{table}\n{speeds.markdown() if speeds else ''}"
    )


def write(area: Area, config: str, folder: Path, speeds: Speeds | None = None) -> None:
    """Writes area.json, area.csv (one row for each module, with everything in it) and area.md. speeds: if they were
    measured."""
    folder.mkdir(parents=True, exist_ok=True)
    document = as_json(area, config) | ({"fmax": speeds.as_json()} if speeds else {})
    (folder / "area.json").write_text(json.dumps(document, indent=1) + "\n")
    with (folder / "area.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["module", *area.figures, *([FMAX] if speeds else [])])
        for name in area.modules:
            writer.writerow(
                [
                    name,
                    *(round(area.total(name, figure), 3) for figure in area.figures),
                    *([speeds.cell(name)] if speeds else []),
                ]
            )
    (folder / "area.md").write_text(markdown(area, config, speeds))


def changes(before: dict, after: dict) -> list[list[str]]:
    """Returns rows of modules whose totals differ between two area.json, the largest change first: module, figure,
    before, after, change."""
    rows = []
    for name in {**before["modules"], **after["modules"]}:
        old, new = (area["modules"].get(name, {}).get("total", {}) for area in (before, after))
        for figure in {**old, **new}:
            was, is_ = old.get(figure, 0), new.get(figure, 0)
            if was != is_:
                rows.append(
                    (abs(is_ - was) / max(was, is_), [name, figure, _number(was), _number(is_), f"{is_ - was:+,.0f}"])
                )
    return [row for _, row in sorted(rows, key=lambda row: -row[0])]

"""Room between the logic of a design that is too dense to be wired.

nextpnr's placers pack what is closely connected until nothing is free between it, whatever the rest of the part has. Where many wires
meet, as at the operands of the deserializer's executor, there are then fewer of them than are wanted, and the router never ends. So some
rows of logic are kept free by LUTs that are placed there beforehand and connected to nothing.
"""
from __future__ import annotations

from dataclasses import dataclass

from boards.errors import BoardError


@dataclass(frozen=True)
class Grid:
    """The tiles of logic of a part, by nextpnr's numbers: `rows` that have logic in all of `columns`."""
    rows: tuple[int, ...]
    columns: range


def _rows(last: int, memories: tuple[int, ...]) -> tuple[int, ...]:
    """From 2 to `last` but those of block memories and multipliers, which have no logic."""
    return tuple(row for row in range(2, last + 1) if row not in memories)


GRIDS = {"85k": Grid(_rows(93, (10, 22, 34, 46, 58, 70, 82)), range(4, 122)), "45k": Grid(_rows(69, (10, 22, 34, 46, 58)), range(4, 86))}
"""Of ECP5, by the size in nextpnr's option."""
PLACES = [f"SLICE{letter}.K{half}" for letter in "ABCD" for half in "01"]
"""LUTs of a tile."""
_CELL = ('"$spare${place}": {{"hide_name": 1, "type": "LUT4", "parameters": {{"INIT": "0000000000000000"}}, "attributes": {{"BEL": "{place}"}}, '
         '"port_directions": {{"A": "input", "B": "input", "C": "input", "D": "input", "Z": "output"}}, "connections": {{}}}}')


def grid(part: str) -> Grid:
    """Of the part that nextpnr's option names: --85k, --um5g-85k. Raises BoardError if its rows are not known."""
    size = part.removeprefix("--").removeprefix("um-").removeprefix("um5g-")
    if size not in GRIDS:
        raise BoardError(f"no rows can be kept free on {part}. What to do: name its rows in boards/spread.py")
    return GRIDS[size]


def places(part: str, share: float) -> list[str]:
    """What is kept free when this share of the rows is; `part` is nextpnr's option. Raises BoardError if that part's rows are not known."""
    tiles = grid(part)
    rows = [row for i, row in enumerate(tiles.rows) if int((i + 1) * share) > int(i * share)]
    return [f"X{x}/Y{y}/{place}" for y in rows for x in tiles.columns for place in PLACES]


def spread(netlist: str, top: str, kept: list[str]) -> str:
    """Yosys' netlist in JSON with `kept` taken."""
    module = netlist.find(f'"{top}": {{\n')
    start = netlist.find('"cells": {', module) + len('"cells": {')
    if module < 0 or start < len('"cells": {'):
        raise BoardError(f"no cells of module {top} in Yosys' netlist: another version of Yosys?")
    cells = ",\n".join(_CELL.format(place=place) for place in kept)
    return f"{netlist[:start]}\n{cells},{netlist[start:]}"

"""Boards: clocks and sizes from docs/howto/boards.md, and microseconds from rows of simulated boards."""

from __future__ import annotations

import posixpath
import re

from study.report import text
from study.report.content import Item, Table, absent, unmeasured
from study.report.store import Store, by_case

LIKE = "like-"
COMMAND = "make bench SUITE=protobuf LIKE=ulx3s"
SETS = ("jsbs/", "fleetbench/", "demo/")
HEAD = re.compile(r"^\| board \| configuration \| LUT \|.*$", re.M)
LINK = re.compile(r"\]\((?!http)([^)#]+)")
FOLDER = "howto"
"""Folder of boards.md in the documentation."""


def table_of(page: str, head: re.Pattern[str]) -> list[list[str]]:
    """Returns the lines of a table of a page in Markdown, its head first, or an empty list if the table is missing."""
    start = head.search(page)
    if not start:
        return []
    lines = [line for line in page[start.start() :].split("\n\n")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for i, line in enumerate(lines) if i != 1]


def clocks(page: str) -> dict[str, float]:
    """Returns LiteX's default clocks in MHz by board, from docs/howto/boards.md."""
    found = {}
    for line in table_of(page, re.compile(r"^\| board \| part \|.*$", re.M))[1:]:
        if clock := re.search(r"([\d.]+) MHz", line[3]):
            found[line[0].strip("`")] = float(clock[1])
    return found


def _from_docs(link: re.Match[str]) -> str:
    """Returns a link of boards.md as one from the folder of the documentation."""
    return f"](docs:{posixpath.normpath(posixpath.join(FOLDER, link[1]))}"


def fits(store: Store) -> Item:
    """Returns the item of clock and size of each board's bitstream."""
    title = "clock and size on boards"
    lines = table_of(store.boards, HEAD)
    if len(lines) < 2:
        return absent("", title, "[boards.md](docs:howto/boards.md) has no such table")
    cells = [[LINK.sub(_from_docs, cell) for cell in line] for line in lines]
    return Item(
        "",
        title,
        [
            "The table is that of [boards.md](docs:howto/boards.md#what-fits), which has its notes: what `make "
            "bitstream` printed. `make report` does not place and route, because that takes hours. Nothing has run "
            "on a real board."
        ],
        tables=[Table("Bitstreams", cells[0], cells[1:])],
    )


def microseconds(store: Store) -> Item:
    """Returns the item of microseconds: cycles of simulated boards divided by their clocks."""
    title = "microseconds a message on simulated boards"
    mhz, lines = clocks(store.boards), []
    for machine in store.machines("protobuf"):
        if not machine.startswith(LIKE):
            continue
        name = machine.removeprefix(LIKE).rpartition("-")[0]
        board = max((board for board in mhz if name.startswith(board)), key=len, default=None)
        if board is None:
            continue
        for operation in ("deserialize", "serialize"):
            for case, found in by_case(store.rows("protobuf", machine), operation).items():
                if "hw" in found and case.startswith(SETS):
                    cycles = {
                        engine: int(found[engine]["cycles"]) for engine in ("nanopb", "table", "hw") if engine in found
                    }
                    lines.append(
                        [
                            name,
                            f"{mhz[board]:g}",
                            case,
                            operation,
                            text.count(int(found["hw"]["wire_bytes"])),
                            *(
                                f"{cycles[engine] / mhz[board]:,.1f}" if engine in cycles else ""
                                for engine in ("nanopb", "table", "hw")
                            ),
                            str(found["hw"]["layouts"]),
                        ]
                    )
    if not lines:
        return unmeasured("", title, COMMAND)
    return Item(
        "",
        title,
        [
            "The times follow from the cycles of the board's configuration and memory in the simulator, at LiteX's "
            "default clock. Boards of 8 MB hold one link layout; in that one nanopb may be far from its best."
        ],
        tables=[
            Table(
                "Microseconds",
                ["simulated board", "MHz", "message", "operation", "bytes", "nanopb", "table", "engine", "layouts"],
                lines,
            )
        ],
    )

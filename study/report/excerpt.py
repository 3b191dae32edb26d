"""Excerpts of the report: lines of its tables that stay in git, as `headlines.json`."""

import re
from dataclasses import dataclass, field
from typing import Mapping

from base.errors import HeapwireError
from study.report.content import Page, Table
from study.report.store import Store

COMMANDS = {"spark": "make spark", "broadcast": "make report", "graphs": "make report"}
"""What measures rows that no suite of `make bench` has."""


@dataclass(frozen=True)
class Excerpt:
    """Lines of a table of the report. name: in headlines.json. path: the name of the part, the number of the item
    or how its heading begins, and how the table's title begins. suites: whose rows
    it shows. lines: how their first cells begin (empty: all). columns: their heads (empty: all). where: what a line has
    in other columns. shown: a cell of the lines that the page shows (empty: all). command: what makes it, if not the
    benches of its suites. Lists have semicolons."""

    name: str
    path: str
    suites: str
    lines: str = ""
    columns: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    shown: str = ""
    command: str = ""

    def of(self, page: Page) -> Table | None:
        """Returns the excerpt of a page, or None if the page lacks a line or a column."""
        part, heading, title = self.path.split(" / ", 2)
        items = [item for each in page.parts if each.name == part for item in each.items]
        mine = [
            item for item in items if (item.number == heading or not item.number and item.heading.startswith(heading))
        ]
        return next((self._cut(table) for item in mine for table in item.tables if table.title.startswith(title)), None)

    def _cut(self, table: Table) -> Table | None:
        head, begin = list(table.head), tuple(self.lines.split("; "))
        columns = self.columns.split("; ") if self.columns else head
        lines = [
            line for line in table.lines if all(line[head.index(key)] == value for key, value in self.where.items())
        ]
        if not set(columns) <= set(head) or not all(any(line[0].startswith(each) for line in lines) for each in begin):
            return None
        # Heads may repeat, so columns are taken by their places.
        at = [head.index(column) for column in columns] if self.columns else range(len(head))
        return Table(table.title, columns, [[line[i] for i in at] for line in lines if line[0].startswith(begin)])

    def revisions(self, store: Store) -> str:
        """Names the suites of the rows and the revisions at which they were measured."""
        found = []
        for suite in self.suites.split():
            at = sorted({str(row["revision"]) for row in store.files.get(suite, []) if row.get("revision")})
            found.append(f"`{suite}`" + (f" at {' and '.join(at)}" if at else ""))
        return ", ".join(found)


def take(excerpts: list[Excerpt], page: Page, store: Store, before: Mapping[str, dict]) -> dict[str, dict]:
    """Returns all headlines: each excerpt of the page, by name. before: those of earlier rows. Raises HeapwireError if
    the page lacks a line of an earlier one: headlines never become fewer."""
    found, lacking = {}, []
    for excerpt in excerpts:
        table = excerpt.of(page)
        known = {_key(line) for line in before.get(excerpt.name, {}).get("lines", [])}
        if table is None or not known <= {_key(line) for line in table.lines}:
            commands = excerpt.command or " and ".join(
                COMMANDS.get(suite, f"make bench SUITE={suite}") for suite in excerpt.suites.split()
            )
            lacking.append(f"{excerpt.path} ({commands})")
        else:
            found[excerpt.name] = {
                "rows": excerpt.revisions(store),
                "head": list(table.head),
                "lines": list(map(list, table.lines)),
            }
    if store.quick:
        lacking.append("rows of whole suites, which a quick report does not have (make report)")
    if lacking:
        raise HeapwireError(
            "the headlines stay as they are, because these rows lack some of them:\n  " + "\n  ".join(lacking)
        )
    return found


def _key(line: list[str]) -> str:
    """Returns what a line is of: its first cell without numbers of cases."""
    return re.sub(r"\d+", "", line[0])

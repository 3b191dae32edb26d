"""Excerpts of the report: lines of its tables that stay in git, as `headlines.json`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Mapping

from base.errors import HeapwireError
from study.report.content import Page, Table
from study.report.store import Store


@dataclass(frozen=True)
class Excerpt:
    """Lines of a table of the report. name: in headlines.json. part, heading, table: titles. suites: whose rows it
    shows. lines: how the first cells begin (empty: all). columns: by their heads (empty: all). where: what the line has
    in other columns. command: what makes it, if not the benches of its suites."""

    name: str
    part: str
    heading: str
    table: str
    suites: tuple[str, ...]
    lines: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    command: str = ""

    def cut(self, table: Table) -> Table:
        """Returns these lines and columns of the table."""
        head = list(table.head)
        at = [head.index(column) for column in self.columns if column in head] if self.columns else range(len(head))
        lines = [
            [line[i] for i in at]
            for line in table.lines
            if line[0].startswith(self.lines or "")
            and all(line[head.index(key)] == value for key, value in self.where.items())
        ]
        return Table(self.table, [head[i] for i in at], lines)

    def of(self, page: Page) -> Table | None:
        """Returns the excerpt of a page, or None if the page lacks a line or a column."""
        items = [
            item
            for part in page.parts
            if part.title == self.part
            for item in part.items
            if item.heading == self.heading
        ]
        for table in (table for item in items for table in item.tables if table.title == self.table):
            found = self.cut(table)
            begun = {start for start in self.lines if any(line[0].startswith(start) for line in table.lines)}
            if (
                found.lines
                and len(begun) == len(self.lines)
                and (not self.columns or list(found.head) == list(self.columns))
            ):
                return found
        return None

    def revisions(self, store: Store) -> str:
        """Names the suites of the rows and the revisions at which they were measured."""
        found = []
        for suite in self.suites:
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
            commands = excerpt.command or " and ".join(f"make bench SUITE={suite}" for suite in excerpt.suites)
            lacking.append(f"{excerpt.part}, {excerpt.heading}: {excerpt.table} ({commands})")
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

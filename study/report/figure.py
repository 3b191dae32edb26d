"""A figure as data: which rows, the columns of its tables, its pictures, the paper's numbers and a sentence.
`Figure.show` makes the item of the page."""

import inspect
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterable, Mapping, Sequence

from base.errors import HeapwireError
from heapwire.measure.rows import Row
from study.bench.rows import geometric_mean
from study.report.content import Item, Plot, Table, numbered, unmeasured
from study.report.records import Case, Value, at, cases, cycles
from study.report.store import Store, machine_of
from study.report.text import count, fixed, percent, short, signed, times, whole

Total = Callable[[list, Sequence["Column"]], list[str]]
"""Returns a line below records."""
OVER_BEST, BEST = "over the best software", "best software"
"""Heads of the columns that compare with the fastest of the peers, and that name it."""
FORMS = {"": str, "g": "{:g}".format} | {form.__name__: form for form in (count, percent, short, signed, times, whole)}


@dataclass(frozen=True)
class Column:
    """A column. value: of a record; a text stands as it is. form: formats a number. mean: whether totals have a mean of
    it. optional: whether it is left out where no record has a value."""

    head: str
    value: Value
    form: Callable[[Any], str] = str
    mean: bool = False
    optional: bool = False

    def cell(self, record: Any) -> str:
        value = self.value(record)
        return "" if value is None else value if isinstance(value, str) else self.form(value)


def each(
    engines: Iterable[str],
    value: Value,
    form: Callable[[Any], str],
    mean: bool = False,
    over: str = "",
    optional: bool = True,
) -> list[Column]:
    """Returns a column for each engine. over: the value is this engine's, divided by the column's. optional: only for
    engines that are there."""

    def of(engine: str) -> Value:
        def cell(case: Case) -> Any:
            if over:
                return case.over(over, engine, value)
            return value(case.rows[engine]) if engine in case.rows else None

        return cell

    return [Column(engine, of(engine), form, mean, optional) for engine in engines if engine != over]


def over(
    peers: Iterable[str], form: Callable[[Any], str], engine: str = "hw", head: str = "over {}", value: Value = cycles
) -> list[Column]:
    """Returns a column for each peer: its cycles, or another value, divided by the engine's."""
    return [
        Column(head.format(peer), lambda case, peer=peer: case.over(peer, engine, value), form, True) for peer in peers
    ]


def over_best(peers: Sequence[str], engine: str = "hw") -> list[Column]:
    """Returns a column for the best of the peers, case by case, divided by the engine, and one for its name."""

    return [
        Column(OVER_BEST, lambda case: case.over(case.best(peers), engine, cycles), times, True),
        Column(BEST, lambda case: case.best(peers)),
    ]


def fields(text: str) -> list[Column]:
    """Returns columns of keys (`at`): `head=key:form; ...`. A head that is the key stands alone; a form may be missing,
    or be the number of digits behind the point. * at the end: totals have a mean of it. ?: it is optional."""
    found = []
    for each in " ".join(text.split()).split("; "):
        head, given, rest = each.rstrip("*?").partition("=")
        key, _, form = (rest if given else head).partition(":")
        shown = FORMS[form] if form in FORMS else fixed(int(form))
        found.append(Column(head if given else key, at(key), shown, each.endswith("*"), each.endswith("?")))
    return found


def _common(records: list, column: Column) -> str:
    """Returns what all records of a group have in common in a column of groups; in that of the best, all names."""
    found = {column.cell(record) for record in records} if column.head in ("operation", "serializer", BEST) else set()
    if column.head == BEST:
        return " or ".join(sorted(found - {""}))
    return found.pop() if len(found) == 1 else ""


def mean(
    label: str, of: Callable[[list[float]], float] = geometric_mean, shared: bool = False, when: Value | None = None
) -> Total:
    """Returns a line of means. label: may have the number of records, {n}. shared: only over the records that have all
    columns that any record has, so that means compare. when: which records count."""

    def line(records: list, columns: Sequence[Column]) -> list[str]:
        records = [record for record in records if when is None or when(record)]
        values = [[column.value(record) if column.mean else None for record in records] for column in columns]
        there = [found for found in values if any(value is not None for value in found)]
        kept = [i for i in range(len(records)) if not shared or all(found[i] is not None for found in there)]
        kept = [i for i in kept if any(found[i] is not None for found in there)]
        cells = [label.format(n=len(kept))]
        for column, found in list(zip(columns, values))[1:]:
            numbers = [found[i] for i in kept if found[i] is not None]
            cells.append(column.form(of(numbers)) if numbers else _common(records, column))
        return cells if there else []

    return line


def paper(label: str, numbers: Mapping[Any, Any] | Callable[[list], Mapping[Any, Any]]) -> Total:
    """Returns a line of the paper's numbers, by the column's head, or by operation and head. A text stands as it is.
    numbers: or a function that returns them for the records above."""

    def line(records: list, columns: Sequence[Column]) -> list[str]:
        given = numbers(records) if callable(numbers) else numbers
        op = next((_common(records, column) for column in columns if column.head == "operation"), "")
        cells = [label]
        for column in columns[1:]:
            number = given.get((op, column.head), given.get(column.head))
            cells.append(
                _common(records, column)
                if number is None
                else number
                if isinstance(number, str)
                else column.form(number)
            )
        return cells

    return line


@dataclass(frozen=True)
class Grid:
    """A table (`table` makes it). columns: makes them of the records. by: totals follow each group of records that have
    this in common. ends: totals below everything."""

    title: str
    columns: Callable[[list], Iterable[Column | str]]
    records: Callable[[Any], list] = cases
    totals: Sequence[Total] = ()
    by: Value | None = None
    ends: Sequence[Total] = ()

    def build(self, rows: Any) -> Table | None:
        records = self.records(rows)
        columns = [
            column
            for column in _columns(self.columns(records))
            if not column.optional or any(column.value(record) is not None for record in records)
        ]
        groups: dict[Any, list] = {}
        for record in records:
            groups.setdefault(self.by(record) if self.by else None, []).append(record)
        lines = []
        for group in groups.values():
            lines += [[column.cell(record) for column in columns] for record in group]
            lines += [total(group, columns) for total in self.totals]
        lines += [total(records, columns) for total in self.ends] if records else []
        return Table(
            self.title, [column.head for column in columns], [line for line in lines if line] if records else []
        )


def _columns(given: Iterable[Column | str]) -> list[Column]:
    return [column for each in given for column in (fields(each) if isinstance(each, str) else [each])]


def table(title: str, *given: Column | str, **more: Any) -> Grid:
    """Returns a table. given: its columns, or the text of several (`fields`). more: the rest of a Grid by name."""
    return Grid(title, **{"columns": lambda found: given} | more)


def listing(title: str, *given: Column | str, **more: Any) -> Grid:
    """Returns a table whose records are what the figure's `rows` returns."""
    return table(title, *given, records=list, **more)


def _op(record: Any) -> str:
    return record.get("op", "") if isinstance(record, dict) else getattr(record, "op", "")


@dataclass(frozen=True)
class Bars:
    """A picture of horizontal bars (`bars` makes it): panels, in them groups, in them a bar for each column. stacked:
    the columns are parts of one bar. panel: the operation, if there are several. pick: which records are shown."""

    alt: str
    label: str
    columns: Sequence[Column]
    records: Callable[[Any], list] = cases
    panel: Value = _op
    name: Value = at("case")
    pick: Callable[[list], list] = list
    scale: float = 1
    log: bool = False
    stacked: bool = False

    def build(self, rows: Any) -> Plot | None:
        data: dict[str, dict[str, dict[str, float]]] = {}
        for record in self.pick(self.records(rows)):
            values = {column.head: column.value(record) for column in self.columns}
            bars = {head: self.scale * value for head, value in values.items() if value is not None}
            if not bars:
                continue
            panel, name = data.setdefault(self.panel(record), {}), self.name(record)
            if name in panel:
                raise HeapwireError(f"{self.alt}: two groups of bars are named {name}, so one would be lost")
            panel[name] = bars
        if len(data) == 1 and self.panel == _op:
            data = {"": found for found in data.values()}

        def draw():
            from study.report import plots

            return plots.stacked(data, self.label) if self.stacked else plots.bars(data, self.label, self.log)

        return Plot(self.alt, draw) if data else None


def bars(text: str, *given: Column | str, **more: Any) -> Bars:
    """Returns a picture of bars. text: a description and the name of the axis. given: the columns, or the text of
    several. more: the rest of Bars by name."""
    alt, _, label = text.partition(" | ")
    return Bars(alt, label, _columns(given), **more)


@dataclass(frozen=True)
class Lines:
    """Lines, or points, over a sweep. text: a description and the names of both axes. series: panels by title, in them
    points by name."""

    text: str
    series: Callable[[Any], Mapping[str, Mapping[str, Sequence[tuple[float, float]]]]]
    log: str = "xy"
    points: bool = False

    def build(self, rows: Any) -> Plot | None:
        alt, across, up = self.text.split(" | ")
        panels = {
            title: {name: each for name, each in found.items() if each} for title, found in self.series(rows).items()
        }
        panels = {title: found for title, found in panels.items() if found}

        def draw():
            from study.report import plots

            return plots.lines(panels, across, up, self.log, self.points)

        return Plot(alt, draw) if panels else None


@dataclass(frozen=True)
class Figure:
    """A figure. heading: the paper's number, if it is the paper's, and the subject. suite: whose rows it shows; its own
    page has the figure, too. text: paragraphs, in which {machine} describes the machine, and {name} is what `said`
    returns. rows: what `shows` is given. used: the rows of which {machine} tells, if they are not these. command,
    needs: what to run where no row is there, and what else to know. claims: how lines of its tables begin, each of
    which must be there. also: further suites that it needs. A figure of a paper is an error if its suites were measured
    and it has no line, or lacks a claim; not if it needs what not everybody has."""

    suite: str
    heading: str
    text: str
    shows: Sequence[Grid | Bars | Lines]
    rows: Callable[[Store], Any] | None = None
    said: Callable[[Store, Any], Mapping[str, str]] | None = None
    used: Callable[[Any], list[Row]] = list
    command: str | Callable[[Store], str] = ""
    needs: str = ""
    cut: bool = True
    claims: Sequence[str] = ()
    also: Sequence[str] = ()

    def _error(self, store: Store, number: str, tables: list[Table]) -> str:
        measured = all(store.rows(suite) for suite in (self.suite, *self.also))
        if not number or not measured or self.needs or store.cut(self.suite):
            return ""
        begin = [line[0] for table in tables for line in table.lines]
        lacking = [claim for claim in self.claims if not any(each.startswith(claim) for each in begin)]
        if begin and not lacking:
            return ""
        what = "; ".join(lacking) if begin else "this figure"
        return f"the suite {self.suite} is measured, but has no rows of {what}"

    def show(self, store: Store) -> Item:
        number, title = numbered(self.heading)
        rows = self.rows(store) if self.rows else store.rows(self.suite)
        built = [show.build(rows) for show in self.shows] if rows else []
        tables = [table for table in built if isinstance(table, Table) and table.lines]
        error = self._error(store, number, tables)
        if not tables:
            command = self.command(store) if callable(self.command) else self.command
            absent = unmeasured(number, title, command or f"make bench SUITE={self.suite}", self.needs)
            return replace(absent, error=error, absent=f"**{error}**" if error else absent.absent)
        words = dict(self.said(store, rows)) if self.said else {}
        if "{machine}" in self.text and "machine" not in words:
            words["machine"] = machine_of(self.used(rows))
        plots = [plot for plot in built if isinstance(plot, Plot)]
        cut = store.cut(self.suite) if self.cut else ""
        text = [*paragraphs(self.text.format_map(words)), *([f"**Incomplete:** {error}."] if error else [])]
        return Item(number, title, text, plots, tables, cut=cut, error=error)


def of(suite: str, **usual: Any) -> Callable[..., Figure]:
    """Returns what makes figures of a suite: of a heading, a text, tables and pictures, and the rest by name."""
    return lambda heading, text, *shows, **more: Figure(suite, heading, text, shows, **usual | more)


of_graphs = of(
    "graphs",
    command="make report",
    needs="The sizes are computed from the graphs (`python -m study.report.graphs`), which needs `make classes`.",
)


def paragraphs(text: str) -> list[str]:
    """Returns the paragraphs of a text, which blank lines part, each as one line."""
    found = (" ".join(block.split()) for block in inspect.cleandoc(text).split("\n\n"))
    return [block for block in found if block]

"""What a line of a table tells of: rows, cases (the rows of one case and operation, by engine), or mappings that a
figure makes."""

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Sequence

from heapwire.measure.rows import Row
from study.report.store import Store

Value = Callable[[Any], Any]
"""Returns what a record has, or None."""
READ_FIRST, WRITE_FIRST = ("deserialize", "serialize"), ("serialize", "deserialize")


@dataclass(frozen=True)
class Case:
    """The rows of one case and operation, by engine. Keys are those of a row: `case`, `op`."""

    case: str
    op: str
    rows: dict[str, Row]

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)

    @property
    def first(self) -> Row:
        """The unit's row, or else the first one."""
        return self.rows.get("hw") or next(iter(self.rows.values()))

    def over(self, peer: str | None, engine: str, value: Value) -> float | None:
        """Returns the peer's value divided by the engine's, if both are there."""
        both = peer in self.rows and engine in self.rows
        return value(self.rows[peer]) / value(self.rows[engine]) if both else None

    def best(self, peers: Iterable[str]) -> str | None:
        """Returns the peer with the fewest cycles."""
        return min(
            (peer for peer in peers if peer in self.rows), key=lambda peer: cycles(self.rows[peer]), default=None
        )


def cases(rows: Iterable[Row]) -> list[Case]:
    """Returns the cases of rows: by operation, and then as they come."""
    found: dict[str, dict[str, Case]] = {}
    for row in rows:
        of_op = found.setdefault(str(row["op"]), {})
        case = of_op.setdefault(str(row["case"]), Case(str(row["case"]), str(row["op"]), {}))
        case.rows[str(row["engine"])] = row
    return [case for of_op in found.values() for case in of_op.values()]


def together(rows: Iterable[Row]) -> list[Case]:
    """Returns cases of both directions: an engine's row is that of writing, with the cycles of both, and of each. Only
    engines that did both are in it."""
    ways: dict[str, dict[str, dict[str, Row]]] = {}
    for case in cases(rows):
        ways.setdefault(case.case, {})[case.op] = case.rows
    found = []
    for name, way in ways.items():
        write, read = (way.get(op, {}) for op in WRITE_FIRST)
        both = {
            engine: row
            | {"cycles": cycles(row) + cycles(read[engine]), "write": cycles(row), "read": cycles(read[engine])}
            for engine, row in write.items()
            if engine in read
        }
        if both:
            found.append(Case(name, "both", both))
    return found


def at(key: str) -> Value:
    """Returns the value under a key of a row, or None; of another record, its attribute. `a>b`: b of what a has."""
    first, _, rest = key.partition(">")
    if rest:
        return lambda record: None if (found := at(first)(record)) is None else at(rest)(found)
    return lambda record: record.get(first) if isinstance(record, dict) else getattr(record, first)


def cycles(row: Row) -> int:
    return int(row["cycles"])


def select(
    suite: str,
    ops: Sequence[str] = (),
    engines: Sequence[str] = (),
    prefix: str | tuple[str, ...] = "",
    where: Callable[[Row], bool] | None = None,
    machine: str = "",
) -> Callable[[Store], list[Row]]:
    """Returns a selection of the rows that count, in the order of `ops`. prefix: of their cases."""

    def rows(store: Store) -> list[Row]:
        found = [
            row
            for row in store.rows(suite, machine)
            if (not ops or row["op"] in ops)
            and (not engines or row["engine"] in engines)
            and str(row["case"]).startswith(prefix)
            and (where is None or where(row))
        ]
        return sorted(found, key=lambda row: ops.index(str(row["op"]))) if ops else found

    return rows


def points(rows: Iterable[Row], x: Value, y: Value, name: Value = at("engine")) -> dict[str, list[tuple[float, float]]]:
    """Returns the points of lines by name, of the rows that have both."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if x(row) and y(row):
            found.setdefault(str(name(row)), []).append((x(row), y(row)))
    return found

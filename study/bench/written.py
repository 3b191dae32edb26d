"""Writes the rows of a suite, build/bench/<suite>.jsonl, with the slopes of its sweeps beside them, and checks its
bars."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Iterable

from base.errors import HeapwireError
from heapwire.measure.journal import stem
from heapwire.measure.rows import Row, in_name_only
from study.bench import bars, limits
from study.bench.kept import replace
from study.bench.rows import slopes

MISSED = "bar missed: "
"""Prefix of a problem that concerns a bar alone. The rows are right."""


@dataclass(frozen=True)
class Measurement:
    """A measured suite. file: of its rows. suites: its rows and those that were measured earlier, for its bars.
    lacking: expected rows that are missing, as text."""

    suite: str
    file: Path
    rows: list[Row]
    suites: bars.Suites
    results: list[bars.Result] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """The reasons why a measurement does not count: wrong, absent or software-finished rows, and missed bars."""

        def named(rows: Iterable[Row], what: str) -> list[str]:
            return [f"{what}: {row['case']}, {row['op']} ({row['engine']})" for row in rows]

        return [
            *named((row for row in self.rows if not row["ok"]), "wrong or incomplete"),
            *named(filter(in_name_only, self.rows), "finished by software"),
            *(f"not measured: {name}" for name in self.lacking),
            *(f"{MISSED}{text}" for text in bars.missed(self.results, self.rows)),
        ]


def _machine(row: Row) -> str:
    return stem("", str(row["config"]), int(row["port_bytes_per_cycle"]))


def rows_in(path: Path, whole: bool = True) -> list[Row]:
    """Returns the rows of a file. Raises HeapwireError if a line is damaged: a page must not lack it, and a bar may
    need it. whole: the last line counts, too, even if a crash has truncated it."""
    lines = path.read_bytes().splitlines(keepends=True)
    rows = []
    for number, line in enumerate((line for line in lines if whole or line.endswith(b"\n")), 1):
        try:
            row = json.loads(line)
            row["case"], row["op"], row["engine"], row["cycles"], row["ok"]
        except (ValueError, KeyError, TypeError) as error:
            raise HeapwireError(
                f"{path}:{number} is no row of a bench ({error}): measure the suite again, or move the file away"
            ) from error
        rows.append(row)
    return rows


def _earlier(folder: Path, machine: str) -> bars.Suites:
    """Returns earlier measurements: suites of the same machine by their names, those of other machines with the
    machine's name appended."""
    suites: bars.Suites = {}
    for path in folder.glob("*.jsonl"):
        name, rows = path.stem, rows_in(path, whole=False)
        here = bool(rows) and (_machine(rows[0]) == machine or "@" not in name and not machine)
        suites[name.partition("@")[0] if here else name if "@" in name else f"{name}@"] = rows
    return suites


def write(
    suite: str,
    rows: list[Row],
    folder: Path,
    measures: bool = True,
    lacking: Iterable[str] = (),
    machine: str | None = None,
) -> Measurement:
    """Writes the rows. measures: whether the suite's bars are meant for this machine. lacking: expected rows that are
    missing. machine: suffix of the files' names, if it does not follow from the first row, as for a suite of several
    machines."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = _machine(rows[0]) if machine is None else machine
    file = folder / f"{suite}{machine}.jsonl"
    replace(file, "".join(json.dumps(row) + "\n" for row in rows))
    if fitted := slopes(rows):
        file.with_suffix(".slopes.json").write_text(json.dumps([asdict(line) for line in fitted], indent=1) + "\n")
    suites = {**_earlier(folder, machine), suite: rows}
    held = limits.of_suite(suite) if measures else []
    results = [result for bar in held if (result := bars.check(bar, suites))]
    return Measurement(suite, file, rows, suites, results, bars.unmeasured(held, results), list(lacking))

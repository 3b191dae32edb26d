"""Rows on disk: stored as they are measured, with a description of what was measured, so that a stopped bench can go
on; and, at its end, as a page."""

from __future__ import annotations

import errno
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

from base.errors import HeapwireError
from heapwire.measure.rows import Row, in_name_only

Key = tuple[str, str, str]
"""Case, operation and engine of a row."""


def key_of(row: Row) -> Key:
    """Returns the key of a row within its suite."""
    return str(row["case"]), str(row["op"]), str(row["engine"])


def _flat(document: dict, prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in document.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


class Journal:
    """The rows of one bench of one machine, one line each in `path`. They are on the disk when `append` returns.

    identity: the machine, schemas and messages of all rows, as JSON. It is kept in `<name>.state.json`. resume: keeps
    the existing rows and goes on. Without it the existing rows move to `<name>.jsonl.old`, and the bench starts over.
    Raises HeapwireError if the existing rows have another identity, or are damaged anywhere but in the last line, which
    a crash may have truncated."""

    def __init__(self, path: Path, identity: dict, resume: bool) -> None:
        self.path, self.state = path, path.with_suffix(".state.json")
        self.rows: dict[Key, Row] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if resume and path.is_file():
            self._compare(identity)
            self._read()
        else:
            if path.is_file():
                os.replace(path, path.with_suffix(".jsonl.old"))
            self.state.write_text(json.dumps(identity, indent=1) + "\n")
        self.file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def _compare(self, identity: dict) -> None:
        try:
            before = json.loads(self.state.read_text())
        except (OSError, json.JSONDecodeError) as error:
            raise HeapwireError(
                f"{self.path} cannot be resumed: {self.state} does not say what its rows belong to ({error}); "
                "begin anew without --resume"
            ) from error
        ours, theirs = _flat(identity), _flat(before)
        other = [
            f"{name} was {theirs.get(name)}, is {ours.get(name)}"
            for name in {**theirs, **ours}
            if ours.get(name) != theirs.get(name)
        ]
        if other:
            raise HeapwireError(
                f"the rows in {self.path} are of another machine or of other messages, and are not mixed with these: "
                f"{'; '.join(other[:5])}. Give another --name, or begin anew without --resume"
            )

    def _read(self) -> None:
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if whole != content:
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._enter(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise HeapwireError(
                    f"{self.path}:{number} is damaged ({error}); begin anew without --resume"
                ) from error

    def _enter(self, row: Row) -> None:
        if key_of(row) in self.rows:
            raise ValueError(f"a second row of {', '.join(key_of(row))}")
        self.rows[key_of(row)] = row

    def append(self, row: Row) -> None:
        """Adds a row. Raises ValueError if it exists already, HeapwireError if it cannot be written to the disk."""
        self._enter(row)
        line = (json.dumps(row) + "\n").encode()
        try:
            if os.write(self.file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self.file)
        except OSError as error:
            del self.rows[key_of(row)]  # the row is not on the disk
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise HeapwireError(
                f"{self.path}: {'the disk is full' if full else f'a row cannot be written: {error.strerror}'}"
            ) from error

    def close(self) -> None:
        """Closes the file."""
        os.close(self.file)


SOFTWARE = ("nanopb", "table")


@dataclass(frozen=True)
class Measurement:
    """What was measured: its rows, its page, and its problems as text."""

    rows: list[Row]
    page: Path
    problems: list[str]


def stem(suite: str, config: str, port_bytes: int) -> str:
    """Returns the base name of a suite's files, followed by the machine's name unless it is the default machine."""
    machine = f"{config}-{8 * port_bytes}"
    return suite if machine == "default-128" else f"{suite}@{machine}"


def write_page(rows_file: Path, rows: list[Row], absent: Iterable[Key], method: str) -> Measurement:
    """Writes the page beside the file of rows. absent: keys of expected rows that are missing. method: how the rows
    were measured."""
    missing = [f"not measured: {case}, {operation} ({engine})" for case, operation, engine in absent]
    wrong = [
        f"{what}: {row['case']}, {row['op']} ({row['engine']})"
        for what, is_so in (("wrong or incomplete", lambda row: not row["ok"]), ("finished by software", in_name_only))
        for row in rows
        if is_so(row)
    ]
    first = rows[0]
    text = [
        f"# {first['suite']}\n\nConfiguration `{first['config']}`, memory port {first['port_bytes_per_cycle']} bytes a "
        f"cycle. {method}\n",
        *(_table(operation, [row for row in rows if row["op"] == operation]) for operation in _each(rows, "op")),
        *(
            [f"## Not measured or wrong\n\n{''.join(f'- {line}' + chr(10) for line in missing + wrong)}"]
            if missing + wrong
            else []
        ),
    ]
    page = rows_file.with_suffix(".md")
    page.write_text("\n".join(text))
    return Measurement(rows, page, wrong + missing)


def _each(rows: list[Row], key: str) -> list[str]:
    return list(dict.fromkeys(str(row[key]) for row in rows))


def _table(operation: str, rows: list[Row]) -> str:
    """Returns the cycles of each case by each engine, and how many times the unit is faster than the best software."""
    engines = _each(rows, "engine")
    cases: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        cases[str(row["case"])][str(row["engine"])] = row
    lines = [["case", "wire bytes", *engines, "over the best software"], ["---", *["---:"] * (len(engines) + 2)]]
    for case, found in cases.items():
        software = [int(row["cycles"]) for name, row in found.items() if name in SOFTWARE and row["ok"]]
        unit = found.get("hw")
        counts = unit and unit["ok"] and not in_name_only(unit) and software
        lines.append(
            [
                case,
                f"{next(iter(found.values()))['wire_bytes']:,}",
                *(
                    f"{found[name]['cycles']:,}" + "*" * in_name_only(found[name]) if name in found else ""
                    for name in engines
                ),
                f"{min(software) / int(unit['cycles']):.1f}" if counts else "",
            ]
        )
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    remark = "\n\\* software finished commands, because the unit could not.\n" if any(map(in_name_only, rows)) else ""
    return f"## {operation}\n\n{table}{remark}"

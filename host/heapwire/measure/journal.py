"""Stores rows on disk as they are measured, with a description of what was measured, so that a stopped bench can go
on."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

from base.errors import HeapwireError
from heapwire.measure.rows import Row

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

"""Rows on disk as they are taken, and beside them what they were taken of, so that a bench goes on where it stopped."""
from __future__ import annotations

import errno
import json
import os
from pathlib import Path

from heapwire.bench.rows import Row
from heapwire.errors import HeapwireError

Key = tuple[str, str, str]
"""Case, operation and engine of a row."""


def key_of(row: Row) -> Key:
    """Which row of its suite it is."""
    return str(row["case"]), str(row["op"]), str(row["engine"])


def _flat(document: dict, prefix: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in document.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


class Journal:
    """The rows of one bench of one machine: `path`, a line each. They are on the disk when `append` returns.

    identity: what all rows are of (machine, schemas, messages), as JSON: it is kept in `<name>.state.json`. resume: goes on
    with the rows that are there, else they are kept in `<name>.jsonl.old` and it begins anew. Raises HeapwireError if what
    is there was taken of something else, or is damaged other than in its last line, which a crash may have cut."""

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
            raise HeapwireError(f"{self.path} cannot be resumed: {self.state} does not tell what its rows are of ({error}); "
                                "begin anew without --resume") from error
        ours, theirs = _flat(identity), _flat(before)
        other = [f"{name} was {theirs.get(name)}, is {ours.get(name)}" for name in {**theirs, **ours} if ours.get(name) != theirs.get(name)]
        if other:
            raise HeapwireError(f"the rows in {self.path} are of another machine or of other messages, and are not mixed with these: "
                                f"{'; '.join(other[:5])}. Give another --name, or begin anew without --resume")

    def _read(self) -> None:
        content = self.path.read_bytes()
        whole = content[:content.rfind(b"\n") + 1]
        if whole != content:
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._enter(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise HeapwireError(f"{self.path}:{number} is damaged ({error}); begin anew without --resume") from error

    def _enter(self, row: Row) -> None:
        if key_of(row) in self.rows:
            raise ValueError(f"a second row of {', '.join(key_of(row))}")
        self.rows[key_of(row)] = row

    def append(self, row: Row) -> None:
        """Adds a row; raises ValueError if it is there already, HeapwireError if the disk does not take it."""
        self._enter(row)
        line = (json.dumps(row) + "\n").encode()
        try:
            if os.write(self.file, line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self.file)
        except OSError as error:
            del self.rows[key_of(row)]  # it is not there
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            raise HeapwireError(f"{self.path}: {'the disk is full' if full else f'a row cannot be written: {error.strerror}'}") from error

    def close(self) -> None:
        """Closes the file."""
        os.close(self.file)

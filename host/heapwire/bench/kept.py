"""Rows of runs that have ended, on disk, so that a suite which was stopped, or whose code has changed in a part, goes on with what is still true."""
from __future__ import annotations

import json
import re
from pathlib import Path

from heapwire.bench.rows import Row


class Kept:
    """A folder with a file for each run of a job: its identity, and the rows. A job that was measured as it was before has a file of that, too: a quick report
    does not forget a whole one's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, name: str, mark: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}-{mark[:16]}.json"

    def find(self, name: str, mark: str) -> list[Row] | None:
        """The rows of the job, if they are there and of this identity. A file that is damaged counts as absent."""
        try:
            document = json.loads(self._file(name, mark).read_text())
            return document["rows"] if document["identity"] == mark else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, name: str, mark: str, rows: list[Row]) -> None:
        """Keeps them; the file is there as a whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._file(name, mark)
        new = file.with_suffix(".new")
        new.write_text(json.dumps({"identity": mark, "rows": rows}) + "\n")
        new.replace(file)

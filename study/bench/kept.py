"""Keeps the rows of finished runs on disk. A suite that was stopped, or whose code has partly changed, reuses the rows
that are still valid."""

import json
import re
from pathlib import Path

from heapwire.measure.rows import Row


def replace(path: Path, text: str) -> None:
    """Replaces a file in one step, so that no reader sees a partial one."""
    new = path.with_suffix(path.suffix + ".new")
    new.write_text(text)
    new.replace(path)


class Kept:
    """A folder with one file for each run of a job, with its identity and rows. A job has a file for each identity, so
    that a quick report does not forget the rows of a whole one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, name: str, mark: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}-{mark[:16]}.json"

    def find(self, name: str, mark: str) -> list[Row] | None:
        """Returns the rows of the job with this identity, or None. A damaged file counts as absent."""
        try:
            document = json.loads(self._file(name, mark).read_text())
            return document["rows"] if document["identity"] == mark else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, name: str, mark: str, rows: list[Row]) -> None:
        """Keeps the rows. The file exists as a whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        replace(self._file(name, mark), json.dumps({"identity": mark, "rows": rows}) + "\n")

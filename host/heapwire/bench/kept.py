"""Rows of runs that have ended, on disk, so that a suite which was stopped, or whose code has changed in a part, goes on with what is still true."""
from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Sequence

from heapwire.bench.rows import Row
from heapwire.simulation import Parts, module


def identity(image: Path, parts: Parts, loads: Sequence[tuple[int, bytes]]) -> str:
    """What a run's rows follow from: the program, what is loaded beside it, the simulator and its ROM. Runs repeat exactly, so equal ones have equal rows."""
    build = module().Build.of(**parts.choice)
    found = hashlib.sha256()
    for file in (image, build.binary, *sorted(build.soc.glob("*.init"))):
        content = file.read_bytes() if file.is_file() else b""
        found.update(f"{file.name} {len(content)}\n".encode() + content)
    for address, content in loads:
        found.update(f"{address:#x} {len(content)}\n".encode() + content)
    return found.hexdigest()


class Kept:
    """A folder with a file for each job: the identity of its run, and the rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def _file(self, name: str) -> Path:
        return self.folder / (re.sub(r"[^\w.-]+", "_", name) + ".json")

    def find(self, name: str, mark: str) -> list[Row] | None:
        """The rows of the job, if they are there and of this identity. A file that is damaged counts as absent."""
        try:
            document = json.loads(self._file(name).read_text())
            return document["rows"] if document["identity"] == mark else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, name: str, mark: str, rows: list[Row]) -> None:
        """Puts them in the place of what was kept of the job; the file is there as a whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self._file(name)
        new = file.with_suffix(".new")
        new.write_text(json.dumps({"identity": mark, "rows": rows}) + "\n")
        new.replace(file)

"""The revision of this repository, which rows name so that a reader can repeat them."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from heapwire.interface import REPOSITORY

DIRTY = "-dirty"
"""Ends the name if a tracked file was changed."""


@cache
def revision(root: Path = REPOSITORY) -> str:
    """Returns the commit that is checked out, in eight digits or more, with `-dirty` if a tracked file was changed;
    `unknown` outside a Git repository."""
    command = ["git", "describe", "--always", "--exclude=*", "--abbrev=8", f"--dirty={DIRTY}"]
    try:
        found = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return found.stdout.strip() or "unknown"

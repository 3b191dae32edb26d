"""Builds workers as host programs with ASan and UBSan."""

import subprocess
from pathlib import Path

import pytest

from heapwire import interface as interface_module

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def build(sources: Path, out: Path) -> Path:
    command = [
        "make",
        "--no-print-directory",
        "-j2",
        "-C",
        str(sources),
        f"GEN={interface_module.load().path.resolve().parent}",
        f"CLASSES={ROOT / 'build' / 'classes'}",
        f"OUT={out}",
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return out / "worker"


@pytest.fixture(scope="session")
def worker() -> Path:
    """Returns the program of one worker of several. Each two workers share a socket."""
    return build(HERE / "host", ROOT / "build" / "test" / "programs")


@pytest.fixture(scope="session")
def machine() -> Path:
    """Returns the program of one machine of two, which share a line."""
    return build(ROOT / "firmware" / "programs" / "skyway" / "host", ROOT / "build" / "test" / "programs-skyway")

"""Builds the codec and the driver as host programs with ASan and UBSan."""

import os
import secrets
import subprocess
from pathlib import Path

import pytest

from heapwire import interface as interface_module

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="session")
def interface():
    return interface_module.load()


@pytest.fixture(scope="session")
def programs(interface) -> Path:
    """Returns the folder of the programs: script, cases."""
    out = ROOT / "build" / "test" / "cereal"
    command = [
        "make",
        "--no-print-directory",
        "-j2",
        "-C",
        str(HERE / "host"),
        f"GEN={interface.path.resolve().parent}",
        f"OUT={out}",
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return out


@pytest.fixture(scope="session")
def full() -> bool:
    """Returns whether `make test-full` runs."""
    return bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Returns HEAPWIRE_SEED, or a new one every time. A failure prints it."""
    return int(os.environ.get("HEAPWIRE_SEED") or secrets.randbelow(1 << 31))

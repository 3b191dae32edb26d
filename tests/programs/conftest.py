"""Builds a worker as a host program with ASan and UBSan."""
import subprocess
from pathlib import Path

import pytest

from heapwire import interface as interface_module

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="session")
def worker() -> Path:
    """The program."""
    interface, out = interface_module.load(), ROOT / "build" / "test" / "programs"
    command = ["make", "--no-print-directory", "-j2", "-C", str(HERE / "host"), f"GEN={interface.path.resolve().parent}",
               f"CLASSES={ROOT / 'build' / 'classes'}", f"OUT={out}"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return out / "worker"


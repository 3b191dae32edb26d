import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def programs():
    """Returns the folder of the host programs: serial, memory."""
    out = ROOT / "build" / "test" / "boot" / "host"
    subprocess.run(
        ["make", "--no-print-directory", "-s", "-C", ROOT / "tests" / "boot" / "host", f"OUT={out}"], check=True
    )
    return out

import subprocess

import pytest

from base.repository import ROOT


@pytest.fixture(scope="session")
def programs():
    """Returns the folder of the host programs: serial, memory."""
    out = ROOT / "build" / "test" / "boot" / "host"
    subprocess.run(
        ["make", "--no-print-directory", "-s", "-C", ROOT / "tests" / "boot" / "host", f"OUT={out}"], check=True
    )
    return out

"""Builds Skyway as host programs with ASan and UBSan."""

import re
from pathlib import Path

import pytest

from heapwire.records.status import DriverStatus, SkywayStatus
from heapwire.skyway.cluster import parse, write_files
from tests.common.built import OUT, classes, host_programs
from tests.common.fixtures import full, interface, seed  # noqa: F401

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CODEC = ROOT / "firmware" / "skyway"


def example() -> str:
    """Returns the format file of docs/howto/heap_formats.md."""
    page = (ROOT / "docs" / "howto" / "heap_formats.md").read_text()
    return re.search(r"^```toml\n(.*?)^```", page, re.M | re.S).group(1)


@pytest.fixture(scope="session")
def programs() -> Path:
    """Returns the folder of the programs `node`, `cases` and, for the heaps of the page's example, `formats`."""
    heaps = OUT / "heaps"
    write_files(parse(example(), "cluster.toml"), heaps)
    return host_programs(HERE / "host", CLASSES=classes(), HEAPS=heaps)


@pytest.fixture(scope="session")
def status(interface) -> dict[str, int]:
    """Returns status codes by name: HW_STATUS_* and HW_SKYWAY_*, without their prefix."""
    return {**interface.status, **DriverStatus.__members__, **SkywayStatus.__members__}

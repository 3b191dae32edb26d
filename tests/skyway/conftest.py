"""Builds Skyway as host programs with ASan and UBSan."""

import re
from pathlib import Path

import pytest

from heapwire.skyway.cluster import parse
from heapwire.skyway.table import write_files
from tests.common.built import OUT, classes, host_programs
from tests.common.fixtures import full, interface, seed  # noqa: F401
from tests.common.headers import c_enum

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
    drivers = c_enum((CODEC.parent / "units" / "status.h").read_text(), "hw_driver_status")
    own = c_enum((CODEC / "status.h").read_text(), "hw_skyway_status")
    names = {name.removeprefix("HW_STATUS_"): code for name, code in drivers.items()}
    return {**interface.status, **names, **{name.removeprefix("HW_SKYWAY_"): code for name, code in own.items()}}

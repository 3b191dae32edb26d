"""Builds Skyway as host programs with ASan and UBSan."""

from pathlib import Path

import pytest
from programs import build

from heapwire.records.status import DriverStatus, SkywayStatus
from tests.common.fixtures import full, interface, seed  # noqa: F401

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CODEC = ROOT / "firmware" / "skyway"


@pytest.fixture(scope="session")
def programs() -> Path:
    return build()


@pytest.fixture(scope="session")
def status(interface) -> dict[str, int]:
    """Returns status codes by name: HW_STATUS_* and HW_SKYWAY_*, without their prefix."""
    return {**interface.status, **DriverStatus.__members__, **SkywayStatus.__members__}

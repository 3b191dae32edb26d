"""Builds the codec and the driver as host programs with ASan and UBSan."""

import os
import secrets
from pathlib import Path

import pytest

from heapwire import interface as interface_module
from tests.common.built import programs_of

programs = programs_of(Path(__file__).parent / "host")


@pytest.fixture(scope="session")
def interface():
    return interface_module.load()


@pytest.fixture(scope="session")
def full() -> bool:
    """Returns whether `make test-full` runs."""
    return bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Returns HEAPWIRE_SEED, or a new one every time. A failure prints it."""
    return int(os.environ.get("HEAPWIRE_SEED") or secrets.randbelow(1 << 31))

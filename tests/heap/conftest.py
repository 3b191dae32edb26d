"""Builds the heap as host programs with ASan and UBSan."""

import os
import secrets
from pathlib import Path

import pytest

from tests.common.built import programs_of

programs = programs_of(Path(__file__).parent / "host")


@pytest.fixture(scope="session")
def full() -> bool:
    """Returns whether `make test-full` runs."""
    return bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Returns the seed of the random steps: HEAPWIRE_SEED, or a new one every time."""
    return int(os.environ.get("HEAPWIRE_SEED") or secrets.randbelow(1 << 31))

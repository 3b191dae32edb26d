"""Fixtures that several suites import into their conftest.py."""

import os
import secrets

import pytest

from heapwire import interface as interface_module


@pytest.fixture(scope="session")
def interface():
    """Returns the content of heapwire.json, which `make verilog` generates with heapwire.h beside it."""
    return interface_module.load()


@pytest.fixture(scope="session")
def full() -> bool:
    """Returns whether `make test-full` runs."""
    return bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session")
def seed() -> int:
    """Returns HEAPWIRE_SEED, or a new seed every time. A failure prints it."""
    return int(os.environ.get("HEAPWIRE_SEED") or secrets.randbelow(1 << 31))

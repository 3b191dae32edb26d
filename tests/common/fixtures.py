"""Fixtures that several suites import into their conftest.py, and what says that something is refused."""

import os
import secrets

import pytest
from click.testing import CliRunner

from base.errors import HeapwireError
from heapwire import cli
from heapwire import interface as interface_module


def invoke(*arguments):
    """Runs a command of heapwire in this process."""
    return CliRunner().invoke(cli.cli, list(map(str, arguments)), catch_exceptions=False)


def refused(told: str):
    """Expects an error for the user whose text has a match of `told`."""
    return pytest.raises(HeapwireError, match=told)


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

"""Fixtures of the unit harness's tests."""
import os

import pytest

from heapwire import interface as interface_module
from sim.unit.build import build
from sim.unit.deserializer import Unit

FULL = bool(os.environ.get("HEAPWIRE_FULL"))


@pytest.fixture(scope="session")
def interface():
    """heapwire.json, which `make verilog` generates."""
    return interface_module.load()


@pytest.fixture(scope="session", params=[128, 64, 32] if FULL else [128])
def program(request):
    """The harness for one memory width; all widths in the full tests."""
    return build(request.param)


@pytest.fixture
def unit(program):
    """A fresh unit."""
    unit = Unit(program)
    yield unit
    unit.close()

"""Fixtures of the unit harness's tests."""
import os
import zlib

import pytest

from heapwire import interface as interface_module
from sim.unit.build import build
from sim.unit.process import Unit

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
WIDTHS = [128, 64, 32] if FULL else [128]
ENGINE_WIDTHS = [128, 64, 32] if FULL else [128, 32]


@pytest.fixture(scope="session")
def interface():
    """heapwire.json, which `make verilog` generates."""
    return interface_module.load()


@pytest.fixture(scope="session", params=WIDTHS)
def width(request):
    """Bits of memory's port; all widths in the full tests."""
    return request.param


@pytest.fixture
def wide_port(width):
    """For tests of how many cycles something takes: that is promised of a port of 128 bits."""
    if width != 128:
        pytest.skip("a narrow port takes longer")


@pytest.fixture(scope="session", params=ENGINE_WIDTHS)
def program(request):
    """The engine's harness: at the width of `default`, with field instructions, and of `tiny`, without; at all widths in the full tests."""
    return build(request.param, "Engine", "fields" if request.param == 128 else "")


@pytest.fixture
def seed_of(request) -> int:
    """A test's own, the same each time."""
    return 1 + zlib.crc32(request.node.nodeid.encode()) % 0x7FFF_FFFE


@pytest.fixture
def unit(program, seed_of):
    """A fresh engine; where messages are written, too, the one that reads."""
    unit = Unit(program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def serializer(program, seed_of):
    """A fresh engine; it writes."""
    unit = Unit(program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def natives():
    """Takes schemas of C structs (native.py); their judges end with the test."""
    taken = []

    def take(native):
        taken.append(native)
        return native
    yield take
    for native in taken:
        native.judge.close()

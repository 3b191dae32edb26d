"""Fixtures: engines with the program of upb's messages, or of Go's structs, in the slot."""

import zlib

import pytest

from heapwire import interface as interface_module
from sim.unit.build import build
from sim.unit.process import Unit
from tests.unit.harness import loadable


@pytest.fixture(scope="session")
def interface():
    return interface_module.load()


@pytest.fixture(scope="session", params=[128, 32])
def program(request):
    """Builds the engine's harness, as tests/unit does."""
    return build(request.param, "Engine", "fields" if request.param == 128 else "")


@pytest.fixture
def model():
    """Returns the model that is in the slot."""
    return "upb"


@pytest.fixture
def engines(program, interface, model, request):
    """Returns two engines, one that reads and one that writes."""
    Unit.interface = interface
    seed = 1 + zlib.crc32(request.node.nodeid.encode()) % 0x7FFF_FFFE
    units = [Unit(program, seed) for _ in range(2)]
    for unit in units:
        for word in loadable(program, model):
            unit.register(interface.registers["PROTOBUF_PROGRAM"], word)
    yield units
    for unit in units:
        unit.close()

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
    """Returns heapwire.json, which `make verilog` generates."""
    return interface_module.load()


@pytest.fixture(scope="session", autouse=True)
def units_know_the_interface(interface):
    Unit.interface = interface


@pytest.fixture(scope="session", params=WIDTHS)
def width(request):
    """Returns the bits of memory's port. The full tests use all widths."""
    return request.param


@pytest.fixture
def wide_port(width):
    """Skips tests of cycle counts unless the port has 128 bits. The promised counts hold for that width."""
    if width != 128:
        pytest.skip("a narrow port takes longer")


@pytest.fixture(scope="session", params=ENGINE_WIDTHS)
def program(request):
    """Builds the engine's harness at the width of `default`, with field instructions, and at that of `tiny`, without.
    The full tests use all widths."""
    return build(request.param, "Engine", "fields" if request.param == 128 else "")


def round_of_cases() -> int:
    """Returns the round of `endless`. In each round the tests have other random cases."""
    return int(os.environ.get("HEAPWIRE_ROUND", "0"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item) -> None:
    if "seed" in item.funcargs:
        item.funcargs["seed"] += round_of_cases() * 1_000_000


@pytest.fixture
def seed_of(request) -> int:
    """Returns a seed that differs from test to test and is the same each time, within a round."""
    return 1 + (zlib.crc32(request.node.nodeid.encode()) + round_of_cases()) % 0x7FFF_FFFE


@pytest.fixture
def unit(program, seed_of):
    """Returns a fresh engine. In tests that also write messages, it is the one that reads."""
    unit = Unit(program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def serializer(program, seed_of):
    """Returns a fresh engine, which writes."""
    unit = Unit(program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def natives():
    """Returns a function that takes schemas of C structs (native.py). Their judges end with the test."""
    taken = []

    def take(native):
        taken.append(native)
        return native

    yield take
    for native in taken:
        native.judge.close()


@pytest.fixture(scope="module", params=["skyway"] + (["", "vanilla"] if FULL else []))
def writing_program(request, width):
    """Builds the harness of Cereal's serialization unit. The full tests use all of its kinds."""
    return build(width, "SerializationUnit", request.param)


@pytest.fixture
def writing_unit(writing_program, seed_of):
    """Returns a fresh serialization unit of Cereal, pipelined or not."""
    unit = Unit(writing_program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def fast(width, wide_port, seed_of):
    """Returns a serialization unit of which cycle counts are promised."""
    unit = Unit(build(width, "SerializationUnit", "skyway"), seed_of)
    yield unit
    unit.close()

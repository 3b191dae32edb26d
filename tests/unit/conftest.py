"""Fixtures of the unit harness's tests."""
import os
import zlib

import pytest

from heapwire import interface as interface_module
from sim.unit.build import build
from sim.unit.process import Unit

FULL = bool(os.environ.get("HEAPWIRE_FULL"))
WIDTHS = [128, 64, 32] if FULL else [128]
READERS = [("Deserializer", width) for width in WIDTHS] + [("Engine", width) for width in (WIDTHS if FULL else [32])]
WRITERS = [("Serializer", width) for width in WIDTHS] + [("Engine", width) for width in (WIDTHS if FULL else [128, 32])]


def name_of(unit) -> str:
    """Of a reader or writer in a test's name."""
    return f"{unit[0]}-{unit[1]}"


def harness(unit):
    """That of a reader or writer. The engine has the field instructions at the width at which configurations have both."""
    name, width = unit
    return build(width, name, "fields" if unit == ("Engine", 128) else "")


@pytest.fixture(scope="session")
def interface():
    """heapwire.json, which `make verilog` generates."""
    return interface_module.load()


@pytest.fixture(scope="session", params=WIDTHS)
def width(request):
    """Bits of memory's port; all widths in the full tests."""
    return request.param


@pytest.fixture(scope="session", params=READERS, ids=name_of)
def reader(request):
    """What reads messages, and bits of memory's port; the engine at the width of `tiny`, all widths in the full tests."""
    return request.param


@pytest.fixture
def wide_port(width):
    """For tests of how many cycles something takes: that is promised of a port of 128 bits."""
    if width != 128:
        pytest.skip("a narrow port takes longer")


@pytest.fixture
def wide_reader(reader):
    """The same of what reads messages: the deserializer's are promised."""
    if reader != ("Deserializer", 128):
        pytest.skip("the engine, or a narrow port, takes longer")


# The two below are made anew for each test: files have a `writer` of their own, and pytest does not
# end what was made with one of them when a test asks for another.

@pytest.fixture
def program(reader):
    """The harness of what reads messages."""
    return harness(reader)


@pytest.fixture
def wide_writer(writer):
    """The same of what writes messages: the serializer's are promised."""
    if writer != ("Serializer", 128):
        pytest.skip("the engine, or a narrow port, takes longer")


@pytest.fixture(scope="session")
def writer(reader):
    """What writes messages, and bits of memory's port: in tests that read, too, what belongs to the reader. Tests of writing alone take WRITERS."""
    return "Engine" if reader[0] == "Engine" else "Serializer", reader[1]


@pytest.fixture
def serializer_program(writer):
    """The harness of what writes messages."""
    return harness(writer)


@pytest.fixture
def seed_of(request) -> int:
    """A test's own, the same each time."""
    return 1 + zlib.crc32(request.node.nodeid.encode()) % 0x7FFF_FFFE


@pytest.fixture
def unit(program, seed_of):
    """A fresh deserializer."""
    unit = Unit(program, seed_of)
    yield unit
    unit.close()


@pytest.fixture
def serializer(serializer_program, seed_of):
    """A fresh serializer."""
    unit = Unit(serializer_program, seed_of)
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

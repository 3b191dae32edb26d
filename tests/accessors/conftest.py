"""Fixtures: the interface, and drivers of the schemas in protos/."""

from pathlib import Path

import pytest

from heapwire.schema import compile_proto
from tests.accessors.driver import Driver
from tests.common.fixtures import interface  # noqa: F401

PROTOS = Path(__file__).parent / "protos"


@pytest.fixture(scope="session")
def driver(interface):
    """Returns a function that returns the driver of a .proto file, given its path below protos/."""
    made = {}

    def make(name):
        if name not in made:
            proto = PROTOS / name
            made[name] = Driver(proto.stem, compile_proto(proto), interface)
        return made[name]

    return make

"""Builds the firmware's portable parts as host programs with ASan and UBSan."""

from pathlib import Path

import pytest

from heapwire import firmware
from heapwire import interface as interface_module
from heapwire.conformance import codec
from heapwire.plugin.generate import write_files
from heapwire.schema import Schema, compile_proto
from tests.common.built import OUT, host_programs
from tests.common.fixtures import interface  # noqa: F401

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def everything() -> Schema:
    """Returns a schema with every field type in every form."""
    return compile_proto(HERE / "everything.proto")


@pytest.fixture(scope="session")
def limits() -> Schema:
    """Returns the schema of the program `limits`."""
    return compile_proto(HERE / "limits.proto")


@pytest.fixture(scope="session")
def programs(everything, limits) -> Path:
    """Returns the folder of the programs of host/, with nanopb code for test.Everything, and of the codec."""
    out = OUT / "host" / "firmware"
    assert firmware.generate_peers(everything, ["test.Everything"], out / "peers")
    write_files(limits, out / "limits-generated", interface_module.load())
    host_programs(HERE / "host", out, PEERS=out / "peers", LIMITS=out / "limits-generated")
    return codec.build(interface_module.load(), out).parent

from pathlib import Path

import pytest

from base.repository import ROOT
from heapwire import firmware
from heapwire.schema import Schema, compile_proto
from study.bench import upb
from tests.common.built import OUT, host_programs
from tests.common.fixtures import interface  # noqa: F401


@pytest.fixture(scope="session")
def everything() -> Schema:
    """Returns a schema with every field type in every form."""
    return compile_proto(ROOT / "tests" / "firmware" / "everything.proto")


@pytest.fixture(scope="session")
def programs(everything) -> Path:
    """Returns the folder of the program `bench`, with nanopb code for test.Everything."""
    out = OUT / "host" / "study-firmware"
    assert firmware.generate_peers(everything, ["test.Everything"], out / "peers")
    described = upb.describe(everything, everything.type_names(), out / "upb")
    variables = {"PEERS": out / "peers", "UPB": upb.sources(), "UPB_TYPES": described}
    return host_programs(Path(__file__).parent / "host", out, PROGRAMS="bench", **variables)

"""Builds the firmware's portable parts as host programs with ASan and UBSan."""

import subprocess
from pathlib import Path

import pytest

from heapwire import firmware, simulation
from heapwire import interface as interface_module
from heapwire.conformance import twin
from heapwire.schema import Schema, compile_proto

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="session")
def interface():
    """Returns the content of heapwire.json, which `make verilog` generates with heapwire.h beside it."""
    return interface_module.load()


@pytest.fixture(scope="session")
def everything() -> Schema:
    """Returns a schema with every field type in every form."""
    return compile_proto(HERE / "everything.proto")


@pytest.fixture(scope="session")
def programs(interface, everything) -> Path:
    """Returns the folder of the programs: batch, codec, fuzz, units, monitor, bench (with nanopb code for
    test.Everything)."""
    out = ROOT / "build" / "test" / "firmware"
    peers = out / "peers"
    assert firmware.generate_peers(everything, ["test.Everything"], peers)
    command = [
        "make",
        "--no-print-directory",
        "-j2",
        "-C",
        str(HERE / "host"),
        f"GEN={interface.path.resolve().parent}",
        f"NANOPB={simulation.parts().nanopb.resolve()}",
        f"OUT={out}",
        f"PEERS={peers}",
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    twin.build(interface, out)
    return out

"""The device of the tests, for this host and for the SoC, and Pigweed's client."""

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest

from base import repository
from heapwire.interface import Interface
from heapwire.plugin.generate import write_files
from heapwire.program import run as program_run
from heapwire.program.program import read, schemas_of
from heapwire.schema import compile_schema
from heapwire.simulation import parts
from tests.common.built import OUT, host_programs
from tests.common.fixtures import full, interface, seed  # noqa: F401
from tests.rpc.names import SCENARIOS

HERE = Path(__file__).parent
PROTOS = [HERE / "protos" / f"{name}.proto" for name in ("records", "objects", "structs")]


@pytest.fixture(scope="session")
def server(interface: Interface) -> list[Path]:  # noqa: F811
    """Returns the command of the device on this host, with ASan and UBSan."""
    schemas, out = schemas_of(PROTOS), OUT / "host" / "rpc"
    write_files(schemas.schema, out / "made", interface)
    schemas.write_nanopb(out / "made")
    tables = out / "schema.bin"
    tables.write_bytes(compile_schema(schemas.roots, interface).blob)
    return [host_programs(HERE / "host", out, MADE=out / "made") / "server", tables]


def built(main: str, **machine) -> Path:
    sources = [HERE / f"{name}.c" for name in (main, "device", "objects", "structs")]
    return program_run.build(read(sources, PROTOS, None), print, print, parts(**machine))


@pytest.fixture(scope="session")
def image() -> Path:
    """Returns the device on the SoC."""
    return built("main")


@pytest.fixture(scope="session")
def udp_image() -> Path:
    """Returns the device on the SoC with a MAC."""
    return built("udp", ethernet=True)


@pytest.fixture(scope="session")
def pigweed() -> tuple[Path, Path]:
    """Returns the Python of Pigweed's environment, and the folder of what protoc makes there."""
    python = repository.cache() / "pigweed" / "bin" / "python"
    if not python.is_file():
        pytest.skip("Pigweed's RPC client is not here: make setup-pigweed fetches it")
    modules = OUT / "rpc"
    modules.mkdir(parents=True, exist_ok=True)
    compiler = [python, "-m", "grpc_tools.protoc", f"-I{HERE / 'protos'}", f"--python_out={modules}"]
    subprocess.run([*compiler, *PROTOS], check=True)
    return python, modules


@pytest.fixture(scope="session")
def scenarios(seed: int, pigweed):  # noqa: F811
    """Returns a function that has Pigweed's client run all scenarios, or some, against a device: `--port N`, `--udp IP`
    or a command. It returns what has failed, or None, by scenario. before: a command that runs another one."""
    python, modules = pigweed

    @cache
    def run(
        service: str, requests: int, faults: int, *device, names=tuple(SCENARIOS), before=()
    ) -> dict[str, str | None]:
        command = [
            *before,
            python,
            HERE / "scenarios.py",
            modules,
            service,
            seed,
            requests,
            faults,
            ",".join(names),
            *device,
        ]
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        return dict(map(json.loads, result.stdout.splitlines()))

    return run

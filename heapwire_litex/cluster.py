"""A cluster as Verilog, for a configuration and a memory: generated from the SpinalHDL sources, or found in a cache.

    python -m heapwire_litex.cluster --config tiny --data-width 32 --memory-mb 64      # prints its folder

The key of the cache is the content of the sources and the request. The cache is `$HEAPWIRE_CACHE`, or `heapwire` in the
user's cache folder. The sources are those of the repository if this package lies in one, or else those in the wheel.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
#: Configurations without parameters.
BASES = ("tiny", "default", "full", "single", "messages", "bare", "cereal", "cereal-vanilla", "skyway")
#: The parameters that may follow a base: units in each direction, entries of the memory access interface, KB of the
#: shared cache, cycles that the simulated board adds to reads of memory. The generator says which base has which, and
#: in what range.
PARAMETERS = "-xN, -eN, -kN, -lN"
#: Configurations that have a name among LiteX's variants.
CONFIGS = (*BASES, "cereal-x2", "cereal-x4", "cereal-x8", "skyway-x2")
#: Pins in tools.env on which the generated files depend.
PINS = ("MILL_VERSION", "SCALA_VERSION", "SPINALHDL_VERSION", "VEXRISCV_DATA_VERSION")
WIDTHS = (32, 64, 128)
MEGABYTE = 1 << 20


def is_config(name):
    """Returns whether `name` is a base, or a base and parameters."""
    return re.sub(r"(-x[1-9]\d*)?(-e[1-9]\d*)?(-k[1-9]\d*)?(-l[1-9]\d*)?$", "", name) in BASES


def no_config(name):
    """Returns what to say about a configuration that does not exist."""
    return f"no configuration {name!r}; there are {', '.join(BASES)}, and parameters may follow: {PARAMETERS}"


class ClusterDescription:
    """The generator's output in `directory`: Verilog and `heapwire.json`."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self.verilog = self.directory / "HeapwireCluster.v"
        description = self.directory / "heapwire.json"
        for file in (self.verilog, description):
            if not file.is_file():
                raise FileNotFoundError(f"{file} is missing; `make verilog` generates it")
        cluster = json.loads(description.read_text())["cluster"]
        self.config = cluster["config"]
        self.data_width = cluster["dataWidth"]
        self.memory_base = cluster["memoryBase"]
        self.memory_bytes = cluster["memoryBytes"]
        self.read_ports = cluster["dram"]["readPorts"]
        self.write_ports = cluster["dram"]["writePorts"]
        self.debug = cluster["debug"]
        self.unit_clock_divider = cluster["unitClockDivider"]
        self.unit_clocks = cluster["unitClocks"]
        self.added_latency = cluster["addedLatency"]


@dataclass(frozen=True)
class Request:
    """A request for a cluster. `dram_ports`: LiteDRAM ports in each direction."""

    config: str
    data_width: int
    memory_mb: int
    debug: str = "none"
    unit_clock_divider: int = 1
    dram_ports: int = 1

    def arguments(self):
        """Returns the generator's arguments, without the output folder."""
        return [
            "--config",
            self.config,
            "--data-width",
            str(self.data_width),
            "--memory-mb",
            str(self.memory_mb),
            "--debug",
            self.debug,
            "--unit-clock-divider",
            str(self.unit_clock_divider),
            "--dram-ports",
            str(self.dram_ports),
        ]


def sources():
    """Returns the folder of the generator's sources."""
    return PACKAGE.parent if (PACKAGE.parent / "build.sc").is_file() else PACKAGE / "generator"


def key(request, root):
    """Returns the name of a cluster in the cache."""
    content = hashlib.sha256(json.dumps(request.arguments()).encode())
    content.update(
        "".join(
            line for line in (root / "tools.env").read_text().splitlines(True) if line.split("=")[0] in PINS
        ).encode()
    )
    for path in [root / "build.sc", *sorted((root / "accel" / "src").rglob("*.scala"))]:
        content.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return f"{request.config}-{request.data_width}-{request.memory_mb}mb-{content.hexdigest()[:16]}"


def cache():
    """Returns the folder of the cache."""
    return Path(
        os.environ.get("HEAPWIRE_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "heapwire"
    ).resolve()


def obtain(request, say=lambda text: print(f"heapwire: {text}", file=sys.stderr, flush=True)):
    """Returns the cluster as a ClusterDescription. Raises RuntimeError if it is not cached and cannot be generated."""
    root = sources()
    folder = cache() / key(request, root)
    if not (folder / "heapwire.json").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder.parent / "lock"):
            if not (folder / "heapwire.json").is_file():
                say(f"generating {folder} (half a minute, the first time some minutes)")
                _generate(request, root, folder)
    return ClusterDescription(folder)


def _generate(request, root, folder):
    """Generates the cluster. `folder` gets either all of it or nothing."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        result = Path(scratch) / "cluster"
        command = [
            "make/mill",
            "accel.runMain",
            "heapwire.core.Generate",
            *request.arguments(),
            "--output",
            str(result),
        ]
        _run(command, *_workplace(root, folder.parent))
        if not (result / "heapwire.json").is_file():
            raise RuntimeError(f"{' '.join(command)} wrote no cluster")
        os.replace(result, folder)


def _workplace(root, cache_folder):
    """Returns the folder in which Mill runs, and its environment. The folder is the repository with its tools, or a
    copy of the wheel's sources."""
    environment = dict(os.environ)
    if root == PACKAGE.parent:
        tools = root / os.environ.get("CACHE", ".cache")
    else:
        tools = cache_folder / "tools"
        environment["VEXRISCV_SOURCES"] = str(_core_sources())
        copy = cache_folder / "generator"
        shutil.rmtree(copy / "accel", ignore_errors=True)
        shutil.copytree(root, copy, dirs_exist_ok=True)
        for script in ("mill", "setup.sh"):  # a wheel has no executable files
            (copy / "make" / script).chmod(0o755)
        root = copy
    environment["CACHE"] = str(tools)
    version = next(
        line.split("=")[1].strip()
        for line in (root / "tools.env").read_text().splitlines()
        if line.startswith("MILL_VERSION=")
    )
    if not (tools / "tools" / f"mill-{version}").is_file():
        _run(["make/setup.sh", "mill"], root, environment)
    return root, environment


def _core_sources():
    found = find_spec("pythondata_cpu_vexriscv")
    if found is None:
        raise RuntimeError("the sources of VexRiscv are missing. What to do: pip install pythondata-cpu-vexriscv")
    return Path(found.origin).parent / "verilog" / "ext" / "VexRiscv" / "src" / "main" / "scala"


def _run(command, root, environment):
    if not shutil.which("java"):
        raise RuntimeError(
            "the generator runs on a Java virtual machine, and there is none. What to do: apt-get install "
            "openjdk-17-jdk-headless maven"
        )
    result = subprocess.run(
        command, cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if result.returncode:
        raise RuntimeError(
            f"{' '.join(command)} failed:\n" + "\n".join((result.stdout + result.stderr).splitlines()[-20:])
        )


@contextmanager
def _alone(path):
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help=f"{', '.join(BASES)}, and parameters may follow: {PARAMETERS}")
    parser.add_argument("--data-width", type=int, choices=WIDTHS, required=True, help="bits of the memory port")
    parser.add_argument("--memory-mb", type=int, required=True, help="a power of two")
    parser.add_argument("--debug", choices=("none", "tap", "ecp5"), default="none")
    arguments = parser.parse_args()
    if not is_config(arguments.config):
        parser.error(no_config(arguments.config))
    try:
        print(obtain(Request(**vars(arguments))).directory)
    except RuntimeError as error:
        sys.exit(f"heapwire: {error}")


if __name__ == "__main__":
    main()

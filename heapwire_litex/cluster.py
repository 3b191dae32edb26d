"""A cluster as Verilog, for a configuration and a memory: one that came with the package, or from a cache, or generated
from the SpinalHDL sources.

    python -m heapwire_litex.cluster --config tiny --data-width 32 --memory-mb 64      # prints its folder

The key of the cache is the content of the sources and the request (`generator.py`).
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from heapwire_litex import configurations, generator

WIDTHS = (32, 64, 128)
MEGABYTE = 1 << 20
#: What crosses host and machine. The drivers include it as C, which is written beside the cluster's `heapwire.h`.
RECORDS = "host/heapwire/records"


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
    """A request for a cluster: the generator's arguments. `dram_ports`: LiteDRAM ports in each direction."""

    config: str
    data_width: int
    memory_mb: int
    debug: str = "none"
    unit_clock_divider: int = 1
    dram_ports: int = 1

    def arguments(self):
        """Returns the generator's arguments, without the output folder."""
        return [word for name, value in vars(self).items() for word in (f"--{name.replace('_', '-')}", str(value))]


def key(request, root):
    """Returns the name of a cluster in the cache."""
    content = hashlib.sha256(json.dumps([*request.arguments(), generator.digest(root)]).encode())
    for path in sorted((root / RECORDS).glob("*.py")):
        content.update(path.read_bytes())
    return f"{request.config}-{request.data_width}-{request.memory_mb}mb-{content.hexdigest()[:16]}"


def obtain(request, say=generator.say):
    """Returns the cluster as a ClusterDescription. Raises RuntimeError if it is not cached and cannot be generated."""
    root = generator.sources()
    name = key(request, root)
    if (generator.CLUSTERS / name).is_dir():
        return ClusterDescription(generator.CLUSTERS / name)
    folder = generator.cache() / name
    if not (folder / "heapwire.json").is_file():
        with generator.alone(folder.parent):
            if not (folder / "heapwire.json").is_file():
                say(f"generating {folder} (half a minute, the first time some minutes)")
                _generate(request, root, folder)
    return ClusterDescription(folder)


def _generate(request, root, folder):
    """Generates the cluster. `folder` gets either all of it or nothing."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        result = Path(scratch) / "cluster"
        generator.run("heapwire.core.Generate", [*request.arguments(), "--output", str(result)], root)
        if not (result / "heapwire.json").is_file():
            raise RuntimeError("the generator wrote no cluster")
        records = [str(result / "records"), "heapwire.records", str(result / "heapwire.json")]
        generator.command([sys.executable, "-m", "heapwire.records", *records], root / "host")
        os.replace(result, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", required=True, help="such as tiny, default or cereal-x4")
    parser.add_argument("--data-width", type=int, choices=WIDTHS, required=True, help="bits of the memory port")
    parser.add_argument("--memory-mb", type=int, required=True, help="a power of two")
    parser.add_argument("--debug", choices=("none", "tap", "ecp5"), default="none")
    arguments = parser.parse_args()
    try:
        configurations.base_of(arguments.config)
        configurations.copy(generator.cache())  # a machine without the generator wants both
        print(obtain(Request(**vars(arguments))).directory)
    except ValueError as error:
        parser.error(f"--config: {error}")
    except RuntimeError as error:
        sys.exit(f"heapwire: {error}")


if __name__ == "__main__":
    main()

"""The programs of these tests, built like the firmware (Makefile)."""

import shutil
from functools import cache
from pathlib import Path

from base.repository import ROOT
from heapwire import firmware, interface, simulation
from heapwire.plugin.generate import write_registry
from heapwire.schema import Schema
from tests.common.built import classes


@cache
def program(name: str, schema: Schema | None = None, peers: Path | None = None, config: str | None = None) -> Path:
    """Builds a test program and returns its ELF file.

    schema: that whose accessors and field instructions the program uses. peers: the folder of nanopb's code for the
    program. config: the configuration to run on, by default that of the environment."""
    parts = simulation.parts(config)
    out = ROOT / "build" / "test" / "soc" / parts.name
    accessors = out / "accessors" / name if schema else None
    if schema:
        shutil.rmtree(accessors, ignore_errors=True)
        write_registry(schema, schema.type_names(), accessors, interface.load(parts.gen / "heapwire.json"))
    if peers:  # a program that was linked with other peers may be newer than these objects
        (out / f"{name}.elf").unlink(missing_ok=True)
    folder = Path(__file__).parent
    return firmware.build(name, parts, out, peers, accessors=accessors, folder=folder, classes=classes())

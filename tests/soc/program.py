"""The programs of these tests, built as the firmware is (firmware/Makefile, TESTS)."""
from functools import cache
from pathlib import Path

from heapwire import firmware, interface, simulation
from heapwire.interface import REPOSITORY
from heapwire.plugin.generate import write_files
from heapwire.schema import compile_proto


@cache
def program(name: str, proto: Path | None = None, peers: Path | None = None, config: str | None = None) -> Path:
    """The ELF of a test program; `proto`: the file whose accessors it uses, `peers`: the folder of nanopb's code for it, `config`: what it is
    to run on, if not what the environment says."""
    parts = simulation.parts(config)
    out = REPOSITORY / "build" / "test" / "soc" / parts.name
    if proto:
        write_files(compile_proto(proto), out / "accessors", interface.load(parts.gen / "heapwire.json"))
    if peers:  # one that was linked with other peers may be newer than the objects of these
        (out / f"{name}.elf").unlink(missing_ok=True)
    return firmware.build(name, parts, out, peers, accessors=out / "accessors" if proto else None)

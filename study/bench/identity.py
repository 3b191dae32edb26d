"""Identifies a run by the content of everything that decides its rows: the simulated machine, the program and the
loaded memory. Simulated cycles repeat exactly, so that equal identities have equal rows. `python -m
study.bench.identity` prints the identity of the simulated machine that the environment selects.

A simulator rebuilt from the same Verilog keeps its identity, although its profile makes it another file. So does a
program in which a comment moved a line."""

import hashlib
import re
import struct
from pathlib import Path
from typing import Iterable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.simulation import Parts
from heapwire.simulation import parts as selected

HEADER = struct.Struct("<4s24xI10xHH")
"""Part of the header of a 32-bit ELF file: magic, place of the program headers, bytes of one, number of them."""
PROGRAM = struct.Struct("<6I")
"""A program header: type, offset, virtual and physical address, bytes in the file, bytes in memory."""
LOADED = 1
NAMED_BY_LINE = re.compile(rb"\b\w*_[A-Z]\w*_l\d+\w*")
"""A signal that SpinalHDL names after a line of a Scala source, such as `when_UnitClock_l57`."""
TELLS_LINE = re.compile(rb" *// \w+\.scala:L\d+$", re.MULTILINE)


def segments(elf: bytes) -> list[tuple[int, bytes]]:
    """Returns the contents that an ELF file loads into memory, by address. Debug information is not part of them; it
    changes with a comment or with a folder's name."""
    if len(elf) < HEADER.size or elf[:5] != b"\x7fELF\x01":
        raise HeapwireError("not a 32-bit ELF file")
    _, at, size, count = HEADER.unpack_from(elf)
    headers = (PROGRAM.unpack_from(elf, at + i * size) for i in range(count))
    return [(address, elf[offset : offset + filed]) for kind, offset, _, address, filed, _ in headers if kind == LOADED]


def hardware(parts: Parts, root: Path = ROOT) -> list[Path]:
    """Returns the files that decide how the simulated machine behaves: Verilog of the CPU and the SoC, ROM images, the
    DRAM's model, the harness."""
    cpu = [file for file in (parts.soc / "cpu.v", parts.gen / "HeapwireCluster.v") if file.is_file()][:1]
    return [
        *cpu,
        parts.soc / "heapwire_soc.v",
        *sorted(parts.soc.glob("*.init")),
        root / "sim" / "dram_model.v",
        *sorted((root / "sim" / "harness").glob("*.[ch]*")),
    ]


def identity(image: Path, parts: Parts, loads: Sequence[tuple[int, bytes]], root: Path = ROOT) -> str:
    """Returns the identity under which the rows of a run are kept."""
    return _digest(
        [
            *((file.name.encode(), _logic(file)) for file in hardware(parts, root)),
            *((b"program %d" % address, content) for address, content in segments(image.read_bytes())),
            *((b"load %d" % address, content) for address, content in loads),
        ]
    )


def _logic(file: Path) -> bytes:
    """Returns the content of a file. Of Verilog, leaves out what follows from commits and from lines of Scala sources:
    the comments at the beginning, those that name a line, and the numbers in names that SpinalHDL makes of lines. So a
    comment in a source costs no new measurement. Names stay apart: each becomes the number of its first occurrence."""
    content = file.read_bytes()
    if file.suffix != ".v":
        return content
    while content.startswith(b"//"):
        content = content.partition(b"\n")[2]
    numbers: dict[bytes, bytes] = {}
    content = NAMED_BY_LINE.sub(lambda found: numbers.setdefault(found[0], b"line_%d" % len(numbers)), content)
    return TELLS_LINE.sub(b"", content)


def machine(parts: Parts, root: Path = ROOT) -> str:
    """Returns a digest of a simulated machine and of the interface for which programs are compiled."""
    return _digest(
        (file.name.encode(), _logic(file))
        for file in [*hardware(parts, root), parts.gen / "heapwire.h", parts.gen / "heapwire.json"]
    )


def _digest(named: Iterable[tuple[bytes, bytes]]) -> str:
    """Returns a digest of names and contents, each preceded by its length, so that different lists give different
    input."""
    total = hashlib.sha256()
    for name, content in named:
        total.update(struct.pack("<QQ", len(name), len(content)) + name + content)
    return total.hexdigest()[:32]


if __name__ == "__main__":
    print(machine(selected()))

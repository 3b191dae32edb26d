"""What a run's rows follow from, by content: the simulated machine, the program, what lies in its memory. Simulated cycles repeat exactly, so equal ones have equal rows.

A simulator that was built anew of the same Verilog is the same, though its profile made it another file, and so is a program in which a comment moved a line."""
from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import Iterable, Sequence

from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY
from heapwire.simulation import Parts

HEADER = struct.Struct("<4s24xI10xHH")
"""Of a 32-bit ELF file: magic, where the program headers are, bytes of one, how many."""
PROGRAM = struct.Struct("<6I")
"""Of a program header: type, offset, virtual and physical address, bytes in the file, bytes in memory."""
LOADED = 1


def segments(elf: bytes) -> list[tuple[int, bytes]]:
    """What an ELF file puts into memory, by address: not its debug information, which changes with a comment or a folder's name."""
    if len(elf) < HEADER.size or elf[:5] != b"\x7fELF\x01":
        raise HeapwireError("not a 32-bit ELF file")
    _, at, size, count = HEADER.unpack_from(elf)
    headers = (PROGRAM.unpack_from(elf, at + i * size) for i in range(count))
    return [(address, elf[offset:offset + filed]) for kind, offset, _, address, filed, _ in headers if kind == LOADED]


def hardware(parts: Parts, root: Path = REPOSITORY) -> list[Path]:
    """The files that decide how the simulated machine behaves: Verilog of the CPU and the SoC, ROM images, the DRAM's model, the harness."""
    cpu = [file for file in (parts.soc / "cpu.v", parts.gen / "HeapwireCluster.v") if file.is_file()][:1]
    return [*cpu, parts.soc / "heapwire_soc.v", *sorted(parts.soc.glob("*.init")), root / "sim" / "dram_model.v",
            *sorted((root / "sim" / "harness").glob("*.[ch]*"))]


def identity(image: Path, parts: Parts, loads: Sequence[tuple[int, bytes]], root: Path = REPOSITORY) -> str:
    """What the rows of a run are kept under."""
    return _digest([*((file.name.encode(), _logic(file)) for file in hardware(parts, root)),
                    *((b"program %d" % address, content) for address, content in segments(image.read_bytes())),
                    *((b"load %d" % address, content) for address, content in loads)])


def _logic(file: Path) -> bytes:
    """What a file says, but for the comments that Verilog begins with: they tell of the commit, and every commit is another one."""
    content = file.read_bytes()
    while file.suffix == ".v" and content.startswith(b"//"):
        content = content.partition(b"\n")[2]
    return content


def machine(parts: Parts, root: Path = REPOSITORY) -> str:
    """What tells a simulated machine, and the interface that programs for it are compiled with, from another."""
    return _digest((file.name.encode(), _logic(file)) for file in [*hardware(parts, root), parts.gen / "heapwire.h", parts.gen / "heapwire.json"])


def _digest(named: Iterable[tuple[bytes, bytes]]) -> str:
    """Of names and contents, each with its length before it, so that no two lists look alike."""
    total = hashlib.sha256()
    for name, content in named:
        total.update(struct.pack("<QQ", len(name), len(content)) + name + content)
    return total.hexdigest()[:32]

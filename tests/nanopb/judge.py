"""nanopb as the judge of a unit's results (host/serve.c)."""

from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass

from tests.nanopb.program import Program

MEMORY = 0x4C00_0000
"""The address at which the judge has what pointers refer to: the flexible arena of tests.unit.engine."""
MEMORY_BYTES = 1 << 20
"""The room that nanopb and the twin have there. A unit with less room reports a full arena where they do not."""


@dataclass(frozen=True)
class NativeType:
    """The offset of a type's table in the tables (None: software-only), and the type's struct. filler: the value of
    each of its bytes before it is decoded."""

    name: str
    table: int | None
    size: int
    alignment: int
    decode_only: bool
    filler: int


@dataclass(frozen=True)
class Made:
    """A struct, what its pointers refer to (from MEMORY on), nanopb's encoding (None: nanopb refuses the struct), and
    the twin's status."""

    message: bytes
    memory: bytes
    encoding: bytes | None
    status: int


class Judge:
    """A process with the nanopb code of a schema."""

    def __init__(self, program: Program) -> None:
        self.process = subprocess.Popen([program.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(b"T")
        self.tables = self._take(*self._words(1))
        self.types = []
        for name in program.types[: self._words(1)[0]]:
            table, size, facts = self._words(3)
            self.types.append(
                NativeType(
                    name,
                    None if table == 0xFFFFFFFF else table,
                    size,
                    facts & 0xFF,
                    bool(facts >> 8 & 0xFF),
                    facts >> 16,
                )
            )

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()

    def _send(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def _take(self, size: int) -> bytes:
        data = self.process.stdout.read(size)
        if len(data) != size:
            raise RuntimeError("the judge has ended")
        return data

    def _words(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self._take(4 * count))

    def decoded(self, index: int, status: int, data: bytes, found: bytes, memory: bytes = b"") -> tuple[int, str]:
        """Judges a unit's answer: a struct and what its pointers refer to, from MEMORY on. Returns the status of the
        twin, and what is wrong with the answer ("": nothing)."""
        self._send(
            b"J"
            + struct.pack("<III", index, status, len(data))
            + data
            + found
            + struct.pack("<I", len(memory))
            + memory
        )
        model, length = self._words(2)
        return model, self._take(length).decode(errors="replace")

    def encoded(self, index: int, message: bytes, memory: bytes = b"") -> tuple[bytes | None, int]:
        """Returns nanopb's encoding of a struct (None: nanopb refuses it) and the twin's status."""
        self._send(b"E" + struct.pack("<I", index) + message + struct.pack("<I", len(memory)) + memory)
        good, length = self._words(2)
        data = self._take(length)
        return (data if good else None), self._words(1)[0]

    def made(self, index: int, data: bytes, choice: int = 0) -> "Made | None":
        """Returns the struct that nanopb decodes, damaged if `choice` is not 0, and its encoding. Returns None if
        nanopb refuses the bytes."""
        self._send(b"M" + struct.pack("<III", index, choice, len(data)) + data)
        if not self._words(1)[0]:
            return None
        message = self._take(self.types[index].size)
        memory = self._take(self._words(1)[0])
        good, length = self._words(2)
        encoding = self._take(length)
        return Made(message, memory, encoding if good else None, self._words(1)[0])

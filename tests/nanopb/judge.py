"""nanopb, as the judge of what a unit has made (host/serve.c)."""
from __future__ import annotations

import struct
import subprocess
from dataclasses import dataclass

from tests.nanopb.program import Program


MEMORY = 0x4C00_0000
"""Where the judge has what pointers refer to: sim.unit's flexible arena."""
MEMORY_BYTES = 1 << 20
"""The room that nanopb and the twin have for it: a unit that has less is full where they are not."""


@dataclass(frozen=True)
class NativeType:
    """A type's table by its offset in the tables (None: software-only), and its struct. filler: what each byte of it is before it
    is decoded."""

    name: str
    table: int | None
    size: int
    alignment: int
    decode_only: bool
    filler: int


@dataclass(frozen=True)
class Made:
    """A struct, what its pointers refer to, from MEMORY on, nanopb's encoding (None: it refuses), and the twin's status."""

    message: bytes
    memory: bytes
    encoding: bytes | None
    status: int


class Judge:
    """A process that has the nanopb code of a schema."""

    def __init__(self, program: Program) -> None:
        self.process = subprocess.Popen([program.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(b"T")
        self.tables = self._take(*self._words(1))
        self.types = []
        for name in program.types[:self._words(1)[0]]:
            table, size, facts = self._words(3)
            self.types.append(NativeType(name, None if table == 0xFFFFFFFF else table, size, facts & 0xFF, bool(facts >> 8 & 0xFF), facts >> 16))

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
        """The status that the twin ends with, and what is wrong with a unit's answer ("": nothing): a struct and what its
        pointers refer to, from MEMORY on."""
        self._send(b"J" + struct.pack("<III", index, status, len(data)) + data + found + struct.pack("<I", len(memory)) + memory)
        model, length = self._words(2)
        return model, self._take(length).decode(errors="replace")

    def encoded(self, index: int, message: bytes, memory: bytes = b"") -> tuple[bytes | None, int]:
        """nanopb's encoding of a struct, None if it refuses, and the twin's status."""
        self._send(b"E" + struct.pack("<I", index) + message + struct.pack("<I", len(memory)) + memory)
        good, length = self._words(2)
        data = self._take(length)
        return (data if good else None), self._words(1)[0]

    def made(self, index: int, data: bytes, choice: int = 0) -> "Made | None":
        """The struct that nanopb decodes, spoilt if `choice` is not 0, and its encoding; None if it refuses the bytes."""
        self._send(b"M" + struct.pack("<III", index, choice, len(data)) + data)
        if not self._words(1)[0]:
            return None
        message = self._take(self.types[index].size)
        memory = self._take(self._words(1)[0])
        good, length = self._words(2)
        encoding = self._take(length)
        return Made(message, memory, encoding if good else None, self._words(1)[0])

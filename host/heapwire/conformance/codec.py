"""The backend for the codec: the host program `codec` (firmware/programs/codec/host/codec.c), which reads and writes
messages, built for this machine with ASan and UBSan."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire import firmware
from heapwire.conformance.backend import Result
from heapwire.heap import Region, Runtime
from heapwire.interface import Interface
from heapwire.records import codec
from heapwire.records.codec import Steps
from heapwire.schema.blob import CompiledSchema


@dataclass(frozen=True)
class Request:
    """A message of type `type_name` and the steps to take with it. Sizes are in bytes."""

    type_name: str
    data: bytes
    fixed: int = 1 << 22
    flexible: int = 1 << 20
    output: int = 1 << 17
    max_depth: int = 0
    flags: Steps = Steps.SERIALIZE


@dataclass(frozen=True)
class Answer:
    """Statuses by name. `serialized` is None if it was not requested or if a step failed.

    runtime, fixed, flexible: the input of a graph reader, if the arenas were requested."""

    status: str
    offset: int
    root: int
    fixed_bytes: int
    flexible_bytes: int
    serialize_status: str
    at: int
    serialized: bytes | None
    runtime: Runtime | None
    fixed: Region | None
    flexible: Region | None


def build(interface: Interface, folder: Path) -> Path:
    """Builds the program in `folder`. Returns its path."""
    sources = ROOT / "firmware" / "programs" / "codec" / "host"
    return firmware.build_for_host(sources, folder, GEN=interface.path.parent) / "codec"


class Codec:
    """The program with one schema loaded."""

    def __init__(self, program: Path, compiled: CompiledSchema, interface: Interface) -> None:
        self.program, self.compiled, self.interface = program, compiled, interface

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        answers = self.run([Request(name, data) for name, data in requests])
        return [Result(a.status, a.serialize_status, a.serialized, in_hardware=False) for a in answers]

    def run(self, requests: list[Request]) -> list[Answer]:
        """Returns the answers, in order. Raises HeapwireError if the program ends early."""
        script = b"".join(
            codec.Request(
                self.compiled.index(r.type_name), r.max_depth, r.fixed, r.flexible, r.output, r.flags, len(r.data)
            ).pack()
            + r.data
            for r in requests
        )
        with tempfile.NamedTemporaryFile() as blob:
            blob.write(self.compiled.blob)
            blob.flush()
            result = subprocess.run([self.program, blob.name], input=script, capture_output=True)
        if result.returncode != 0:
            raise HeapwireError(
                f"{self.program} ended with {result.returncode}: {result.stderr[-4000:].decode(errors='replace')}"
            )
        return self._answers(result.stdout, requests)

    def _answers(self, output: bytes, requests: list[Request]) -> list[Answer]:
        start = codec.Start.unpack(output)
        runtime = Runtime(self.interface, self.compiled, list(start.registers), start.schema)
        at, answers = codec.Start.SIZE, []

        def take(size: int) -> bytes:
            nonlocal at
            at += size
            return output[at - size : at]

        for request in requests:
            answer = codec.Answer.unpack(take(codec.Answer.SIZE))
            dumped = bool(request.flags & Steps.DUMP)
            regions = (
                [
                    Region("fixed", start.arenas, bytearray(take(answer.fixed))),
                    Region("flexible", start.arenas + request.fixed, bytearray(take(answer.flexible))),
                ]
                if dumped
                else [None, None]
            )
            good = answer.status == answer.serialized == 0 and bool(request.flags & Steps.SERIALIZE)
            answers.append(
                Answer(
                    self.interface.status_name(answer.status),
                    answer.offset,
                    answer.root,
                    answer.fixed,
                    answer.flexible,
                    self.interface.status_name(answer.serialized),
                    answer.at,
                    take(answer.length) if good else None,
                    runtime if dumped else None,
                    *regions,
                )
            )
        return answers

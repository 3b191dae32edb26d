"""The backend for the two software twins, built for this machine with ASan and UBSan."""

from __future__ import annotations

from pathlib import Path

from base.repository import ROOT
from heapwire import firmware
from heapwire.conformance.backend import Result
from heapwire.conformance.codec import Codec, Request
from heapwire.interface import Interface
from heapwire.schema.blob import CompiledSchema


def build(interface: Interface, folder: Path) -> Path:
    """Builds the program in `folder`. Returns its path."""
    sources = ROOT / "firmware" / "programs" / "codec" / "host"
    return firmware.build_for_host(sources, folder, GEN=interface.path.parent) / "codec"


class Twin:
    """The twins with a schema loaded."""

    def __init__(self, compiled: CompiledSchema, interface: Interface, folder: Path) -> None:
        self.codec = Codec(build(interface, folder), compiled, interface)

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        answers = self.codec.run([Request(name, data) for name, data in requests])
        return [Result(a.status, a.serialize_status, a.serialized, in_hardware=False) for a in answers]

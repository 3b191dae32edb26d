"""What answers the runner's requests. `Soc` does it in one simulation (heapwire.batch), `codec.Codec` on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from heapwire import batch
from heapwire.schema import Schema


@dataclass(frozen=True)
class Result:
    """The result of one message, which is parsed and then written again.

    parse_status, serialize_status: names of statuses, OK for success. serialized: the bytes, or None if either step
    failed. in_hardware: whether units did both steps."""

    parse_status: str
    serialize_status: str
    serialized: bytes | None
    in_hardware: bool


class Backend(Protocol):
    """Answers all requests of a run at once."""

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        """Returns the results of (full type name, payload) pairs, in order."""


class Soc:
    """The units of the configuration that CONFIG and DATA_WIDTH name, with a schema loaded."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        answers = batch.run(self.schema, requests)
        return [
            Result(
                a.deserialize,
                a.serialize,
                a.serialized if a.deserialize == a.serialize == "OK" else None,
                in_hardware=a.fallbacks == 0,
            )
            for a in answers
        ]

"""The backend for the simulated SoC. It answers all requests of a run in one simulation (heapwire.batch)."""

from __future__ import annotations

from heapwire import batch
from heapwire.conformance.backend import Result
from heapwire.schema import Schema


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

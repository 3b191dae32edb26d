"""The interface of a backend, which answers the runner's requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


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

"""What answers the runner's requests."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Result:
    """What has become of one message: parsed, then written again.

    parse_status, serialize_status: names of statuses, OK if all went well.
    serialized: the bytes, None if either step failed.
    in_hardware: whether units did both."""

    parse_status: str
    serialize_status: str
    serialized: bytes | None
    in_hardware: bool


class Backend(Protocol):
    """Answers all requests of a run at once."""

    def answer(self, requests: list[tuple[str, bytes]]) -> list[Result]:
        """The results of (full type name, payload) pairs, in order."""

"""The self-test of a board, over its UART: `heapwire check`, `make check-board` (docs/howto/boards.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What one part of the self-test has found. ok: None if it was not tested. facts: for the report's file."""

    name: str
    ok: bool | None
    text: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        return {True: "ok", False: "FAILED", None: "not tested"}[self.ok]

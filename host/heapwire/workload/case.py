"""A message that machines run."""

from __future__ import annotations

from dataclasses import dataclass

CAPNP = "capnp"
"""The engine that copies a message of Cap'n Proto."""


@dataclass(frozen=True)
class Case:
    """A message to run: its name in tables, full type name, wire bytes, and the engines that run it."""

    name: str
    type_name: str
    data: bytes
    engines: tuple[str, ...] = ("hw", "table", "nanopb")

"""Whether a configuration has the units that a serializer needs. This is asked before the hardware is generated."""

from typing import Sequence

from base.errors import BadInput
from heapwire.board import base_of
from heapwire_litex.configurations import bases

UNITS = {
    "hw": ("units of Cereal", lambda base: base.units["cereal_serializer"] > 0),
    "skyway-hw": ("units with Skyway's modes", lambda base: base.skyway),
}
"""The serializers of units: what they need, and whether a configuration has it."""


def check(chosen: Sequence[str], config: str | None, host: bool) -> None:
    """Raises BadInput if a serializer needs units that a configuration lacks, or that a process of the host lacks."""
    by_units = [name for name in chosen if name in UNITS]
    if by_units and host:
        raise BadInput(f"serializer {', '.join(by_units)}: a process of this host has no units")
    for name in by_units if config else ():
        what, has = UNITS[name]
        if not has(base_of(config)):
            having = " or ".join(f"CONFIG={base.name}" for base in bases() if has(base))
            raise BadInput(f"serializer {name}: the configuration {config} has no {what}. What to do: {having}")

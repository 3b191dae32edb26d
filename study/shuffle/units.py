"""Which configurations have the units that a serializer needs. Names say so, because a configuration is refused before
its hardware is generated."""

from __future__ import annotations

import os
import re
from typing import Sequence

from base.errors import BadInput

CONFIGS = {"hw": ("cereal", "cereal-vanilla", "skyway"), "skyway-hw": ("skyway",)}
"""The configurations that can run a serializer of units, without their parameters: `hw` is Cereal's units, `skyway-hw`
the same units with Skyway's modes (accel/src/heapwire/core/ClusterConfig.scala; a test compares them)."""
WHAT = {"hw": "units of Cereal", "skyway-hw": "units with Skyway's modes"}
PARAMETERS = re.compile(r"(-x\d+)?(-e\d+)?(-k\d+)?(-l\d+)?$")
"""What may follow a configuration's name."""


def asked() -> str | None:
    """Returns the configuration that the environment asks for; None if it is that of a board (LIKE), which only the
    generated hardware tells."""
    return None if os.environ.get("LIKE") else os.environ.get("CONFIG") or "default"


def check(chosen: Sequence[str], config: str | None, host: bool) -> None:
    """Raises BadInput if a serializer needs units that a configuration lacks, or that a process of the host lacks."""
    by_units = [name for name in chosen if name in CONFIGS]
    if by_units and host:
        raise BadInput(f"serializer {', '.join(by_units)}: a process of this host has no units")
    for name in by_units if config else ():
        if PARAMETERS.sub("", config) not in CONFIGS[name]:
            raise BadInput(
                f"serializer {name}: the configuration {config} has no {WHAT[name]}. What to do: CONFIG="
                f"{' or CONFIG='.join(CONFIGS[name])}"
            )

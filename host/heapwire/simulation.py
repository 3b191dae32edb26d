"""The simulated SoC, as `sim.run` of this repository offers it, and where a
configuration's built parts are."""
from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, variation


@dataclass(frozen=True)
class Parts:
    """Folders of one configuration: generated hardware, SoC, nanopb's sources."""

    config: str
    data_width: int
    gen: Path
    soc: Path
    nanopb: Path

    @property
    def name(self) -> str:
        """E.g. default-128; default-128-clock2 if the units run at half of the clock."""
        return self.gen.name


def parts(config: str | None = None, data_width: int | None = None) -> Parts:
    """The parts of a configuration (default: CONFIG and DATA_WIDTH of the environment, of which UNIT_CLOCK and PORT_WIDTH always are)."""
    config = config or os.environ.get("CONFIG") or "default"
    data_width = data_width or int(os.environ.get("DATA_WIDTH") or 128)
    cache = Path(os.environ.get("CACHE") or ".cache")
    name = f"{config}-{data_width}{variation(data_width)}"
    return Parts(config, data_width, REPOSITORY / "build" / "gen" / name, REPOSITORY / "build" / "soc" / name,
                 (cache if cache.is_absolute() else REPOSITORY / cache) / "nanopb")


def module() -> ModuleType:
    """The repository's `sim.run`."""
    if str(REPOSITORY) not in sys.path:
        sys.path.insert(0, str(REPOSITORY))
    try:
        import sim.run
    except ImportError as error:
        raise HeapwireError(f"the simulation (sim/ of the repository) cannot be loaded: {error}") from error
    return sim.run

"""Access to the simulated SoC of `sim.run`, and the places of a configuration's built parts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from base.repository import ROOT, cache
from heapwire.interface import ETHERNET, build_name, load, variation


@dataclass(frozen=True)
class Parts:
    """Folders of one configuration: generated hardware, SoC, nanopb's sources."""

    config: str
    data_width: int
    gen: Path
    soc: Path
    nanopb: Path
    like: str = ""  # the real board (LIKE) that the machine is like; configuration and width are that board's
    ethernet: bool = False

    @property
    def name(self) -> str:
        """The name, e.g. default-128, default-128-clock2 if the units run at half the clock, default-128-eth."""
        return self.soc.name

    @property
    def label(self) -> str:
        """The machine's name in rows: its configuration and what is unusual about it, or the board that it is like."""
        return self.name if self.like else self.config + variation()

    @property
    def choice(self) -> dict[str, Any]:
        """The arguments that select the simulator in `sim.run`."""
        return {"ethernet": self.ethernet} | (
            {"like": self.like} if self.like else {"config": self.config, "data_width": self.data_width}
        )


def parts(
    config: str | None = None, data_width: int | None = None, ethernet: bool | None = None, like: str = ""
) -> Parts:
    """Returns the parts of a configuration (default: the environment's, see `interface.build_name`). ethernet: of the
    SoC with a MAC, which has the same cluster (default: if ETHERNET of the environment says so). like: what LIKE of the
    environment would say."""
    like = like or (not config and os.environ.get("LIKE")) or ""
    name = build_name(config, data_width, like)
    gen = ROOT / "build" / "gen" / name
    if like:
        cluster = load(gen / "heapwire.json").cluster
        config, data_width = cluster["config"], cluster["dataWidth"]
    config = config or os.environ.get("CONFIG") or "default"
    data_width = data_width or int(os.environ.get("DATA_WIDTH") or 128)
    ethernet = bool(os.environ.get("ETHERNET")) if ethernet is None else ethernet
    soc = ROOT / "build" / "soc" / (name + ETHERNET * ethernet)
    return Parts(config, data_width, gen, soc, cache() / "nanopb", like, ethernet)

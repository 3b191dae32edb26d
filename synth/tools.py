"""The places of the synthesis tools that make fetches: Yosys, nextpnr and the tools that belong to them."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cache() -> Path:
    return ROOT / os.environ.get("CACHE", ".cache")


def environment() -> dict[str, str]:
    """Returns the environment of the WebAssembly tools, which compile themselves into a cache in their first run."""
    return {**os.environ, "YOWASP_CACHE_DIR": str(cache() / "yowasp")}

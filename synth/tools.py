"""Where the tools of synthesis lie, which make fetches: Yosys, nextpnr and what goes with them."""
from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cache() -> Path:
    return ROOT / os.environ.get("CACHE", ".cache")


def environment() -> dict[str, str]:
    """Of the WebAssembly tools, which compile themselves into a cache in their first run."""
    return {**os.environ, "YOWASP_CACHE_DIR": str(cache() / "yowasp")}

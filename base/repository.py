"""The repository: its root, its folder of downloaded tools, the versions that it pins."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cache() -> Path:
    """Returns the folder of downloads and tools: CACHE of the environment, which make sets, or `.cache`."""
    return ROOT / (os.environ.get("CACHE") or ".cache")


def pins(*names: str) -> str:
    """Returns the lines of tools.env with these names."""
    lines = (ROOT / "tools.env").read_text().splitlines()
    return " ".join(line for line in lines if line.split("=")[0] in names)


def environment() -> dict[str, str]:
    """Returns the environment of the WebAssembly tools, which compile themselves into a cache in their first run."""
    return {**os.environ, "YOWASP_CACHE_DIR": str(cache() / "yowasp")}

"""The host programs of Skyway, with ASan and UBSan."""

import re
from pathlib import Path

from base.repository import ROOT
from heapwire.skyway.cluster import parse, write_files
from tests.common.built import OUT, classes, host_programs


def example() -> str:
    """Returns the format file of docs/howto/heap_formats.md."""
    page = (ROOT / "docs" / "howto" / "heap_formats.md").read_text()
    return re.search(r"^```toml\n(.*?)^```", page, re.M | re.S).group(1)


def build() -> Path:
    """Returns the folder of the programs `node`, `cases` and, for the heaps of the page's example, `formats`."""
    heaps = OUT / "heaps"
    write_files(parse(example(), "cluster.toml"), heaps)
    return host_programs(Path(__file__).parent / "host", CLASSES=classes(), HEAPS=heaps)

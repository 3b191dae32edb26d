"""Prints what the harness is compiled for, as a C++ header: `python -m sim.facts build/soc/default-128/soc.json`."""

import json
import sys
from pathlib import Path

HEADER = """#pragma once
#include <cstdint>
constexpr uint32_t kMemoryBase = {memory[base]};
constexpr uint64_t kMemoryBytes = {memory[bytes]};
constexpr uint64_t kUnitClocks = {unitClocks};
constexpr uint64_t kUnitClockDivider = {unitClockDivider};
constexpr bool kEthernet = {ethernet};
constexpr char kDebug[] = "{debug}";
constexpr char kRomImage[] = "heapwire_soc_rom.init";
"""


def header(summary):
    """Returns the header for a SoC, by what soc.json says of it."""
    return HEADER.format(**summary, ethernet=str("ethmac" in summary["regions"]).lower())


if __name__ == "__main__":
    print(header(json.loads(Path(sys.argv[1]).read_text())), end="")

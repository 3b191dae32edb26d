"""The targets to which modules are mapped, and how their cells are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping

Cells = Mapping[str, float]


@dataclass(frozen=True)
class Target:
    """A target. script: maps the module `{top}` with its hierarchy. counts: functions that turn cells by type into a
    figure."""

    name: str
    script: str
    counts: Mapping[str, Callable[[Cells], float]]

    @property
    def flat(self) -> str:
        """The script that maps all of `{top}` as one module, as boards do."""
        return self.script.replace(" -noflatten", "")


def _sum(**weights: float) -> Callable[[Cells], float]:
    return lambda cells: sum(weight * cells.get(kind, 0) for kind, weight in weights.items())


def _starting(*prefixes: str) -> Callable[[Cells], float]:
    return lambda cells: sum(count for kind, count in cells.items() if kind.startswith(prefixes))


NARROW = "-nowidelut"
"""No multiplexers made of paired LUTs: ABC shares more, and the LUTs need not be neighbors (docs/reference/area.md).
Boards use it, too."""

FLOW = "scratchpad -copy abc9.script.flow3 abc9.script"
"""Makes ABC restructure the logic and map it several times, and keep the best result (docs/reference/area.md). Boards
use it, too."""

PLACER = "static"
"""nextpnr's newer placer, for ECP5 alone; for Gowin's parts nextpnr has only the default. It needs a tenth fewer wires.
Boards use it, too, unless a part names another (docs/howto/boards.md)."""

ECP5 = Target(
    "ecp5",
    f"{FLOW}; synth_ecp5 {NARROW} -noflatten -top {{top}}",
    {
        # A carry cell takes two places of a LUT. 16x4 bits of memory take four for the data and two for their write
        # port.
        "LUT": _sum(LUT4=1, CCU2C=2, TRELLIS_DPR16X4=6),
        "FF": _sum(TRELLIS_FF=1),
        "BRAM": _sum(DP16KD=1),
        "DSP": _sum(MULT18X18D=1),
    },
)
GOWIN_MULTIPLIERS = {
    "MULT9X9": 0.5,
    "MULT18X18": 1,
    "MULT36X36": 4,
    "MULTALU18X18": 1,
    "MULTALU36X18": 2,
    "MULTADDALU18X18": 2,
}
"""In 18 x 18 multipliers. A macro of the DSP has two, and holds two MULT18X18 or, instead of them, four MULT9X9."""
GOWIN = Target(
    "gowin",
    f"{FLOW}; synth_gowin {NARROW} -noflatten -noiopads -top {{top}}",
    {
        # A carry takes the place of a LUT. 16x4 bits of memory take those of four LUTs and their share of a slice.
        "LUT": lambda cells: (
            sum(count for kind, count in cells.items() if kind in ("LUT1", "LUT2", "LUT3", "LUT4", "ALU", "INV"))
            + 4 * sum(count for kind, count in cells.items() if kind.startswith("RAM16SDP"))
        ),
        "FF": _starting("DFF"),
        "BRAM": _starting("SDPB", "SDPX9B", "DPB", "DPX9B", "SPX9", "SP"),
        "DSP": _sum(**GOWIN_MULTIPLIERS),
    },
)
TARGETS = (ECP5, GOWIN)

GATES = (
    "synth -noabc -noshare -run begin:fine -top {top}; memory -nomap; opt; techmap; dfflegalize -cell $_DFF_P_ x -cell "
    "$_DFF_N_ x -cell $_DFF_?P?_ x; "
    "opt -nodffe -nosdff; abc -g cmos; opt_clean"
)
"""Maps to gates of static CMOS and to flip-flops that are plain or have an asynchronous reset. Enables and other resets
become gates before them. Memories stay as they are."""
MEMORY_BITS = "hierarchy -top {top}; proc; opt_clean"
"""Leaves memories as they were written."""

_GATES = {2: "NOT", 4: "NAND NOR", 6: "AND OR ANDNOT ORNOT AOI3 OAI3", 8: "AOI4 OAI4", 10: "NMUX", 12: "MUX XOR XNOR"}
TRANSISTORS = {gate: count for count, gates in _GATES.items() for gate in gates.split()} | {"DFF": 24}
"""Transistors of a gate in static CMOS. A flip-flop counts as in libraries, as six NAND2."""


def gate_equivalents(cells: Cells) -> float:
    """Returns the NAND2 equivalents of mapped gates. Memories and modules count nothing."""
    gates = [(kind.strip("$_").split("_")[0], count) for kind, count in cells.items() if kind.startswith("$_")]
    if unknown := sorted({kind for kind, _ in gates} - set(TRANSISTORS)):
        raise ValueError(f"gates of no known size: {', '.join(unknown)}. What to do: name them in TRANSISTORS")
    return sum(TRANSISTORS[kind] * count for kind, count in gates) / TRANSISTORS["NAND"]

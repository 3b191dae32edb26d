"""What nextpnr says about a design: how much of the part it takes, and how fast its clocks may be."""
from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from synth.target import GOWIN_MULTIPLIERS

KINDS = {
    "LUT": {"TRELLIS_COMB": 1, "LUT4": 1, "ALU": 1, "RAM16SDP4": 4},
    "FF": {"TRELLIS_FF": 1, "DFF": 1},
    "BRAM": {"DP16KD": 1, "BSRAM": 1},
    "DSP": {"MULT18X18D": 1, "MULT18X18": 1, **GOWIN_MULTIPLIERS},
}
"""Figures by what ECP5's and Gowin's nextpnr call their cells, with how many places of the kind one takes (a carry of Gowin's that of a
LUT, 16 x 4 bits of memory four). How many there are is what the part has of the first that it has."""
NEAR = 0.02
"""How far a PLL's output may be from the frequency that was asked for."""
UNIT_CROSSING = 0.75
"""What a path between the units' clock and another may take of a period of the faster one: the rest is for skew, which no tool tells. There is much of
it: the units' clock is made of the system's, by a flip-flop and its way to a global net."""
PLL_CROSSING = 0.85
"""The same of two outputs of one PLL, each on a global net of its own: the rest is for the PLL's phase error, jitter, and the nets' skew."""


@dataclass(frozen=True)
class Use:
    """How many of a kind a design takes, and how many the part has."""
    used: int
    available: int

    def __str__(self) -> str:
        return f"{self.used:,} of {self.available:,}"


@dataclass(frozen=True)
class Clock:
    """A clock's frequency in MHz: what was reached, and what is wanted."""
    name: str
    achieved: float
    wanted: float

    @property
    def met(self) -> bool:
        return self.achieved >= self.wanted


@dataclass(frozen=True)
class Crossing:
    """The longest path from one clock to another, in ns; `half` if it begins at one kind of edge and ends at the other."""
    source: str
    destination: str
    delay: float
    half: bool = False

    def __str__(self) -> str:
        return f"{self.source} to {self.destination}, {self.delay:.1f} ns"


@dataclass(frozen=True)
class Border:
    """Two clocks in phase, by their frequencies in Hz, and the share of the faster one's period that a path between them may take."""
    one_hz: float
    other_hz: float
    share: float

    def limit(self, path: Crossing) -> float:
        """What it may take, in ns. At worst it begins one edge of the faster clock before it ends."""
        return self.share * 1e9 / max(self.one_hz, self.other_hz) / (2 if path.half else 1)


@dataclass(frozen=True)
class Report:
    """A placed and routed design."""
    uses: dict[str, Use]
    clocks: tuple[Clock, ...]
    critical: str  # the slowest path's ends, "" if unknown
    crossings: tuple[Crossing, ...] = ()

    def slowest(self, hz: float) -> Clock | None:
        """The slowest of the clocks that want that frequency."""
        return min(self._of(hz), key=lambda clock: clock.achieved, default=None)

    def _of(self, hz: float) -> list[Clock]:
        return [clock for clock in self.clocks if abs(clock.wanted * 1e6 / hz - 1) <= NEAR]

    def across(self, source_hz: float, destination_hz: float) -> list[Crossing]:
        """The longest paths from clocks that want one frequency to clocks that want the other."""
        sources, destinations = ({clock.name for clock in self._of(hz)} for hz in (source_hz, destination_hz))
        return [path for path in self.crossings if path.source in sources and path.destination in destinations]

    def at(self, border: Border) -> list[Crossing]:
        """Those from either side of a border to the other."""
        return self.across(border.one_hz, border.other_hz) + self.across(border.other_hz, border.one_hz)

    @property
    def missed(self) -> tuple[Clock, ...]:
        return tuple(clock for clock in self.clocks if not clock.met)


def read(path: Path) -> Report:
    """A report as `nextpnr --report` writes it."""
    content = json.loads(path.read_text())
    used = content.get("utilization", {})
    uses = {}
    for kind, cells in KINDS.items():
        found = {cell: used[cell] for cell in cells if cell in used}
        taken = sum(cells[cell] * facts["used"] for cell, facts in found.items())
        uses[kind] = Use(math.ceil(taken), next((facts["available"] for facts in found.values()), 0))
    clocks = tuple(Clock(name, facts["achieved"], facts["constraint"]) for name, facts in content.get("fmax", {}).items())
    paths = content.get("critical_paths", ())
    return Report(uses, clocks, _critical(paths), tuple(_crossings(paths)))


def _delay(path) -> float:
    return sum(part.get("delay", 0) for part in path["path"])


def _crossings(paths) -> Iterator[Crossing]:
    for path in paths:
        (first, source), (last, destination) = (path.get(end, "").rpartition(" ")[::2] for end in ("from", "to"))  # posedge NAME
        if path.get("path") and source != destination and "<async>" not in (source, destination):
            yield Crossing(source, destination, _delay(path), first != last)


def _inner(paths) -> list:
    """Those within a clock, the longest first."""
    inner = [path for path in paths if path.get("path") and "<async>" not in path.get("from", "") + path.get("to", "")
             and path.get("from") == path.get("to")]
    return sorted(inner, key=_delay, reverse=True)


def _ends(path) -> tuple[str, str]:
    return path["path"][0].get("from", {}).get("cell", "?"), path["path"][-1].get("to", {}).get("cell", "?")


def _critical(paths) -> str:
    """The ends of the longest path within a clock."""
    return " to ".join(next(map(_ends, _inner(paths)), ()))


def ends(path: Path) -> dict[str, tuple[str, str]]:
    """By clock: the cells at the ends of its longest path, out of a report as `nextpnr --report` writes it."""
    found = {}
    for longest in _inner(json.loads(path.read_text()).get("critical_paths", ())):
        found.setdefault(longest["from"].split(" ")[-1], _ends(longest))  # posedge NAME
    return found


def overfull(log: str) -> dict[str, Use]:
    """By kind of cell: what a design takes more of than the part has, out of nextpnr's log."""
    found = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%", log, re.MULTILINE)
    # Kinds that the part has none of are the tool's own.
    return {kind: Use(int(used), int(available)) for kind, used, available in found if int(used) > int(available) > 0}


def line(label: str, report: Report, clock_hz: float, unit_hz: float | None = None) -> str:
    """The one line that says how a build ended."""
    parts = [f"{kind} {use}" for kind, use in report.uses.items()]
    if report.uses["LUT"].available:
        parts[0] += f" ({100 * report.uses['LUT'].used / report.uses['LUT'].available:.0f} %)"
    clock = report.slowest(clock_hz)
    parts.append(f"Fmax {clock.achieved:.1f} MHz for {clock.wanted:.1f}" if clock else f"Fmax unknown for {clock_hz / 1e6:.1f}")
    units = report.slowest(unit_hz) if unit_hz not in (None, clock_hz) else None
    if units:
        parts.append(f"units {units.achieved:.1f} MHz for {units.wanted:.1f}")
    return f"{label}: " + ", ".join(parts)

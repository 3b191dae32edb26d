"""Reads nextpnr's results: how much of the part a design takes, and the maximum frequencies of its clocks. Notes beside
each report which cluster the design contains, for later readers."""

from __future__ import annotations

import hashlib
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
"""Cells of ECP5's and Gowin's nextpnr by figure, with the number of places that one cell takes. (A carry of Gowin's
takes that of a LUT, 16 x 4 bits of memory take four.) The number available is that of the first listed cell that the
part has."""
NEAR = 0.02
"""Largest relative error of a PLL's output frequency."""
UNIT_CROSSING = 0.75
"""Share of the faster clock's period that a path between the units' clock and another may take. The rest is for skew,
which no tool reports. The skew is large: a flip-flop divides the system's clock, and the units' clock then has to reach
a global net."""
PLL_CROSSING = 0.85
"""The same share for two outputs of one PLL, each on a global net of its own. The rest is for the PLL's phase error,
jitter, and the nets' skew."""


@dataclass(frozen=True)
class Use:
    """The number of a kind that a design takes, and the number that the part has."""

    used: int
    available: int

    def __str__(self) -> str:
        return f"{self.used:,} of {self.available:,}"


@dataclass(frozen=True)
class Clock:
    """A clock's frequency in MHz: achieved and wanted."""

    name: str
    achieved: float
    wanted: float

    @property
    def met(self) -> bool:
        return self.achieved >= self.wanted


@dataclass(frozen=True)
class Crossing:
    """The longest path from one clock to another, in ns. half: it begins at one kind of edge and ends at the other."""

    source: str
    destination: str
    delay: float
    half: bool = False

    def __str__(self) -> str:
        return f"{self.source} to {self.destination}, {self.delay:.1f} ns"


@dataclass(frozen=True)
class Border:
    """Two clocks in phase, by their frequencies in Hz, and the share of the faster one's period that a path between
    them may take."""

    one_hz: float
    other_hz: float
    share: float

    def limit(self, path: Crossing) -> float:
        """Returns the limit of a path, in ns. In the worst case it begins one edge of the faster clock before it
        ends."""
        return self.share * 1e9 / max(self.one_hz, self.other_hz) / (2 if path.half else 1)


@dataclass(frozen=True)
class Report:
    """A placed and routed design."""

    uses: dict[str, Use]
    clocks: tuple[Clock, ...]
    critical: str  # the ends of the slowest path, "" if unknown
    crossings: tuple[Crossing, ...] = ()

    def slowest(self, hz: float) -> Clock | None:
        """Returns the slowest of the clocks with that wanted frequency."""
        return min(self._of(hz), key=lambda clock: clock.achieved, default=None)

    def _of(self, hz: float) -> list[Clock]:
        return [clock for clock in self.clocks if abs(clock.wanted * 1e6 / hz - 1) <= NEAR]

    def across(self, source_hz: float, destination_hz: float) -> list[Crossing]:
        """Returns the longest paths from clocks with one wanted frequency to clocks with the other."""
        sources, destinations = ({clock.name for clock in self._of(hz)} for hz in (source_hz, destination_hz))
        return [path for path in self.crossings if path.source in sources and path.destination in destinations]

    def at(self, border: Border) -> list[Crossing]:
        """Returns the paths across a border, in both directions."""
        return self.across(border.one_hz, border.other_hz) + self.across(border.other_hz, border.one_hz)

    @property
    def missed(self) -> tuple[Clock, ...]:
        return tuple(clock for clock in self.clocks if not clock.met)


def read(path: Path) -> Report:
    """Reads a report of `nextpnr --report`."""
    content = json.loads(path.read_text())
    used = content.get("utilization", {})
    uses = {}
    for kind, cells in KINDS.items():
        found = {cell: used[cell] for cell in cells if cell in used}
        taken = sum(cells[cell] * facts["used"] for cell, facts in found.items())
        uses[kind] = Use(math.ceil(taken), next((facts["available"] for facts in found.values()), 0))
    clocks = tuple(
        Clock(name, facts["achieved"], facts["constraint"]) for name, facts in content.get("fmax", {}).items()
    )
    paths = content.get("critical_paths", ())
    return Report(uses, clocks, _critical(paths), tuple(_crossings(paths)))


def _delay(path) -> float:
    return sum(part.get("delay", 0) for part in path["path"])


def _crossings(paths) -> Iterator[Crossing]:
    for path in paths:
        # posedge NAME
        (first, source), (last, destination) = (path.get(end, "").rpartition(" ")[::2] for end in ("from", "to"))
        if path.get("path") and source != destination and "<async>" not in (source, destination):
            yield Crossing(source, destination, _delay(path), first != last)


def _inner(paths) -> list:
    """Returns the paths within a clock, the longest first."""
    inner = [
        path
        for path in paths
        if path.get("path")
        and "<async>" not in path.get("from", "") + path.get("to", "")
        and path.get("from") == path.get("to")
    ]
    return sorted(inner, key=_delay, reverse=True)


def _ends(path) -> tuple[str, str]:
    return path["path"][0].get("from", {}).get("cell", "?"), path["path"][-1].get("to", {}).get("cell", "?")


def _critical(paths) -> str:
    """Returns the ends of the longest path within a clock."""
    return " to ".join(next(map(_ends, _inner(paths)), ()))


def ends(path: Path) -> dict[str, tuple[str, str]]:
    """Returns, by clock, the cells at the ends of its longest path, from a report of `nextpnr --report`."""
    found = {}
    for longest in _inner(json.loads(path.read_text()).get("critical_paths", ())):
        found.setdefault(longest["from"].split(" ")[-1], _ends(longest))  # posedge NAME
    return found


def overfull(log: str) -> dict[str, Use]:
    """Returns, from nextpnr's log, the kinds of cell of which a design takes more than the part has."""
    found = re.findall(r"^Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%", log, re.MULTILINE)
    # Kinds of which the part has none are the tool's own.
    return {kind: Use(int(used), int(available)) for kind, used, available in found if int(used) > int(available) > 0}


def line(label: str, report: Report, clock_hz: float, unit_hz: float | None = None) -> str:
    """Returns the line that says how a build ended."""
    parts = [f"{kind} {use}" for kind, use in report.uses.items()]
    if report.uses["LUT"].available:
        parts[0] += f" ({100 * report.uses['LUT'].used / report.uses['LUT'].available:.0f} %)"
    clock = report.slowest(clock_hz)
    parts.append(
        f"Fmax {clock.achieved:.1f} MHz for {clock.wanted:.1f}" if clock else f"Fmax unknown for {clock_hz / 1e6:.1f}"
    )
    units = report.slowest(unit_hz) if unit_hz not in (None, clock_hz) else None
    if units:
        parts.append(f"units {units.achieved:.1f} MHz for {units.wanted:.1f}")
    return f"{label}: " + ", ".join(parts)


VERILOG = "HeapwireCluster.v"
NOTE = "cluster.json"


@dataclass(frozen=True)
class Placed:
    """A report, and the folder of the cluster in its design. If the cluster is unknown, `why` gives the reason."""

    report: Path
    cluster: Path | None
    why: str = ""


def _digest(cluster: Path) -> str:
    return hashlib.sha256((cluster / VERILOG).read_bytes()).hexdigest()


def note_cluster(report: Path, cluster: Path) -> None:
    """Notes the cluster of a report, with a digest of its current content. The name of a cluster's folder does not
    follow from that of the build (parts share it, and `--cluster` names any), and the cluster may be generated
    anew."""
    facts = {"report": report.name, "cluster": str(cluster.resolve()), "digest": _digest(cluster)}
    report.with_name(NOTE).write_text(json.dumps(facts, indent=1) + "\n")


def placed(boards: Path) -> Iterator[Placed]:
    """Yields the reports in a folder of boards' builds, one for each seed."""
    for folder in sorted(boards.glob("*/gateware/seed*")):
        reports = [file for file in [folder / "report.json", *folder.glob("*.report")] if file.is_file()]
        yield from (_placed(report) for report in reports)


def _placed(report: Path) -> Placed:
    try:
        facts = json.loads(report.with_name(NOTE).read_text())
        cluster, digest = Path(facts["cluster"]), facts["digest"]
    except (OSError, ValueError, KeyError, TypeError):
        return Placed(
            report, None, "nothing says of which cluster it is: it was placed by an earlier version of the flow"
        )
    try:
        same = _digest(cluster) == digest
    except OSError:
        return Placed(report, None, f"its cluster is gone from {cluster}")
    return (
        Placed(report, cluster) if same else Placed(report, None, f"its cluster was generated anew since, in {cluster}")
    )

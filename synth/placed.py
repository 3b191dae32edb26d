"""Notes beside each report of place and route which cluster the design contains, for later readers of the report.

The name of a cluster's folder does not follow from that of the build (parts share it, and `--cluster` names any), and
the cluster may be generated anew."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

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


def note(report: Path, cluster: Path) -> None:
    """Notes the cluster of a report, with a digest of its current content."""
    facts = {"report": report.name, "cluster": str(cluster.resolve()), "digest": _digest(cluster)}
    report.with_name(NOTE).write_text(json.dumps(facts, indent=1) + "\n")


def found(boards: Path) -> Iterator[Placed]:
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

"""`make area`: maps a configuration's cluster and reports what its modules cost."""
from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from synth import area as areas
from synth import budget as budgets
from synth import report
from synth.area import Area
from synth.tools import ROOT
from synth.yosys import SynthesisError

TOP = "HeapwireCluster"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", required=True, help="Configuration and width, e.g. default-64.")
@click.option("--verilog", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The cluster, if not that of build/gen.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="Folder, if not build/area/CONFIG.")
@click.option("--compare", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="area.json to compare with.")
@click.option("--budget", is_flag=True, help="Renew the configuration's budgets instead, from ECP5's figures; no report.")
def main(config: str, verilog: Path | None, output: Path | None, compare: Path | None, budget: bool) -> None:
    """Writes build/area/CONFIG/area.{json,csv,md}; fails if a module is larger than its budget (synth/budgets.json)."""
    folder = output or ROOT / "build" / "area" / config
    verilog = verilog or ROOT / "build" / "gen" / config / f"{TOP}.v"
    if not verilog.exists():
        sys.exit(f"area: {verilog} is not there. What to do: make area CONFIG=... DATA_WIDTH=...")
    try:
        measured = (budgets.measure if budget else areas.measure)(verilog, TOP, folder, lambda text: print(text, file=sys.stderr, flush=True))
    except SynthesisError as error:
        sys.exit(str(error))
    if budget:
        print("\n".join(budgets.renew(config, measured) or ["area: every budget is what it was"]))
    else:
        _report(measured, config, folder, compare)


def _report(measured: Area, config: str, folder: Path, compare: Path | None) -> None:
    report.write(measured, config, folder)
    print((folder / "area.md").read_text())
    if compare:
        print(f"## Against {compare}\n")
        for row in report.changes(json.loads(compare.read_text()), json.loads((folder / "area.json").read_text())):
            print("| " + " | ".join(row) + " |")
    over = budgets.excesses(measured, budgets.read(config))
    if over:
        sys.exit(budgets.complaint(config, over))


if __name__ == "__main__":
    main()

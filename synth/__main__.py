"""`make area`: maps a configuration's cluster and reports the cost of its modules."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from click.core import ParameterSource

from base.errors import HeapwireError
from base.repository import ROOT
from synth import area as areas
from synth import budget as budgets
from synth import compare as revisions
from synth import fmax as speeds
from synth import report
from synth.area import Area
from synth.fmax import Speeds
from synth.yosys import SynthesisError

TOP = "HeapwireCluster"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", required=True, help="Configuration and width, e.g. default-64.")
@click.option(
    "--verilog",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The cluster, if not that of build/gen.",
)
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), help="Folder, if not build/area/CONFIG.")
@click.option(
    "--compare",
    metavar="REVISION",
    callback=lambda context, option, text: text and _revision(text),
    help="Tell what has changed since this revision.",
)
@click.option(
    "--fmax",
    metavar="UNIT,...",
    help="Place and route these units alone, too (all: every large one), and tell their Fmax.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1),
    default=1,
    help="With --fmax: nextpnr's seeds from 1 on; the one in the middle counts.",
)
@click.option(
    "--budget", is_flag=True, help="Renew the configuration's budgets instead, from ECP5's figures; no report."
)
@click.option(
    "--no-budget",
    is_flag=True,
    help="Hold nothing against the budgets, which are those of this revision's cluster and of no other's.",
)
@click.option("--parse-only", is_flag=True, help="Only look at these arguments.")
def main(
    config: str,
    verilog: Path | None,
    output: Path | None,
    compare: str | None,
    fmax: str | None,
    seeds: int,
    budget: bool,
    no_budget: bool,
    parse_only: bool,
) -> None:
    """Write build/area/CONFIG/area.{json,csv,md}. Fails if a module is larger than its budget (synth/budgets.json)."""
    if budget and (compare or fmax):
        raise click.UsageError("--budget writes no report, so --compare and --fmax have no place in it")
    if click.get_current_context().get_parameter_source("seeds") is not ParameterSource.DEFAULT and not fmax:
        raise click.UsageError("--seeds: for --fmax")
    if parse_only:
        return
    folder = output or ROOT / "build" / "area" / config
    verilog = verilog or ROOT / "build" / "gen" / config / f"{TOP}.v"
    if not verilog.exists():
        sys.exit(f"area: {verilog} is not there. What to do: make area CONFIG=... DATA_WIDTH=...")
    try:
        before = revisions.area(compare, config) if compare else None
        measured = (budgets.measure if budget else areas.measure)(verilog, TOP, folder, _say)
        if budget:
            print("\n".join(budgets.renew(config, measured) or ["area: every budget is what it was"]))
        else:
            _report(measured, config, folder, before, _speeds(measured, verilog, fmax, folder, seeds) if fmax else None)
            over = [] if no_budget else budgets.excesses(measured, budgets.read(config))
            if over:
                sys.exit(budgets.complaint(config, over))
    except (SynthesisError, HeapwireError) as error:
        sys.exit(str(error))


def _revision(text: str) -> str:
    """Returns the number of the commit, or tells click that there is none."""
    try:
        return revisions.number(text)
    except SynthesisError as error:
        raise click.BadParameter(str(error)) from error


def _say(text: str) -> None:
    print(f"area: {text}", file=sys.stderr, flush=True)


def _speeds(measured: Area, verilog: Path, wanted: str, folder: Path, seeds: int) -> Speeds:
    units = budgets.large(measured, measured.top)
    names = units if wanted == "all" else wanted.split(",")
    if set(names) - set(units):
        raise SynthesisError(
            f"area: no unit {', '.join(sorted(set(names) - set(units)))} to place alone; there are {', '.join(units)}"
        )
    return Speeds(speeds.measure(verilog, units, names, folder, _say, seeds), speeds.boards(_say))


def _report(measured: Area, config: str, folder: Path, before: Path | None, fmax: Speeds | None) -> None:
    report.write(measured, config, folder, fmax)
    print((folder / "area.md").read_text())
    if before:
        print(f"## Against {before}\n")
        for row in report.changes(json.loads(before.read_text()), json.loads((folder / "area.json").read_text())):
            print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()

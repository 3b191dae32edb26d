"""`make bench`: the suites on the simulated SoC."""

import os
from pathlib import Path
from typing import Any

import click

from base.errors import HeapwireError
from heapwire.cli import terminal
from heapwire.cli.measure import tell_problems
from heapwire.cli.terminal import PARSE_ONLY


@click.command()
@click.argument("suites", nargs=-1)
@click.option(
    "--group", "only", multiple=True, help="Only this group of the suite protobuf, cereal or skyway (repeatable)."
)
@click.option(
    "--every-layout", is_flag=True, help="Sweeps and large sets of the protobuf suite, too, in all link layouts: hours."
)
@click.option(
    "--one-layout", is_flag=True, help="Everything in one link layout: quick, and software is not at its best."
)
@click.option("--units-only", is_flag=True, help="The suite protobuf by units on managed objects alone: quick.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the rows and the page, not build/bench.",
)
@click.option("--rows-only", is_flag=True, help="A missed bar is no failure: rows are what is wanted.")
@PARSE_ONLY
def bench(suites: tuple[str, ...], output: Path | None, rows_only: bool, parse_only: bool, **how: Any) -> None:
    """Measure SUITES (default: memory, core, protobuf, heap, cereal, skyway, sweep) on the simulated SoC. The suites
    cereal, skyway and sweep use machines of their own; so does rpc, which is measured only if it is named: two with
    Ethernet, like LIKE or ECPIX-5, ours and LiteX's own.

    An image that has already run on the same machine, with the same program and workload, does not run again
    (build/bench/kept). At most HEAPWIRE_JOBS images run at a time (default: as many as there are cores).

    Writes build/bench/<suite>.jsonl and .md. Fails if a result is wrong, if an expected result is absent, or if a bar
    is missed. Bars apply only to a memory port of 128 bits and without LIKE."""
    from study.bench.machines import OF_SUITE
    from study.bench.run import BENCH, BY_NAME, SUITES, run_suite, unit_missing
    from study.bench.written import MISSED
    from study.report import suite as page

    if how["every_layout"] and how["one_layout"]:
        raise click.UsageError("--every-layout and --one-layout: give only one of them")
    unknown = [suite for suite in suites if suite not in (*SUITES, *BY_NAME)]
    if unknown:
        known = " ".join((*SUITES, *BY_NAME))
        raise HeapwireError(f"no suite {', '.join(unknown)}. What to do: SUITE= some of {known}")
    if like := os.environ.get("LIKE"):
        if own := [suite for suite in suites or SUITES if suite in OF_SUITE]:
            raise HeapwireError(
                f"LIKE={like}: {', '.join(own)} have machines of their own. What to do: name others with SUITE="
            )
        if like.endswith("+stock") and suites != ("core",):
            raise HeapwireError(f"LIKE={like}: LiteX's own CPU has no units. What to do: SUITE=core")
    if how["units_only"] and suites != ("protobuf",):
        raise click.UsageError("--units-only: for the suite protobuf alone")
    if parse_only:
        return
    if output:
        with terminal.writing(output):
            output.mkdir(parents=True, exist_ok=True)
    problems = []
    for suite in suites or SUITES:
        if not suites and (lacks := unit_missing(suite)):
            terminal.say(f"left out: {lacks}")
            continue
        measured = run_suite(suite, terminal.say, folder=output or BENCH, **how)
        made = page.write(measured)
        page.show(measured, terminal.console)
        terminal.console.print(f"written: {measured.file}, {made}")
        problems += [f"{suite}: {text}" for text in measured.problems if not (rows_only and text.startswith(MISSED))]
    tell_problems(problems)

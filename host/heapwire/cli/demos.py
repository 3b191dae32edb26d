"""`heapwire demo`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Iterator

import click
from rich.text import Text

from base.errors import HeapwireError
from base.repository import ROOT
from base.waiting import waiting
from heapwire.cli import terminal
from heapwire.cli.terminal import DATA, IMPORTS, LINK, PARSE_ONLY, PROTO, TYPE, need
from heapwire.interface import Interface
from heapwire.records.workload import Engine


@click.command()
@PROTO
@IMPORTS
@TYPE
@DATA
@LINK
@click.option("--allow-missing-unit", is_flag=True, help="Go on where software does all the work.")
@PARSE_ONLY
def demo(
    proto: Path | None,
    imports: tuple[Path, ...],
    type_name: str | None,
    data: Path | None,
    link: str | None,
    allow_missing_unit: bool,
    parse_only: bool,
) -> None:
    """Run real messages through the simulated SoC, hardware beside software.

    Each message is encoded with the official library. The hardware, our codec and nanopb read it and write it again.
    Every field of the objects is read back and checked, and so is every byte written. Cycles are those of a warm run of
    the public API."""
    from heapwire import board
    from heapwire import demo as demo_run
    from heapwire import interface as interface_module
    from heapwire.client.line import linked
    from heapwire.framing import doubt
    from heapwire.machine import parsed
    from heapwire.measure.messages import demo_group

    if proto or type_name or data:
        need(proto=proto, type=type_name, data=data)
        group = demo_run.user_group(proto, type_name, data, imports)
        # Check the messages before building anything.
        for case in group.cases:
            if question := doubt(case.data, parsed(group.schema, case)):
                terminal.say(f"{case.name} has unknown fields, and {question}")
            terminal.say("" if link else demo_run.patience(case))
    else:
        group = demo_group()
    if not link:
        board.check_engine(board.asked())
    if parse_only:
        return

    said, moved = [""], [0]
    still = waiting(terminal.say, lambda minutes: f"{minutes:.1f} min: {said[0]}")
    with terminal.status_console.status("") as spinner, still as tell:

        def say(text: str) -> None:
            said[0], moved[0] = text, 0
            tell(text)
            spinner.update(Text(text))

        def progress(count: int) -> None:
            moved[0] += count
            spinner.update(Text(f"{said[0]}: {moved[0]:,} bytes over the UART"))

        interface = interface_module.load()
        placement = demo_run.Placement({} if link else demo_run.Placement.of(group, interface).addresses)
        with linked(link, say) if link else demo_run.simulated(group, placement, say) as monitor:
            session = demo_run.Session(monitor, group, interface, progress, placement, say, allow_missing_unit)
            outcomes = list(demo_run.run_demo(session, say))
    if not (proto or link):
        _keep(outcomes, interface)
    _show(outcomes)


def _rows(outcomes, interface: Interface) -> Iterator[dict]:
    """Yields the rows of a demo: what each engine took for each message."""
    from heapwire.measure.rows import complete
    from heapwire.revision import revision

    for each in outcomes:
        row = {"suite": "demo", "case": each.case.name, "model": "managed", "wire_bytes": len(each.case.data)}
        row |= {"object_bytes": each.object_bytes, "ok": not each.problem, "revision": revision()}
        for op, runs in ({} if each.lacks else each.runs).items():
            for engine, run in sorted(runs.items(), reverse=True):
                row |= {"op": op, "engine": engine.name.lower(), "cycles": run.cycles, "fallbacks": run.fallbacks}
                yield complete(row, interface.cluster["config"], interface.cluster["dataWidth"] // 8)


def _keep(outcomes, interface: Interface) -> None:
    """Writes the rows of a demo, build/bench/demo.jsonl; those of another machine have its name."""
    from heapwire.measure.journal import stem

    name = stem("demo", interface.cluster["config"], interface.cluster["dataWidth"] // 8)
    file = ROOT / "build" / "bench" / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in _rows(outcomes, interface)))


def _show(outcomes) -> None:
    """Prints the results of a demo. Raises HeapwireError if one is wrong."""
    from heapwire.demo import table_of

    terminal.console.print(table_of(outcomes))
    wrong = [outcome for outcome in outcomes if outcome.problem]
    for outcome in wrong:
        terminal.console.print(Text.assemble((f"{outcome.case.name}:", "red"), " ", outcome.problem))
    for outcome in outcomes:
        if outcome.peer_problem:
            terminal.console.print(
                f"{outcome.case.name}: nanopb, which is measured for comparison, fails: {outcome.peer_problem}",
                soft_wrap=True,
            )
        if outcome.lacks and not outcome.problem:
            terminal.console.print(
                f"{outcome.case.name}: refused, as it should be: it lacks {', '.join(outcome.lacks)}", soft_wrap=True
            )
    if wrong:
        raise HeapwireError(f"{len(wrong)} of {len(outcomes)} messages came back wrong")
    terminal.console.print(_closing(outcomes))


def _closing(outcomes) -> str:
    """Returns the closing sentence of a demo without wrong messages."""
    back = [outcome for outcome in outcomes if not outcome.lacks]
    if not back:
        return f"Messages refused, as they should be: {len(outcomes)}."
    software = sum(outcome.fallbacks > 0 for outcome in back)
    written = " and, written again," if all(Engine.HW in outcome.written for outcome in back) else ""
    finished = "the unit finished all commands without software"
    if software:
        of_them = f"{software} of them" if len(back) > 1 else "it"
        finished = f"software finished {of_them}, because the unit could not"
    refused = f" Refused, as it should be: {len(outcomes) - len(back)}." if len(back) < len(outcomes) else ""
    came = f"All {len(back)} messages came back" if len(back) > 1 else "The message came back"
    return f"{came}{written} with every field as the official library has it; {finished}.{refused}"

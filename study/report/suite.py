"""What a bench shows of a measured suite: a short table on the console, and its page, build/bench/<suite>.md."""

import os
from pathlib import Path

from rich.console import Console
from rich.table import Table

from base.repository import ROOT
from study.bench.written import Measurement
from study.figures.suites import cycles_of
from study.report import graphs, markdown, page
from study.report.records import cases
from study.report.store import Store, load


def write(measured: Measurement) -> Path:
    """Writes the page of a suite beside its rows: every figure that its rows suffice for."""
    here = {name: rows for name, rows in measured.suites.items() if "@" not in name}
    if measured.suite in ("cereal", "skyway"):
        here["graphs"] = graphs.rows({str(row["case"]) for row in measured.rows})
    areas = load(ROOT / "build" / "no rows", ROOT / "build" / "area").areas
    content = page.of_suite(measured.suite, Store(here, areas), measured.suites, measured.lacking)
    made = measured.file.with_suffix(".md")
    made.write_text(markdown.page(content, os.path.relpath(ROOT, made.parent) + "/"))
    return made


def show(measured: Measurement, console: Console) -> None:
    """Prints the cycles of each case, and the bars."""
    engines = list(dict.fromkeys(str(row["engine"]) for row in measured.rows))
    table = Table("case", "operation", box=None, title=measured.suite)
    for engine in engines:
        table.add_column(engine, justify="right")
    for case in cases(measured.rows):
        table.add_row(case.case, case.op, *(cycles_of(engine, case) or "" for engine in engines))
    console.print(table)
    held = Table("bar", "measured", "wanted", "", box=None)
    for result in measured.results:
        held.add_row(result.name, f"{result.measured:,.4g}", result.wanted, "met" if result.met else "[red]missed")
    for name in measured.without:
        held.add_row(name, "", "", "not measured")
    if held.rows:
        console.print(held)

"""Puts the report together."""

from __future__ import annotations

from pathlib import Path

from heapwire.bench.rows import Row
from heapwire.report import cereal, ours, skyway, tax, wu
from heapwire.report.content import Page
from heapwire.report.store import Store

TITLE = "Results"


def build(store: Store, areas: Path) -> Page:
    """Returns the report of the store's content. areas: the folder of areas."""
    text = [
        "The figures of five papers beside ours, then our own, as `make report` makes them of the rows that `make "
        "bench` writes (`build/bench/*.jsonl`) and of `make area`; nothing else is a "
        "source, but for the table of boards, which is [boards.md](docs:howto/boards.md)'s. "
        "[report.md](docs:howto/report.md) tells how. The papers' numbers are those of their text and tables: what "
        "they have as a "
        "picture alone is not read off it.",
        "Ours are cycles of the simulated SoC, with LiteDRAM's controller and a model of DRAM; they repeat exactly. A "
        "cycle count is the fewest of the warm runs of a call, driver included; of calls that take "
        "over two million cycles, of the only run. Every result was checked against an independent implementation.",
        "Figures of Spark's programs alone have times of a JVM (`make spark`): they say so, and what is computed from "
        "both.",
    ]
    if store.quick:
        text.append(
            "**This is a quick report** (`QUICK=1`): what was left out is said with each figure. Software measured in "
            "one link layout is not at its best, so ratios flatter the hardware."
        )
    if fitted := store.fitted():
        text.append(
            f"{fitted} rows are not measured but told by a line through smaller graphs "
            "([bench_cereal.md](docs:results/bench_cereal.md)); they are in no figure of this page."
        )
    parts = [
        wu.fuller(store),
        wu.earlier(store),
        tax.part(store),
        cereal.part(store),
        skyway.part(store),
        ours.part(store, areas),
    ]
    return Page(TITLE, [*text, _sources(store), *_left_out(store)], parts)


def _measured_at(rows: list[Row]) -> str:
    """Names the revisions at which rows were measured, as their rows say. Rows that a computation gives have none."""
    found = sorted({str(row["revision"]) for row in rows if row.get("revision")})
    return f", at {' and '.join(found)}" if found else ""


def _sources(store: Store) -> str:
    if not store.files:
        return "**Nothing was measured yet**: run `make bench`, or `make report`, which runs what is missing."
    return (
        "Rows: "
        + ", ".join(f"`{stem}` ({len(rows)}{_measured_at(rows)})" for stem, rows in store.files.items())
        + (f". Areas: {', '.join(f'`{name}`' for name in store.areas)}." if store.areas else ". Areas: none.")
    )


def _left_out(store: Store) -> list[str]:
    wrong = store.left_out()
    if not wrong:
        return []
    return [
        f"**{len(wrong)} rows are not shown**, as their results were wrong, a link layout was missing, or software "
        "finished the unit's work: "
        + ", ".join(f"`{stem}` {row['case']}, {row['op']} ({row['engine']})" for stem, row in wrong[:20])
        + ("." if len(wrong) <= 20 else ", and more.")
    ]

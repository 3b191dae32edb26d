"""Puts the report together."""

from __future__ import annotations

from pathlib import Path

from heapwire.measure.rows import Row
from study.report import cereal, ours, skyway, tax, wu
from study.report.content import Page
from study.report.store import Store

TITLE = "Results"


def build(store: Store, areas: Path) -> Page:
    """Returns the report of the store's content. areas: the folder of areas."""
    text = [
        "This page puts the figures of five papers beside ours, and then shows figures of our own. `make report` "
        "makes it from the rows that `make bench` writes (`build/bench/*.jsonl`), from `make area`, and from the "
        "table of boards in [boards.md](docs:howto/boards.md); it has no other source "
        "([report.md](docs:../study/results/report.md)). The papers' numbers come from their text and tables; the page "
        "has no "
        "values that a paper shows only in a picture.",
        "Our figures are cycles of the simulated SoC, with LiteDRAM's controller and a model of DRAM; they repeat "
        "exactly. A cycle count is the fewest of the warm runs of a call, driver included; a call that takes over "
        "two million cycles runs only once. Every result was checked against an independent implementation.",
        "Only the figures of Spark's programs have times of a JVM (`make spark`). They say so, and they say what is "
        "computed from times and cycles.",
    ]
    if store.quick:
        text.append(
            "**This is a quick report** (`QUICK=1`): each figure says what was left out. In one link layout software "
            "is not at its best, so the hardware's ratios are too high."
        )
    if fitted := store.fitted():
        text.append(
            f"{fitted} rows are not measured but computed from a line through smaller graphs "
            "([bench_cereal.md](docs:../study/results/bench_cereal.md)); no figure of this page uses them."
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
        f"**{len(wrong)} rows are not shown**, because their results were wrong, a link layout was missing, or "
        "software finished the unit's work: "
        + ", ".join(f"`{stem}` {row['case']}, {row['op']} ({row['engine']})" for stem, row in wrong[:20])
        + ("." if len(wrong) <= 20 else ", and more.")
    ]

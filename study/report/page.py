"""Puts pages together: the report, and the page of one suite."""

from dataclasses import replace
from typing import Any, Iterable

from heapwire.measure.rows import Row
from study.bench import bars
from study.figures import cereal, model, ours, skyway, suites, tax, units, wu
from study.figures.headlines import EXCERPTS
from study.figures.opening import PROTOACC, opening
from study.report.content import Item, Page, Part
from study.report.figure import paragraphs
from study.report.store import Store

TITLE = "Results"
PARTS: tuple[tuple[str, str, str, list[Any]], ...] = (
    ("wu", wu.TITLE, wu.TEXT, wu.FIGURES),
    ("earlier", wu.EARLIER_TITLE, wu.EARLIER_TEXT, wu.EARLIER),
    ("tax", tax.TITLE, tax.TEXT, tax.FIGURES),
    ("cereal", cereal.TITLE, cereal.TEXT, [*cereal.FIGURES, *units.FIGURES]),
    ("skyway", skyway.TITLE, skyway.TEXT, skyway.FIGURES),
    ("ours", ours.TITLE, ours.TEXT, [*ours.FIGURES, *model.FIGURES]),
    ("suites", suites.TITLE, suites.TEXT, suites.FIGURES),
)
"""Name, title, text and figures of each part. A function makes the figures that depend on what was measured."""
TEXT = """This page puts the figures of five papers beside ours, and then shows figures of our own. `make report` makes
    it from the rows that `make bench` writes (`build/bench/*.jsonl`) and from `make area`; it has no other source
    ([report.md](root:study/docs/report.md)). The papers' numbers come from their text and tables; the page has no
    values that a paper shows only in a picture.

    Our figures are cycles of the simulated SoC, with LiteDRAM's controller and a model of DRAM; they repeat exactly. A
    cycle count is the fewest of the warm runs of a call, driver included; a call that takes over two million cycles
    runs only once. Every result was checked against an independent implementation.

    Only the figures of Spark's programs have times of a JVM (`make spark`). They say so, and they say what is computed
    from times and cycles."""
QUICK = """**This is a quick report** (`QUICK=1`): each figure says what was left out. In one link layout software is
    not at its best, so the hardware's ratios are too high."""


def items(figures: Iterable[Any], store: Store) -> list[tuple[str, Item]]:
    """Returns the items of figures, each with its suite."""
    found = []
    for figure in figures:
        made = figure(store) if callable(figure) else [figure]
        found += [(getattr(each, "suite", ""), each.show(store)) for each in made]
    return found


def build(store: Store) -> Page:
    """Returns the report of the store's content."""
    text = paragraphs(TEXT)
    if store.quick:
        text += paragraphs(QUICK)
    if fitted := store.fitted():
        text.append(
            f"{fitted} rows are not measured but computed from a line through smaller graphs "
            "([bench_cereal.md](root:study/docs/bench_cereal.md)); no figure of the papers uses them."
        )
    parts = [
        Part(name, title, paragraphs(about), [item for _, item in items(figures, store)])
        for name, title, about, figures in PARTS
    ]
    made = Page(TITLE, [*text, _sources(store), *_left_out(store)], parts)
    found = {excerpt.name: vars(table) for excerpt in EXCERPTS if (table := excerpt.of(made))}
    return replace(made, tables=[opening(found), PROTOACC])


def errors(content: Page) -> list[str]:
    """Returns the figures that claim what no row shows."""
    return [
        f"{part.title}, {item.heading}: {item.error}" for part in content.parts for item in part.items if item.error
    ]


def of_suite(suite: str, store: Store, checked: bars.Suites, lacking: Iterable[str] = ()) -> Page:
    """Returns the page of one suite: every figure of it that has rows. store: with the suite's rows under its name.
    checked: rows for the bars. lacking: expected rows that are missing, as text."""
    alone = replace(store, files={name: rows for name, rows in store.files.items() if name in (suite, "graphs")})
    every = [figure.show(store) for figure in (*suites.every_case(suite, store), *suites.held(suite, store, checked))]
    parts = [Part("suites", "All cases and bars", (), every)]
    for name, title, _, figures in PARTS[:-1]:
        mine = items(figures, alone)
        ours = (suite, "all", *(["graphs"] if name == suite else []))
        parts.append(Part(name, title, (), [item for of, item in mine if of in ours and not item.absent]))
    missing = [f"{len(list(lacking))} expected rows are absent: " + "; ".join(lacking) + "."] if lacking else []
    return Page(f"The suite {suite}", [_sources(store), *missing], [part for part in parts if part.items])


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

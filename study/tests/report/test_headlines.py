"""The pages of results in git are what the headlines say, and headlines come from rows alone."""

import json
import re

import made_up
import pytest

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.workload.messages import demo_cases
from study.figures.headlines import EXCERPTS
from study.report import headlines, page
from study.report.excerpt import take
from study.report.store import Store
from study.report.text import times

LINES = 300
"""The summary is read in ten minutes."""


@pytest.fixture(scope="module")
def kept():
    return headlines.load()


@pytest.fixture(scope="module")
def store():
    return Store(made_up.files(), dict.fromkeys(("cereal-128", "default-128"), made_up.area()))


def without(store, *stems):
    return Store({stem: rows for stem, rows in store.files.items() if stem not in stems}, store.areas)


def test_the_pages_in_git_are_rendered_from_the_headlines(kept):
    """`python -m study.report --headlines` writes them; who changes a headline or a sentence of the summary renders
    again."""
    assert headlines.text_of(kept) == headlines.FILE.read_text()
    for path, made in headlines.rendered(kept).items():
        assert path.read_text() == made, f"{path.relative_to(ROOT)} is not what study/docs/headlines.json says"


def test_the_summary_is_short_and_its_links_lead_somewhere(kept):
    text = headlines.summary(kept)
    assert len(text.splitlines()) <= LINES
    for target in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (headlines.SUMMARY.parent / target).is_file(), target


def test_every_excerpt_is_of_the_report(store):
    found = take(EXCERPTS, page.build(store), store, {})
    assert list(found) == [excerpt.name for excerpt in EXCERPTS] and all(each["lines"] for each in found.values())
    demo = {row["op"] + row["engine"]: row for row in store.files["demo"]}
    wanted = ["64 KB", "65,536"]
    for op in ("deserialize", "serialize"):
        nanopb, codec, engine = (demo[op + name]["cycles"] for name in ("nanopb", "table", "hw"))
        wanted += [*(f"{each:,}" for each in (nanopb, codec, engine)), times(codec / engine)]
    assert found["demo"]["lines"] == [wanted]
    made = headlines.summary(found)
    assert "| **jsbs**, geometric mean of 4 | deserialize |" in made and "`protobuf`" in made


@pytest.mark.parametrize(
    "stems, text",
    [
        (("demo",), r"What `make demo` prints / Cycles \(make demo\)"),
        (("broadcast",), "Cycles of an object in the broadcast"),
        (("cereal", "memory"), r"Figure 10 .*\n(.*\n)*.*make bench SUITE=memory"),
    ],
)
def test_fewer_rows_change_no_headline(store, stems, text):
    with pytest.raises(HeapwireError, match=text):
        headlines.refreshed(without(store, *stems))


def test_single_headlines_are_taken_anew(store, monkeypatch):
    whole = take(EXCERPTS, page.build(store), store, {})
    before = whole | {name: whole[name] | {"rows": "older"} for name in ("demo", "graphs")}
    monkeypatch.setattr(headlines, "load", lambda: before)
    made = json.loads(headlines.refreshed(without(store, "cereal", "memory"), ["demo"])[headlines.FILE])
    assert (made["demo"], made["graphs"]["rows"]) == (whole["demo"], "older")
    with pytest.raises(HeapwireError, match="no headline dmeo. What to do: --of some of demo, rpc, packing, messages"):
        headlines.refreshed(store, ["dmeo"])


def test_no_line_of_a_headline_is_lost(store):
    before = take(EXCERPTS, page.build(store), store, {})
    less = {name: [row for row in rows if row["engine"] != "kryo-manual"] for name, rows in store.files.items()}
    with pytest.raises(HeapwireError, match="cereal / Figure 12 / Cycles"):
        take(EXCERPTS, page.build(Store(less, store.areas)), store, before)
    with pytest.raises(HeapwireError, match="quick report"):
        take(EXCERPTS, page.build(store), Store(store.files, quick={"heap": "left out"}), before)


def number(text):
    return int(text.replace(",", ""))


def test_the_readme_has_the_messages_of_the_demo(kept):
    sizes = {name: number(size) for name, size, *_ in kept["demo"]["lines"]}
    assert sizes == {case.name: len(case.data) for case in demo_cases()[1]}

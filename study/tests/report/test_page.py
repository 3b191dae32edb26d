"""The page and its Markdown. Every figure is named, shows what the rows say, or says what is missing."""

import json
import re
from html import unescape

import made_up
import pytest
from click.testing import CliRunner

from base.errors import HeapwireError
from base.repository import ROOT
from study.bench.rows import IN_PLACE, PEERS
from study.report import __main__ as report
from study.report import html, markdown, page, plan, store

ROMAN = ("I", "II", "III", "IV", "V")
NUMBERS = {
    "wu": [f"Figure {n}" for n in range(1, 15)],
    "earlier": [f"Figure {n}" for n in range(1, 7)],
    "tax": [f"Figure {n}" for n in range(1, 12)],
    "cereal": [*(f"Figure {n}" for n in range(1, 18)), *(f"Table {n}" for n in ROMAN)],
    "skyway": [*(f"Figure {n}" for n in (*range(1, 8), "8(a)", "8(b)")), *(f"Table {n}" for n in range(1, 5))],
}
"""Every figure and table of the five papers."""


def build(folder, only=None, quick=None):
    bench, areas = made_up.write(folder, only)
    return page.build(store.load(bench, areas, quick))


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    return build(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def text(full):
    return html.page(full)


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    return build(tmp_path_factory.mktemp("nothing"), only=())


def rows_in(text):
    """Returns the texts of the cells of a page's tables, by row."""
    rows = re.findall(r"<tr.*?</tr>", text, re.S)
    cells = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.S) for row in rows]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in cells]


@pytest.mark.parametrize("kind", ["full", "nothing"])
def test_every_figure_of_the_papers_is_named(request, kind):
    content = request.getfixturevalue(kind)
    for part in content.parts:
        if part.name in NUMBERS:
            assert sorted(item.number for item in part.items if item.number) == sorted(NUMBERS[part.name]), part.title
    assert {part.name for part in content.parts} == {*NUMBERS, "ours", "suites"}


def test_what_is_shown_has_something_to_show_and_what_is_not_has_a_reason(full, nothing):
    for content in (full, nothing):
        for item in (item for part in content.parts for item in part.items):
            assert bool(item.absent) != bool(item.tables or item.plots or item.text), item.heading


def test_every_figure_that_the_page_claims_has_rows(full):
    """Made-up rows have the names of the benches' cases, so a figure that asks for other names has none."""
    unmeasured = [item.heading for part in full.parts for item in part.items if "not measured" in item.absent]
    assert not [heading for heading in unmeasured if re.match("Figure|Table", heading)] and page.errors(full) == []


LOST = {
    "int32_packed/": ("Datacenter Tax Cuts, Figure 1: ", "int32, packed"),
    "int64_": ("Datacenter Tax Cuts, Figure 6: ", "int64, packed"),
    "ultimaker/": ("Datacenter Tax Cuts, Figure 7: ", "this figure"),
    "bytes/": ("Wu & Schmulbach, Figure 11: ", "this figure"),
    "clear ": ("Wu & Schmulbach, Figure 14: ", "this figure"),
}


def test_a_figure_without_rows_of_a_measured_suite_is_an_error(tmp_path, monkeypatch):
    rows = [row for row in made_up.protobuf() if not row["case"].startswith(tuple(LOST))]
    content = page.build(store.Store({"protobuf": rows}))
    for figure, lost in LOST.values():
        (error,) = [error for error in page.errors(content) if error.startswith(figure)]
        assert "the suite protobuf is measured, but has no rows of " in error and lost in error
    assert page.errors(page.build(store.Store({"protobuf": rows}, quick={"protobuf": "a part"}))) == []
    monkeypatch.setattr(page, "build", lambda _: content)
    monkeypatch.setattr(html, "page", lambda *_: "")
    output = tmp_path / "index.html"
    result = CliRunner().invoke(report.main, ["--bench", str(tmp_path), "--output", str(output)])
    assert result.exit_code == 1 and "Figure 7: Ultimaker" in result.output and output.is_file()


def test_nothing_is_invented_without_rows(nothing):
    """Without rows the page has no figure. A figure that is not measured names the command."""
    absent = [item.absent for part in nothing.parts for item in part.items]
    assert all(absent) and sum(text.startswith("not measured: run `make ") for text in absent) > 30
    assert "Nothing was measured yet" in markdown.page(nothing)


def test_core_names_the_link_layouts_of_each_machine(full):
    (item,) = [item for part in full.parts for item in part.items if item.title.startswith("the core alone")]
    (table,) = item.tables
    layouts = {line[3]: line[-1] for line in table.lines}
    assert layouts == {"default-128": "5", "like-ulx3s-32": "5", "like-colorlight_i5-stock-32": "1"}


def test_page_and_markdown_have_the_same_tables(full, text):
    """The tables are equal cell by cell."""

    def plain(cell):
        return re.sub(r"[`*]|\]\([^)]*\)|\[", "", cell).strip()

    there = [[plain(cell) for cell in row] for row in rows_in(text)]
    lines = [line for line in markdown.page(full).splitlines() if line.startswith("|") and not line.startswith("|---")]
    assert [[plain(cell) for cell in line.strip("|").split("|")] for line in lines] == there


def test_ids_are_there_once_and_links_lead_somewhere(text, full):
    ids = re.findall(r'\sid="([^"]*)"', text)
    assert len(ids) == len(set(ids)) > 100
    for link in re.findall(r'\s(?:xlink:)?href="([^"]*)"', text):
        if link.startswith("#"):
            assert link[1:] in ids
        elif link.startswith("data/"):
            assert link.removeprefix("data/") in html.data_of(full)
        elif not link.startswith("http"):
            target, _, anchor = link.partition("#")
            file = (ROOT / "build" / "report" / target).resolve()
            assert file.is_file(), link
            if anchor:
                heads = [line.lstrip("# ").strip() for line in file.read_text().splitlines() if line.startswith("#")]
                assert anchor in [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads], link
    for name in re.findall(r"\]\((?!http)([^)#]+)", markdown.page(full, "")):
        assert (ROOT / name).is_file(), name


def rows_of(text, first):
    return [row for row in rows_in(text) if row and row[0] == first]


def test_the_page_says_what_the_rows_say(text):
    """One figure of each kind, computed here from the rows."""
    by = {(row["case"], row["op"], row["engine"]): row for row in [*made_up.cereal_rows(), *made_up.protobuf()]}
    java, unit = by["tree-narrow/511", "serialize", "java"], by["tree-narrow/511", "serialize", "hw"]
    lines = [row for row in rows_of(text, "tree-narrow/511") if row[1] == "serialize" and len(row) == 10]
    speed = next(row for row in lines if "," not in row[2])
    assert float(speed[6]) == pytest.approx(java["cycles"] / unit["cycles"], rel=0.01)
    message = {engine: by["jsbs/media.1", "deserialize", engine]["cycles"] for engine in (*PEERS, IN_PLACE, "hw")}
    lines = [row for row in rows_of(text, "jsbs/media.1") if row[1] == "deserialize" and len(row) == 14]
    line = next(row for row in lines if row[-1].endswith("x"))
    assert line[3:8] == [f"{cycles:,}" for cycles in message.values()]
    hw, alias = message.pop("hw"), message.pop("upb-alias")
    best = min(message, key=message.get)
    assert line[8:10] == [f"{message[best] / hw:.3g}x", best]
    assert line[10:] == [f"{cycles / hw:.3g}x" for cycles in (*message.values(), alias)]


def test_queries_are_over_the_peer_nearest_to_flinks(text):
    """Table 4 has only queries, table 2 only the programs of Spark's kinds."""
    rows = {(row["case"], row["engine"]): row for row in made_up.skyway_rows() if row["op"] == "shuffle"}

    def over(base, queries):
        ratios = [
            rows[case, "skyway-sw"]["cycles"] / row["cycles"]
            for (case, engine), row in rows.items()
            if engine == base and case.startswith("query-") == queries
        ]
        return f"{min(ratios):.2f} to {max(ratios):.2f}"

    java, flinks = [row for row in rows_of(text, "skyway-sw") if len(row) == 7 and " to " in row[1]]
    assert java[1].startswith(over("java", False)) and flinks[1].startswith(over("kryo-manual", True))
    theirs = "0.71 to 0.88 (0.81); 0.56 to 1.06 (0.77); 0.51 to 1.76 (0.96); 0.58 to 0.82 (0.75); 0.49 to 1.13 (0.61)"
    assert rows_of(text, "the paper's Skyway")[-1][1:] == [*theirs.split("; "), "1.23 to 2.03 (1.68)"]
    assert [row[0][0] for letter in "ABCDE" for row in rows_of(text, f"Q{letter}")] == ["Q"] * 5


def test_wrong_rows_are_in_no_figure_and_named(tmp_path):
    bench, areas = made_up.write(tmp_path, ("protobuf",))
    rows = [json.loads(line) for line in (bench / "protobuf.jsonl").read_text().splitlines()]
    for row in rows:
        if row["case"].startswith("jsbs/media.1"):
            row.update({"ok": False} if row["engine"] != "hw" else {"fallbacks": 1})
    (bench / "protobuf.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = markdown.page(page.build(store.load(bench, areas)))
    assert "rows are not shown" in made and "jsbs/media.1, deserialize (hw)" in made
    of_figures = made.partition("## All cases and bars")[0]
    assert not [line for line in of_figures.splitlines() if line.startswith("| jsbs/media.1 |")]
    assert "| jsbs/media.1 | 160 |" in made and "| **no** |" in made, "the suite's own table shows them as wrong"


@pytest.mark.parametrize("damage", ['{"suite": "protobuf", "case": "x"', '{"suite": "protobuf"}', "[]"])
def test_damaged_rows_are_an_error_that_names_the_line(tmp_path, damage):
    bench, areas = made_up.write(tmp_path, ("memory",))
    with (bench / "memory.jsonl").open("a") as file:
        file.write(damage)
    with pytest.raises(HeapwireError, match=r"memory.jsonl:27 is no row"):
        store.load(bench, areas)


def test_a_quick_report_says_for_each_figure_how_it_was_cut(tmp_path):
    content = build(tmp_path, quick={suite: f"the cut of {suite}" for suite in plan.SUITES})
    of_others = re.compile("heap|pauses|area")
    for item in (item for part in content.parts if part.name in ("wu", "tax") for item in part.items):
        assert item.absent or of_others.search(item.title) or item.cut == "the cut of protobuf", item.heading
    assert "This is a quick report" in markdown.page(content) and "the cut of cereal" in markdown.page(content)


def test_pictures_take_the_colours_of_the_page(text):
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(pictures) > 40
    for picture in pictures:
        assert "currentColor" in picture and "#010203" not in picture and "#040506" not in picture
        assert re.search(r'aria-label="[^"]+"', picture) and 'width="' not in picture.partition(">")[0]


def test_the_page_fits_a_phone_and_the_dark(text):
    assert 'name="viewport" content="width=device-width' in text and "prefers-color-scheme: dark" in text
    assert all(part.count("<table") == 1 for part in text.split('<div class="wide">')[1:])


def test_some_suites_alone(tmp_path):
    for stem in made_up.files():
        content = build(tmp_path / stem, (stem,))
        assert markdown.page(content) and page.errors(content) == []


def test_the_page_names_the_revisions_of_its_rows():
    files = made_up.files()
    files["heap"] = [row | {"revision": ("b2", "a1-dirty")[i % 2]} for i, row in enumerate(files["heap"])]
    rows = markdown.page(page.build(store.Store(files))).split("Rows: ")[1].splitlines()[0]
    assert f"`heap` ({len(files['heap'])}, at a1-dirty and b2)" in rows and "unknown" not in rows

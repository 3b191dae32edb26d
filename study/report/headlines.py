"""The pages of results that are in git, rendered from study/docs/headlines.json: a table of the README and one of
docs/howto/rpc.md, the summary docs/results.md, and its chart. `python -m study.report --headlines` takes the headlines
anew from rows."""

import json
import re
import textwrap
from functools import partial
from pathlib import Path
from typing import Collection, Mapping

from base.errors import HeapwireError
from base.repository import ROOT
from study.figures.headlines import CALLS, CHART, DEMO, EXCERPTS, SECTIONS
from study.report import markdown, page, svg
from study.report.excerpt import Excerpt, take
from study.report.figure import paragraphs
from study.report.store import Store

FILE = ROOT / "study" / "docs" / "headlines.json"
SUMMARY, PICTURE = ROOT / "docs" / "results.md", ROOT / "docs" / "results.svg"
WITH_TABLES = {ROOT / "README.md": DEMO, ROOT / "docs" / "howto" / "rpc.md": CALLS}
"""Pages of which one table is a headline."""
WIDTH = 120
INK = "#7a7f87"
"""The colour of text in the chart, which is seen on white and on black."""
Headlines = Mapping[str, dict]


def load() -> dict[str, dict]:
    return json.loads(FILE.read_text())


def _excerpt(headlines: Headlines, excerpt: Excerpt) -> str:
    found = headlines[excerpt.name]
    return markdown.lines(
        found["head"], [line for line in found["lines"] if not excerpt.shown or excerpt.shown in line]
    )


def _wrapped(block: str) -> str:
    """Returns a block of text, wrapped; the lines of a list one by one."""
    fill = partial(textwrap.fill, width=WIDTH, break_long_words=False, break_on_hyphens=False)
    if not block.startswith("- "):
        return fill(block)
    return "\n".join(fill(line, subsequent_indent="  ") for line in re.split(r" (?=- [A-Z])", block))


def summary(headlines: Headlines) -> str:
    """Returns docs/results.md."""
    blocks = []
    for section, after in zip(SECTIONS, [*SECTIONS[1:], None]):
        if isinstance(section, Excerpt):
            blocks.append(_excerpt(headlines, section))
        elif callable(section):
            table = section(headlines)
            blocks.append(markdown.lines(table.head, table.lines))
        else:
            of = headlines[after.name]["rows"] if isinstance(after, Excerpt) else ""
            blocks += [f"{_wrapped(block)}\n" for block in paragraphs(section.replace("{of}", of))]
    return "\n".join(blocks)


def with_table(headlines: Headlines, excerpt: Excerpt, page: Path) -> str:
    """Returns a page with a table of the headlines in the place of its own."""
    table, text = _excerpt(headlines, excerpt), page.read_text()
    head = re.escape(table.split("\n")[0])
    text, count = re.subn(rf"^{head}\n(?:\|.*\n)+", lambda _: table, text, flags=re.M)
    if count != 1:
        raise HeapwireError(f"{page.name} has {count} tables `{excerpt.name}` in the place of one")
    return text


def chart(headlines: Headlines) -> str:
    from study.report import plots

    panels: dict[str, dict[str, dict[str, float]]] = {}
    for title, excerpt, operation, columns in CHART:
        head = headlines[excerpt.name]["head"]
        for line in headlines[excerpt.name]["lines"]:
            if line[1] == operation and "mean" in line[0]:
                name = line[0].partition(",")[0].strip("*")
                cells = {column: line[head.index(column)] for column in columns}
                bars = {column: float(cell.rstrip("x")) for column, cell in cells.items() if cell}
                panels.setdefault(title, {})[name] = bars
    return svg.file(plots.bars(panels, "times as fast, geometric means, logarithmic", log=True), INK)


def rendered(headlines: Headlines) -> dict[Path, str]:
    """Returns the pages in git that follow from the headlines."""
    tables = {page: with_table(headlines, excerpt, page) for page, excerpt in WITH_TABLES.items()}
    return {SUMMARY: summary(headlines), **tables, PICTURE: chart(headlines)}


def refreshed(store: Store, names: Collection[str] = ()) -> dict[Path, str]:
    """Returns headlines and pages of these rows. names: of the headlines that are taken anew (empty: all). Raises
    HeapwireError if a headline's row is missing, or if there is no headline of a name."""
    if unknown := set(names) - {excerpt.name for excerpt in EXCERPTS}:
        raise HeapwireError(
            f"no headline {', '.join(sorted(unknown))}. What to do: --of some of "
            + ", ".join(excerpt.name for excerpt in EXCERPTS)
        )
    before = load() if FILE.exists() else {}
    anew = [excerpt for excerpt in EXCERPTS if not names or excerpt.name in names]
    found = before | take(anew, page.build(store), store, before)
    found = {excerpt.name: found[excerpt.name] for excerpt in EXCERPTS}
    return {FILE: text_of(found), **rendered(found)}


def text_of(headlines: Headlines) -> str:
    """Returns headlines.json, with a line for each line of a table."""
    blocks = []
    for name, found in headlines.items():
        lines = ",\n".join(f"  {json.dumps(line, ensure_ascii=False)}" for line in found["lines"])
        head = f'"rows": {json.dumps(found["rows"])}, "head": {json.dumps(found["head"], ensure_ascii=False)}'
        blocks.append(f'"{name}": {{{head}, "lines": [\n{lines}]}}')
    return "{\n" + ",\n".join(blocks) + "\n}\n"

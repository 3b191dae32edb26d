"""Writes the report as one page of HTML with inline pictures. The page is light or dark like the reader's system, and
readable on a phone."""

import html
import re

from markdown_it import MarkdownIt

from study.report.content import Item, Page, Part, Table
from study.report.svg import inline

STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1c1e; --soft: #5c5f66; --faint: #d9dbe0;
--link: #0b57d0; --mark: #f4f5f7; }
@media (prefers-color-scheme: dark) { :root { --paper: #17181b; --ink: #e6e7ea; --soft: #a2a6ad; --faint: #3a3d43;
--link: #8ab4f8; --mark: #212328; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 54rem; background: var(--paper); color: var(--ink);
font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { margin-top: 3rem; font-size: 1.3rem;
border-bottom: 1px solid var(--faint); } h3 { margin: 2.2rem 0 .4rem; font-size: 1.05rem; }
a { color: var(--link); } code { font-size: .9em; background: var(--mark); padding: 0 .2em; border-radius: 3px; }
p { margin: .5rem 0; } .soft, figcaption, caption { color: var(--soft); font-size: .88rem; }
caption { text-align: left; padding: .3rem 0; }
figure { margin: 1rem 0; } svg { width: 100%; height: auto; display: block; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .55rem; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { vertical-align: bottom; white-space: normal;
min-width: 4rem; }
td.text { white-space: normal; text-align: left; min-width: 12rem; }
.gap { border-left: 3px solid var(--faint); padding-left: .7rem; } details > summary { cursor: pointer;
color: var(--soft); font-size: .88rem; }
nav ul { columns: 2; padding-left: 1.2rem; } @media (max-width: 40rem) { nav ul { columns: 1; } body { padding: .8rem;
font-size: 15px; } }
"""
LONG = 12
"""Longest table, in lines, that is not folded if there is a picture of it."""
LONGER = 60
"""The same without a picture."""
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


def _text(text: str) -> str:
    return _MARKDOWN.renderInline(text)


def data_of(content: Page) -> dict[str, Table]:
    """Returns the tables of the page's items by the names of their files, which lie in `data` beside the page."""
    return {
        f"{part.anchor(item)}-{i}.csv": table
        for part in content.parts
        for item in part.shown
        for i, table in enumerate(item.tables)
    }


def _table(table: Table, folded: bool = False, data: str = "") -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    lines = "".join(
        "<tr>" + "".join(f"<td{_kind(cell, at)}>{_text(cell)}</td>" for at, cell in enumerate(line)) + "</tr>\n"
        for line in table.lines
    )
    link = f' <a href="data/{data}">data</a>' if data else ""
    whole = (
        f'<div class="wide"><table><caption>{_text(table.title)}{link}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{lines}</tbody></table></div>\n"
    )
    return (
        f"<details><summary>{_text(table.title)}: {len(table.lines)} lines</summary>\n{whole}</details>\n"
        if folded
        else whole
    )


def _kind(cell: str, at: int) -> str:
    return ' class="text"' if at and not re.match(r"[\s\d*<>(+-]*\d|$", cell) and len(cell) > 24 else ""


def _anchor(name: str) -> str:
    """Returns a link to a place of the page, which a reader can copy."""
    return f'<a class="soft" href="#{name}" aria-label="link to this figure">#</a>'


def _item(part: Part, item: Item) -> str:
    text = [
        f'<section id="{part.anchor(item)}">\n<h3>{_text(item.heading)} {_anchor(part.anchor(item))}</h3>\n',
        *(f"<p>{_text(paragraph)}</p>\n" for paragraph in item.text),
    ]
    if item.cut:
        text.append(f'<p class="gap"><b>Quick report:</b> {_text(item.cut)}</p>\n')
    if item.absent:
        text.append(f'<p class="gap">{_text(item.absent)}</p>\n')
    for i, plot in enumerate(item.plots):
        picture = inline(plot, f"{part.anchor(item)}-{i}-")
        text.append(f"<figure>{picture}<figcaption>{_text(plot.alt)}</figcaption></figure>\n")
    text += [
        _table(table, len(table.lines) > (LONG if item.plots else LONGER), f"{part.anchor(item)}-{i}.csv")
        for i, table in enumerate(item.tables)
    ]
    return "".join(text) + "</section>\n"


def _part(part: Part) -> str:
    text = [
        f'<h2 id="{part.anchor()}">{_text(part.title)}</h2>\n',
        *(f"<p>{_text(paragraph)}</p>\n" for paragraph in part.text),
    ]
    return "".join(text + [_item(part, item) for item in part.shown])


def _gone(part: Part) -> str:
    """Returns what of a part is not here."""
    if not part.gone:
        return ""
    text = [f'<section id="{part.anchor()}-not-here"><h3>{_text(part.title)}: not here</h3>\n<ul>\n']
    for item in part.gone:
        title = f", {_text(item.title)}" if item.number else ""
        heading = f"<b>{_text(item.number or item.heading)}</b>{title}"
        text.append(f'<li id="{part.anchor(item)}">{heading}: {_text(item.absent)}</li>\n')
    return "".join([*text, "</ul></section>\n"])


def page(content: Page, root: str = "../../") -> str:
    """Returns the page. root: path of the repository, relative to the page."""
    links = "".join(
        f'<li><a href="#{part.anchor()}">{_text(part.title)}</a>'
        f'<br><span class="soft">{len(part.shown)} shown, {len(part.gone)} not</span></li>\n'
        for part in content.parts
    )
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
        'content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(content.title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{_text(content.title)}</h1>\n"
        + "".join(map(_table, content.tables))
        + "".join(f"<p>{_text(paragraph)}</p>\n" for paragraph in content.text)
        + f"<nav><ul>\n{links}</ul></nav>\n"
        + "".join(show(part) for show in (_part, _gone) for part in content.parts)
        + "</body>\n</html>\n"
    )
    return text.replace('href="root:', f'href="{root}')

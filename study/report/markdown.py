"""Writes a page as Markdown, without its pictures."""

from typing import Iterable, Sequence

from study.report.content import Item, Page, Part, Table

SENTENCE = 40
"""Letters from which on a cell is a sentence."""


def lines(head: Sequence[str], found: Iterable[Sequence[str]]) -> str:
    """Returns a table. Numbers stand right, sentences left."""
    found = list(found)
    sentence = [at == 0 or any(len(line[at]) > SENTENCE for line in found) for at in range(len(head))]
    rule = "".join("|---" if left else "|---:" for left in sentence) + "|\n"
    first, *rest = ("| " + " | ".join(line) + " |\n" for line in (head, *found))
    return "".join([first, rule, *rest])


def _table(table: Table) -> str:
    return f"{table.title}:\n\n{lines(table.head, table.lines)}"


def _item(item: Item) -> list[str]:
    cut = [f"**Quick report:** {item.cut}\n"] if item.cut else []
    text = [f"{paragraph}\n" for paragraph in item.text]
    return [f"### {item.heading}\n", *text, *cut, *map(_table, item.tables)]


def _part(part: Part) -> list[str]:
    blocks = [f"## {part.title}\n", *(f"{paragraph}\n" for paragraph in part.text)]
    return blocks + [block for item in part.shown for block in _item(item)]


def _gone(part: Part) -> list[str]:
    found = [
        f"- **{item.number or item.heading}**{', ' + item.title if item.number else ''}: {item.absent}\n"
        for item in part.gone
    ]
    return [f"### {part.title}: not here\n", "".join(found)] if found else []


def page(content: Page, root: str = "../../") -> str:
    """Returns the page. root: path of the repository, relative to the page."""
    blocks = [f"# {content.title}\n", *map(_table, content.tables), *(f"{paragraph}\n" for paragraph in content.text)]
    blocks += [block for show in (_part, _gone) for part in content.parts for block in show(part)]
    return "\n".join(blocks).replace("](root:", f"]({root}")

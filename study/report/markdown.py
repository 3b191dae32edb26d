"""Writes a page as Markdown, without its pictures."""

from study.report.content import Item, Page, Part, Table


def _table(table: Table) -> str:
    rule = ["---"] + ["---:"] * (len(table.head) - 1)
    rows = [list(table.head), rule, *table.lines]
    return f"{table.title}:\n\n" + "".join("| " + " | ".join(row) + " |\n" for row in rows)


def _item(item: Item) -> list[str]:
    cut = [f"**Quick report:** {item.cut}\n"] if item.cut else []
    text = [f"{paragraph}\n" for paragraph in item.text]
    return [f"### {item.heading}\n", *text, *cut, *map(_table, item.tables)]


def _part(part: Part) -> list[str]:
    blocks = [f"## {part.title}\n", *(f"{paragraph}\n" for paragraph in part.text)]
    blocks += [block for item in part.items if not item.absent for block in _item(item)]
    gone = [
        f"- **{item.number or item.heading}**{', ' + item.title if item.number else ''}: {item.absent}\n"
        for item in part.items
        if item.absent
    ]
    return [*blocks, "### Not here\n", "".join(gone)] if gone else blocks


def page(content: Page, root: str = "../../") -> str:
    """Returns the page. root: path of the repository, relative to the page."""
    blocks = [f"# {content.title}\n", *(f"{paragraph}\n" for paragraph in content.text)]
    blocks += [block for part in content.parts for block in _part(part)]
    return "\n".join(blocks).replace("](root:", f"]({root}")

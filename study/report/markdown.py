"""Writes the report as Markdown: the page without its pictures."""

from __future__ import annotations

from study.report.content import Item, Page, Part, Table


def _text(text: str) -> str:
    return text.replace("](docs:", "](../../docs/")


def _table(table: Table) -> str:
    rule = ["---"] + ["---:"] * (len(table.head) - 1)
    rows = [list(table.head), rule, *table.lines]
    return f"{_text(table.title)}:\n\n" + "".join(
        "| " + " | ".join(_text(cell) for cell in row) + " |\n" for row in rows
    )


def _item(item: Item) -> str:
    blocks = [f"### {_text(item.heading)}\n", *(f"{_text(paragraph)}\n" for paragraph in item.text)]
    if item.cut:
        blocks.append(f"**Quick report:** {_text(item.cut)}\n")
    blocks += [_table(table) for table in item.tables]
    return "\n".join(blocks)


def _part(part: Part) -> str:
    blocks = [
        f"## {_text(part.title)}\n",
        *(f"{_text(paragraph)}\n" for paragraph in part.text),
        *(_item(item) for item in part.items if not item.absent),
    ]
    if gone := [item for item in part.items if item.absent]:
        blocks.append("### Not here\n")
        blocks.append(
            "".join(
                f"- **{_text(item.number or item.heading)}**{', ' + _text(item.title) if item.number else ''}: "
                f"{_text(item.absent)}\n"
                for item in gone
            )
        )
    return "\n".join(blocks)


def page(content: Page) -> str:
    """Returns the page."""
    return "\n".join(
        [
            f"# {content.title}\n",
            *(f"{_text(paragraph)}\n" for paragraph in content.text),
            *(_part(part) for part in content.parts),
        ]
    )

"""The parts of the report. A page is built once, and written both as HTML and as Markdown, so that both say the
same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable, Sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """A picture. name: name of its file. alt: a description in words. draw: makes the picture when it is needed."""

    name: str
    alt: str
    draw: Callable[[], "Figure"]


@dataclass(frozen=True)
class Table:
    """A table: its title, head and lines. Text in cells may contain backticks, stars and links of Markdown."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper, or one of ours.

    number: the paper's number, e.g. `Figure 10`; empty if the item is ours. title: the subject. text: paragraphs that
    say what the paper reports, which configuration ours has, and what differs and why. absent: the reason why nothing
    is shown, or empty. cut: what a quick report left out."""

    number: str
    title: str
    text: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    tables: Sequence[Table] = ()
    absent: str = ""
    cut: str = ""

    @property
    def heading(self) -> str:
        """The heading of the item."""
        return f"{self.number}: {self.title}" if self.number else self.title[:1].upper() + self.title[1:]

    @property
    def anchor(self) -> str:
        """The anchor of the item within its part."""
        return _slug(self.number or self.title)


@dataclass(frozen=True)
class Part:
    """A paper, or our own part."""

    name: str
    title: str
    text: Sequence[str] = ()
    items: Sequence[Item] = field(default_factory=tuple)

    def anchor(self, item: Item | None = None) -> str:
        """Returns the anchor of the part, or of one of its items, on the page."""
        return f"{self.name}-{item.anchor}" if item else self.name


@dataclass(frozen=True)
class Page:
    """The report."""

    title: str
    text: Sequence[str]
    parts: Sequence[Part]


def absent(number: str, title: str, why: str) -> Item:
    """Returns an item that is not shown, with the reason."""
    return Item(number, title, absent=why)


def unmeasured(number: str, title: str, command: str, text: Sequence[str] = ()) -> Item:
    """Returns an item without rows so far. command: the command that measures them."""
    return Item(number, title, absent=" ".join([f"not measured: run `{command}`.", *text]))


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())

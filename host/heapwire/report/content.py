"""What the report consists of. A page is built once, and written as HTML and as Markdown, so that both say the same."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable, Sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """A picture. name: of its file; alt: what it shows, in words; draw: makes it, when it is wanted."""

    name: str
    alt: str
    draw: Callable[[], "Figure"]


@dataclass(frozen=True)
class Table:
    """A table: its title, its head, its lines; text in cells is Markdown's, of which backticks, stars and links are known."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Item:
    """A figure or table of a paper, or one of ours.

    number: as the paper has it, e.g. `Figure 10`; empty if it is ours. title: what it shows. text: paragraphs: what the paper says, of
    what configuration ours are, what differs and why. absent: why nothing is shown; empty if something is. cut: what a quick report left out."""

    number: str
    title: str
    text: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    tables: Sequence[Table] = ()
    absent: str = ""
    cut: str = ""

    @property
    def heading(self) -> str:
        """What stands above it."""
        return f"{self.number}: {self.title}" if self.number else self.title[:1].upper() + self.title[1:]

    @property
    def anchor(self) -> str:
        """Within its part."""
        return _slug(self.number or self.title)


@dataclass(frozen=True)
class Part:
    """A paper, or what is ours."""

    name: str
    title: str
    text: Sequence[str] = ()
    items: Sequence[Item] = field(default_factory=tuple)

    def anchor(self, item: Item | None = None) -> str:
        """Of the part, or of an item of it, on the page."""
        return f"{self.name}-{item.anchor}" if item else self.name


@dataclass(frozen=True)
class Page:
    """The report."""

    title: str
    text: Sequence[str]
    parts: Sequence[Part]


def absent(number: str, title: str, why: str) -> Item:
    """A figure that is not shown, and why."""
    return Item(number, title, absent=why)


def unmeasured(number: str, title: str, command: str, text: Sequence[str] = ()) -> Item:
    """A figure of which there are no rows yet. command: what measures them."""
    return Item(number, title, absent=" ".join([f"not measured: run `{command}`.", *text]))


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())

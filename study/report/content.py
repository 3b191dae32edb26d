"""The parts of a page. A page is built once, and written both as HTML and as Markdown, so that both say the same."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Sequence

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """A picture. alt: a description in words. draw: makes the picture when it is needed."""

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
    is shown, or empty. cut: what a quick report left out. error: what the figure claims, and has no rows of
    although its suite was measured. Links to files begin with `root:` and go on from the root of the repository."""

    number: str
    title: str
    text: Sequence[str] = ()
    plots: Sequence[Plot] = ()
    tables: Sequence[Table] = ()
    absent: str = ""
    cut: str = ""
    error: str = ""

    @property
    def heading(self) -> str:
        return f"{self.number}: {self.title}" if self.number else self.title[:1].upper() + self.title[1:]

    @property
    def anchor(self) -> str:
        """The anchor of the item within its part."""
        text = (self.number or self.title).lower()
        return "-".join("".join(c if c.isalnum() else " " for c in text).split())

    def show(self, store: object) -> "Item":
        """Returns the item itself: one that needs no rows may stand among figures."""
        return self


@dataclass(frozen=True)
class Part:
    """A paper, or our own part."""

    name: str
    title: str
    text: Sequence[str] = ()
    items: Sequence[Item] = ()

    @property
    def shown(self) -> list[Item]:
        return [item for item in self.items if not item.absent]

    @property
    def gone(self) -> list[Item]:
        """The items that are not shown. The page names them at its end."""
        return [item for item in self.items if item.absent]

    def anchor(self, item: Item | None = None) -> str:
        """Returns the anchor of the part, or of one of its items, on the page."""
        return f"{self.name}-{item.anchor}" if item else self.name


@dataclass(frozen=True)
class Page:
    """A page. tables: what it begins with."""

    title: str
    text: Sequence[str]
    parts: Sequence[Part]
    tables: Sequence[Table] = ()


def numbered(heading: str) -> tuple[str, str]:
    """Returns the paper's number, which may be missing, and the title of a heading: `Figure 1: title`."""
    found = re.match(r"((?:Figure|Table) \S+): ", heading)
    return (found[1], heading[found.end() :]) if found else ("", heading)


def absent(why: str, headings: str) -> list[Item]:
    """Returns items that are not shown, with the reason. headings: with semicolons between them."""
    return [Item(*numbered(heading), absent=" ".join(why.split())) for heading in headings.split("; ")]


def drawings(headings: str) -> list[Item]:
    """Returns the items of figures that only draw something."""
    return absent("a drawing; nothing is measured in it", headings)


def unmeasured(number: str, title: str, command: str, needs: str = "") -> Item:
    """Returns an item without rows so far. command: the command that measures them."""
    return Item(number, title, absent=f"not measured: run `{command}`. {needs}".strip())

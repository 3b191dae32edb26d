"""Converts pictures to SVG for a page. Text stays text and takes the page's colours."""

import re
from io import StringIO
from typing import TYPE_CHECKING

from study.report.content import Plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def inline(plot: Plot, prefix: str) -> str:
    """Returns the picture as an element of an HTML page. prefix: of ids, which must not repeat on the page."""
    from study.report.plots import FAINT, INK

    text = _drawn(plot.draw())
    text = text[text.index("<svg") :].replace(INK, "currentColor").replace(FAINT, "var(--faint)")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\b(id="|xlink:href="#|url\(#)', lambda match: match[0] + prefix, text)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', text)
    assert size
    text = text.replace(size[0], f'style="max-width: {float(size[1]) * 1.6:.0f}px"', 1)
    return text.replace("<svg", f'<svg role="img" aria-label="{_escaped(plot.alt)}"', 1)


def file(figure: "Figure", ink: str) -> str:
    """Returns a picture as a file of its own, with text in a colour that is seen on any page."""
    from study.report.plots import FAINT, INK

    text = _drawn(figure)
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    text = text.replace(INK, ink).replace(FAINT, f"{ink}55")
    return re.sub(r"\s*\n\s*", " ", text).replace(' <g id="axes', '\n<g id="axes').strip() + "\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")


def _drawn(figure: "Figure") -> str:
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    return out.getvalue()

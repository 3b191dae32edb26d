"""Draws the pictures. They are narrow, so that a phone shows them whole. They have neither a background nor a text
colour of their own: `study.report.svg` leaves these to the page, light or dark."""

from typing import Mapping, Sequence

import matplotlib

matplotlib.use("svg")
from matplotlib.artist import Artist  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import Patch  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: E402

WIDTH = 4.6
"""Inches."""
INK, FAINT = "#010203", "#040506"
"""Placeholders for the page's colours of text and of fine lines."""
COLOURS = {
    "java": "#8c6bb1",
    "kryo-generic": "#41a5c4",
    "kryo-manual": "#2171b5",
    "cereal-sw": "#74a33c",
    "skyway-sw": "#b8860b",
    "skyway-hw": "#e6791c",
    "nanopb": "#2171b5",
    "table": "#74a33c",
    "upb": "#41a5c4",
    "upb-alias": "#b8860b",
    "upb-nocheck": "#a0522d",
    "capnp": "#8c6bb1",
    "hw-vanilla": "#d68aa3",
    "hw": "#d7301f",
    "hw-x2": "#e6791c",
    "hw-x4": "#b8860b",
    "hw-x8": "#a0522d",
    "hw_nanopb": "#e6791c",
    "paper": "#888888",
}
"""Colours by engine, visible on a white and on a black page."""
OTHERS = ("#2171b5", "#d7301f", "#74a33c", "#8c6bb1", "#e6791c", "#41a5c4", "#b8860b", "#d68aa3", "#888888")
MARKERS = "osD^vP*X<>"
RATIOS = 1000
"""Logarithmic bars begin at 1 where no value is larger."""
matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "heapwire",
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.5,
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 9,
        "axes.titlecolor": INK,
        "axes.axisbelow": True,
        "xtick.color": INK,
        "ytick.color": INK,
        "text.color": INK,
        "grid.color": FAINT,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 8,
        "figure.constrained_layout.use": True,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
    }
)


def _colours(names: Sequence[str]) -> dict[str, str]:
    """Returns a colour for each name: engines have their own, other names get the next free one."""
    used = [COLOURS[name] for name in names if name in COLOURS]
    free = [each for each in OTHERS if each not in used] or list(OTHERS)
    others = [name for name in names if name not in COLOURS]
    return {name: COLOURS[name] if name in COLOURS else free[others.index(name) % len(free)] for name in names}


def _plain(value: float, _: object = None) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


def _logarithmic(axes: Axes, which: str) -> None:
    getattr(axes, f"set_{which}scale")("log")
    axis = getattr(axes, f"{which}axis")
    axis.set_major_formatter(FuncFormatter(_plain))
    low, high = axis.get_view_interval()
    # Within two decades the powers of ten alone would give hardly any ticks.
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 100 * low else (1.0,), numticks=9))
    axis.set_minor_formatter(FuncFormatter(lambda value, at: ""))


def _columns(names: Sequence[str]) -> int:
    """Returns how many names fit into a line of the legend."""
    return max(1, min(len(names), int(WIDTH / (0.066 * max(map(len, names)) + 0.5)))) if names else 1


def _figure(heights: Sequence[float], names: Sequence[str]) -> tuple[Figure, list[Axes]]:
    """Returns a figure with panels of these heights, one below the other, and room for a legend of the names."""
    legend = 0.2 * -(-len(names) // _columns(names)) if len(names) > 1 else 0.0
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.35 * len(heights) + 0.4 + legend))
    panels = figure.subplots(len(heights), 1, squeeze=False, gridspec_kw={"height_ratios": list(heights)})
    return figure, list(panels[:, 0])


def _legend(figure: Figure, handles: Mapping[str, Artist]) -> None:
    if len(handles) > 1:
        names = list(handles)
        figure.legend(handles.values(), names, loc="outside upper center", ncols=_columns(names))


def _patches(colours: Mapping[str, str]) -> dict[str, Artist]:
    return {name: Patch(color=colour) for name, colour in colours.items()}


def _names(panels: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[str]:
    return list(dict.fromkeys(name for cases in panels.values() for found in cases.values() for name in found))


def _ticks(axes: Axes, title: str, ticks: Sequence[tuple[float, str]], bottom: float) -> None:
    axes.set_yticks([y for y, _ in ticks], [case for _, case in ticks])
    axes.set_ylim(bottom, -0.8)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    axes.set_title(title, loc="left")


def bars(panels: Mapping[str, Mapping[str, Mapping[str, float]]], label: str, log: bool = False) -> Figure:
    """Draws horizontal bars. panels: by title, then by case (a group of bars), then by engine (a bar)."""
    colours = _colours(_names(panels))
    heights = [0.14 * sum(len(found) + 0.8 for found in cases.values()) + 0.3 for cases in panels.values()]
    figure, rows = _figure(heights, list(colours))
    for axes, (title, cases) in zip(rows, panels.items()):
        at, ticks, drawn = 0.0, [], []
        for case, found in cases.items():
            ticks.append((at + (len(found) - 1) / 2, case))
            drawn += [(at + i, value, colours[name]) for i, (name, value) in enumerate(found.items())]
            at += len(found) + 0.8
        places, values, of = zip(*drawn)
        axes.barh(places, values, height=0.9, color=of)
        _ticks(axes, title, ticks, at - 0.5)
        axes.grid(axis="x")
        if log:
            if min(values) >= 1 and max(values) < RATIOS:
                axes.set_xlim(left=1)
            _logarithmic(axes, "x")
    rows[-1].set_xlabel(label)
    _legend(figure, _patches(colours))
    return figure


def stacked(panels: Mapping[str, Mapping[str, Mapping[str, float]]], label: str) -> Figure:
    """Draws horizontal bars of stacked parts. panels: by title, then by case (a bar), then by part."""
    colours = {name: OTHERS[i % len(OTHERS)] for i, name in enumerate(_names(panels))}
    figure, rows = _figure([0.2 * len(cases) + 0.3 for cases in panels.values()], list(colours))
    for axes, (title, cases) in zip(rows, panels.items()):
        left = [0.0] * len(cases)
        for name, colour in colours.items():
            values = [found.get(name, 0.0) for found in cases.values()]
            axes.barh(range(len(cases)), values, left=left, height=0.8, color=colour)
            left = [before + value for before, value in zip(left, values)]
        _ticks(axes, title, list(enumerate(cases)), len(cases) - 0.4)
    rows[-1].set_xlabel(label)
    _legend(figure, _patches(colours))
    return figure


def lines(
    panels: Mapping[str, Mapping[str, Sequence[tuple[float, float]]]],
    across: str,
    up: str,
    log: str = "xy",
    points: bool = False,
) -> Figure:
    """Draws lines over a sweep, one panel below the other. panels: by title, then by name. log: the logarithmic axes.
    points: draws points without lines."""
    names = list(dict.fromkeys(name for found in panels.values() for name in found))
    colours, marks = _colours(names), {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}
    figure, rows = _figure([2.15] * len(panels), names)
    handles: dict[str, Artist] = {}
    for axes, (title, found) in zip(rows, panels.items()):
        for name, values in found.items():
            x, y = zip(*values)
            style = {"color": colours[name], "marker": marks[name], "markersize": 3.5}
            (handles[name],) = axes.plot(x, y, linewidth=0 if points else 1.2, **style)
        axes.set_title(title, loc="left")
        axes.set_ylabel(up)
        axes.grid()
        for which in log:
            _logarithmic(axes, which)
    rows[-1].set_xlabel(across)
    _legend(figure, handles)
    return figure

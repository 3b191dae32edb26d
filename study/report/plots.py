"""Draws the pictures. They are narrow, so that a phone shows them whole. They have neither a background nor a text
colour of their own: `study.report.svg` leaves these to the page, light or dark."""

from __future__ import annotations

from typing import Mapping, Sequence

import matplotlib

matplotlib.use("svg")
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
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
matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "heapwire",
        "font.family": "sans-serif",
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


def _legend_height(names: Sequence[str]) -> float:
    return 0.2 * -(-len(names) // _columns(names)) if len(names) > 1 else 0.0


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside upper center", ncols=_columns(labels))


def bars(panels: Mapping[str, Mapping[str, Mapping[str, float]]], label: str, log: bool = False) -> Figure:
    """Draws horizontal bars. panels: by title, then by case (a group of bars), then by engine (a bar)."""
    names = list(dict.fromkeys(name for cases in panels.values() for found in cases.values() for name in found))
    colours = _colours(names)
    heights = [0.14 * sum(len(found) + 0.8 for found in cases.values()) + 0.3 for cases in panels.values()]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.35 * len(panels) + 0.4 + _legend_height(names)))
    rows = figure.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (title, cases) in zip(rows[:, 0], panels.items()):
        at, ticks = 0.0, []
        drawn: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in names}
        for case, found in cases.items():
            ticks.append((at + (len(found) - 1) / 2, case))
            for name, value in found.items():
                drawn[name][0].append(at)
                drawn[name][1].append(value)
                at += 1
            at += 0.8
        for name in names:
            axes.barh(*drawn[name], height=0.9, color=colours[name], label=name)
        axes.set_yticks([y for y, _ in ticks], [case for _, case in ticks])
        axes.set_ylim(at - 0.5, -0.8)
        axes.tick_params(axis="y", length=0)
        axes.set_title(title, loc="left")
        axes.grid(axis="x")
        if log:
            _logarithmic(axes, "x")
        else:
            axes.xaxis.set_major_formatter(FuncFormatter(_plain))
    rows[-1, 0].set_xlabel(label)
    _legend(figure, rows[0, 0])
    return figure


def stacked(panels: Mapping[str, Mapping[str, Mapping[str, float]]], label: str) -> Figure:
    """Draws horizontal bars of stacked parts. panels: by title, then by case (a bar), then by part."""
    names = list(dict.fromkeys(name for cases in panels.values() for found in cases.values() for name in found))
    heights = [0.2 * len(cases) + 0.3 for cases in panels.values()]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.35 * len(panels) + 0.4 + _legend_height(names)))
    rows = figure.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (title, cases) in zip(rows[:, 0], panels.items()):
        left = [0.0] * len(cases)
        for i, name in enumerate(names):
            values = [found.get(name, 0.0) for found in cases.values()]
            axes.barh(range(len(cases)), values, left=left, height=0.8, color=OTHERS[i % len(OTHERS)], label=name)
            left = [before + value for before, value in zip(left, values)]
        axes.set_yticks(range(len(cases)), list(cases))
        axes.set_ylim(len(cases) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_formatter(FuncFormatter(_plain))
        axes.set_title(title, loc="left")
    rows[-1, 0].set_xlabel(label)
    _legend(figure, rows[0, 0])
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
    colours = _colours(names)
    figure = Figure(figsize=(WIDTH, 2.5 * len(panels) + _legend_height(names)))
    rows = figure.subplots(len(panels), 1, squeeze=False)
    for axes, (title, found) in zip(rows[:, 0], panels.items()):
        for name, values in found.items():
            i = names.index(name)
            axes.plot(
                [x for x, _ in values],
                [y for _, y in values],
                label=name,
                color=colours[name],
                marker=MARKERS[i % len(MARKERS)],
                markersize=3.5,
                linewidth=0 if points else 1.2,
            )
        axes.set_title(title, loc="left")
        axes.set_ylabel(up)
        axes.grid()
        for which in log:
            _logarithmic(axes, which)
    rows[-1, 0].set_xlabel(across)
    _legend(figure, max(rows[:, 0], key=lambda axes: len(axes.lines)))
    return figure

"""The section with our own measurements, for which no paper has a figure."""

from __future__ import annotations

from pathlib import Path

from study.report.content import Part
from study.report.ours import area, boards, machine, messages, scaling, sweep, widths
from study.report.store import Store


def part(store: Store, areas: Path) -> Part:
    """Returns the section. areas: the folder of areas."""
    return Part(
        "ours",
        "Ours",
        ["What was measured beside the papers' figures."],
        [
            *messages.by_message(store),
            messages.sweeps(store),
            messages.cycles_go(store),
            machine.memory(store),
            machine.core(store),
            area.areas(store),
            boards.fits(store),
            boards.microseconds(store),
            area.against_cores(store, areas),
            widths.sweep(store),
            sweep.item(store),
            scaling.item(store),
        ],
    )

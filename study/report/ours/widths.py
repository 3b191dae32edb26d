"""Sweeps over the machine: the same cases by width of the memory port, clock of the units, and configuration."""

from __future__ import annotations

from study.bench.rows import geometric_mean
from study.report.content import Item, Table, unmeasured
from study.report.store import Store

SUITES = ("protobuf", "cereal", "skyway", "memory", "heap")


def sweep(store: Store) -> Item:
    """Returns the item with each machine's cycles divided by those of the usual machine, for the cases that both
    have."""
    title = "the same cases on other machines"
    lines = []
    for suite in SUITES:
        usual = {(row["case"], row["op"], row["engine"]): int(row["cycles"]) for row in store.rows(suite)}
        for machine in store.machines(suite):
            if not machine or not usual:
                continue
            found: dict[tuple[str, str], list[float]] = {}
            for row in store.rows(suite, machine):
                key = (row["case"], row["op"], row["engine"])
                if usual.get(key) and int(row["cycles"]):
                    found.setdefault((str(row["op"]), str(row["engine"])), []).append(int(row["cycles"]) / usual[key])
            lines += [
                [
                    suite,
                    machine,
                    operation,
                    engine,
                    str(len(ratios)),
                    f"{geometric_mean(ratios):.3f}",
                    f"{min(ratios):.2f} to {max(ratios):.2f}",
                ]
                for (operation, engine), ratios in found.items()
            ]
    if not lines:
        return unmeasured(
            "", title, 'make report ARGS="--widths 64,128"', ["Needs a suite on the usual machine and on another."]
        )
    return Item(
        "",
        title,
        [
            "The table gives each machine's cycles divided by those of the usual machine (`default`, or the suite's "
            "own machines, at 128 bits): geometric means and ranges of the cases that both have."
        ],
        tables=[
            Table(
                "Cycles over the usual machine's",
                ["suite", "machine", "operation", "engine", "cases", "geometric mean", "range"],
                lines,
            )
        ],
    )

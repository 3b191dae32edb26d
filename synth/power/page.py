"""The page: table V and figure 17 of Cereal (ISCA 2020), ours beside the paper's."""
from __future__ import annotations

from dataclasses import dataclass
from statistics import geometric_mean, mean
from typing import Sequence

from synth.power.components import Component
from synth.power.windows import ENGINES, UNIT, Run

PAPERS = {("serialize", "kryo-generic"): 1.39, ("deserialize", "kryo-generic"): 2.01, ("serialize", UNIT): 313.6, ("deserialize", UNIT): 165.4}
"""How many times less energy than Java S/D, on Spark's applications (section VI-E)."""


@dataclass(frozen=True)
class Part:
    """A component of a unit: its LUTs, and its power in a cycle of the unit's commands, in the model's units."""

    component: Component
    luts: float
    power: float


@dataclass(frozen=True)
class Energy:
    """Of a run, in the model's units: what the cluster takes in a cycle, by what is in it."""

    run: Run
    powers: dict[str, float]

    @property
    def power(self) -> float:
        return sum(self.powers.values())

    @property
    def energy(self) -> float:
        return self.power * self.run.cycles


def _share(value: float | None, whole: float) -> str:
    return "" if value is None else f"{100 * value / whole:.0f} %"


def table(title: str, parts: Sequence[Part]) -> str:
    """A unit's components as shares of it; of the paper's, shares of what of them the paper has."""
    luts, power = sum(part.luts for part in parts), sum(part.power for part in parts)
    area = sum(part.component.area or 0 for part in parts)
    watts = sum(part.component.power or 0 for part in parts)
    rows = [f"| {part.component.name} | {part.luts:,.0f} | {_share(part.luts, luts)} | {_share(part.power, power)} | "
            f"{_share(part.component.area, area)} | {_share(part.component.power, watts)} |" for part in parts]
    return "\n".join([f"## {title}", "", "| component | LUT | of the LUTs | of the power | of the paper's area | of its power |",
                      "|---|---:|---:|---:|---:|---:|", *rows, f"| **all** | {luts:,.0f} | | {power:,.0f} | | |", ""])


def figure(energies: Sequence[Energy]) -> str:
    """Energy of each engine as how many times less than `java` takes."""
    def of(graph: str, operation: str, engine: str) -> Energy:
        return next(found for found in energies if (found.run.graph, found.run.operation, found.run.engine) == (graph, operation, engine))

    lines = ["## Energy", "", "How many times less energy than `java`, of the whole cluster; cycles in parentheses.", "",
             "| | " + " | ".join(ENGINES) + " |", "|---|" + "---:|" * len(ENGINES)]
    for operation in ("serialize", "deserialize"):
        graphs = list(dict.fromkeys(found.run.graph for found in energies))
        for graph in graphs:
            base = of(graph, operation, ENGINES[0]).energy
            cells = [of(graph, operation, engine) for engine in ENGINES]
            lines.append(f"| {graph}, {operation} | " + " | ".join(f"{base / cell.energy:.2f} ({cell.run.cycles:,})" for cell in cells) + " |")
        means = {engine: geometric_mean([of(graph, operation, ENGINES[0]).energy / of(graph, operation, engine).energy for graph in graphs]) for engine in ENGINES}
        lines.append(f"| **geometric mean, {operation}** | " + " | ".join(f"**{means[engine]:.2f}**" for engine in ENGINES) + " |")
        lines.append("| the paper | 1 | " + " | ".join(f"{PAPERS[operation, engine]}" for engine in ENGINES[1:]) + " |")
    return "\n".join([*lines, ""])


def breakdown(energies: Sequence[Energy]) -> str:
    """Who takes the cluster's power, in the mean over the runs of an engine and direction."""
    columns = [(operation, engine) for operation in ("serialize", "deserialize") for engine in ENGINES]

    def of(part: str, column: tuple[str, str]) -> float:
        return mean(found.powers[part] for found in energies if (found.run.operation, found.run.engine) == column)

    parts = list(energies[0].powers)
    rows = [[part, *(f"{of(part, column):,.0f}" for column in columns)] for part in parts]
    rows.append(["**all**", *(f"**{sum(of(part, column) for part in parts):,.0f}**" for column in columns)])
    return "\n".join(["## Who takes it", "", "Power in a cycle, in the model's units, in the mean over the graphs.", "",
                      "| | " + " | ".join(f"{engine}, {operation}" for operation, engine in columns) + " |", "|---|" + "---:|" * len(columns),
                      *("| " + " | ".join(row) + " |" for row in rows), ""])

"""The page: table V and figure 17 of Cereal (ISCA 2020), with our numbers beside the paper's."""

from dataclasses import dataclass
from statistics import geometric_mean, mean
from typing import Sequence

from study.bench.cereal import OPERATIONS
from study.power.components import Component
from study.power.model import Cost, Power
from study.power.windows import ENGINES, UNIT, Run
from study.report.content import Item, Table

PAPERS = {
    ("serialize", "kryo-generic"): 1.39,
    ("deserialize", "kryo-generic"): 2.01,
    ("serialize", UNIT): 313.6,
    ("deserialize", UNIT): 165.4,
}
"""How many times less energy than Java S/D each takes (section VI-E)."""


@dataclass(frozen=True)
class Part:
    """A component of a unit: its cells, and its power in a cycle in which the unit is awake."""

    component: Component
    cost: Cost
    power: Power


@dataclass(frozen=True)
class Energy:
    """The power of the cluster in a cycle of a run, by part, in the model's units."""

    run: Run
    powers: dict[str, Power]

    @property
    def power(self) -> float:
        return sum(power.all for power in self.powers.values())

    @property
    def energy(self) -> float:
        return self.power * self.run.cycles


def _share(value: float | None, whole: float) -> str:
    return "" if value is None else f"{100 * value / (whole or 1):.0f} %"


def unit(title: str, parts: Sequence[Part], awake: float) -> Item:
    """Returns the table of a unit's components. Shares are of the components that have one in the paper, too. awake:
    share of a call in which the unit's clock runs."""

    def measured(part: Part) -> tuple[float, ...]:
        return part.cost.luts, part.cost.flip_flops, part.cost.memories, part.power.switched, part.power.clocks

    def compared(part: Part) -> tuple[float | None, ...]:
        return part.cost.luts, part.power.all, part.component.area, part.component.power

    common = [part for part in parts if part.component.area is not None]
    wholes = [sum(value or 0 for value in values) for values in zip(*map(compared, common))]
    lines = []
    for part in parts:
        shares = map(_share, compared(part), wholes) if part in common else [""] * 4
        lines.append([part.component.name, *(f"{value:,.0f}" for value in measured(part)), *shares])
    totals = [f"**{sum(values):,.0f}**" for values in zip(*map(measured, parts))]
    head = ["component", "LUT", "FF", "BRAM", "signals' power", "clocks'"]
    head += ["of the LUTs", "of the power", "of the paper's area", "of its power"]
    text = f"Power in a cycle in which the unit is awake, as it is in {100 * awake:.0f} % of a call."
    table = Table("Components", head, [*lines, ["**all**", *totals, *[""] * 4]])
    return Item("", title, [text], tables=[table])


def _of(energies: Sequence[Energy], graph: str, operation: str, engine: str) -> Energy:
    wanted = (graph, operation, engine)
    return next(found for found in energies if (found.run.graph, found.run.operation, found.run.engine) == wanted)


def _graphs(energies: Sequence[Energy]) -> list[str]:
    return list(dict.fromkeys(found.run.graph for found in energies))


def savings(energies: Sequence[Energy], operation: str, engine: str) -> float:
    """Returns how many times less energy than the first engine another takes, as the geometric mean over the graphs."""

    def energy(graph: str, engine: str) -> float:
        return _of(energies, graph, operation, engine).energy

    return geometric_mean([energy(graph, ENGINES[0]) / energy(graph, engine) for graph in _graphs(energies)])


def figure(energies: Sequence[Energy]) -> Item:
    """Returns the table of each engine's energy, as how many times less than `java` it takes."""
    lines = []
    for operation in OPERATIONS:
        for graph in _graphs(energies):
            cells = [_of(energies, graph, operation, engine) for engine in ENGINES]
            ratios = [f"{cells[0].energy / cell.energy:.2f} ({cell.run.cycles:,})" for cell in cells]
            lines.append([f"{graph}, {operation}", *ratios])
        means = [f"**{savings(energies, operation, engine):.2f}**" for engine in ENGINES]
        lines.append([f"**geometric mean, {operation}**", *means])
        theirs = [str(PAPERS.get((operation, engine), "")) for engine in ENGINES[1:]]
        lines.append([f"the paper, Spark's applications, {operation}", "1", *theirs])
    text = "How many times less energy than `java`, of the whole cluster; cycles in parentheses."
    return Item("", "energy", [text], tables=[Table("Energy", ["", *ENGINES], lines)])


def sensitivity(energies: dict[float, Sequence[Energy]]) -> Item:
    """Returns the table of the unit's savings by the weight of a flip-flop's clock."""
    lines = [
        [str(weight), *(f"{savings(of, operation, UNIT):.1f}" for operation in OPERATIONS)]
        for weight, of in energies.items()
    ]
    text = f"How many times less energy `{UNIT}` takes than `{ENGINES[0]}`, geometric means."
    table = Table("Savings by the weight", ["a flip-flop's clock", *OPERATIONS], lines)
    return Item("", "what the weight of a clock does", [text], tables=[table])


def breakdown(energies: Sequence[Energy]) -> Item:
    """Returns the table of the cluster's power by part, averaged over the runs of an engine and direction."""
    columns = [(operation, engine) for operation in OPERATIONS for engine in ENGINES]

    def of(part: str, column: tuple[str, str]) -> float:
        return mean(found.powers[part].all for found in energies if (found.run.operation, found.run.engine) == column)

    parts = list(energies[0].powers)
    lines = [[part, *(f"{of(part, column):,.0f}" for column in columns)] for part in parts]
    lines.append(["**all**", *(f"**{sum(of(part, column) for part in parts):,.0f}**" for column in columns)])
    head = ["", *(f"{engine}, {operation}" for operation, engine in columns)]
    text = "Power in a cycle of a call, on average over the graphs."
    return Item("", "who takes it", [text], tables=[Table("Power by part", head, lines)])

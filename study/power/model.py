"""Activity times capacitance, in units of one switching LUT output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping

from study.power.activity import Switching
from synth.area import Area


@dataclass(frozen=True)
class Weights:
    """Weights of a module's cells.

    lut, flip_flop: one switching output, with the wires behind it. clock: a flip-flop's clock pin and its share of the
    clock tree, for each cycle in which its clock runs. block_ram: for each cycle in which its clock runs; it reads in
    all of them, whether or not the data are used.
    """

    lut: float = 1.0
    flip_flop: float = 1.0
    clock: float = 0.25
    block_ram: float = 8.0


@dataclass(frozen=True)
class Cost:
    """The cells of an instance, without the modules in it that have figures of their own in the simulation's waves."""

    luts: float
    flip_flops: float
    memories: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.luts + other.luts, self.flip_flops + other.flip_flops, self.memories + other.memories)

    @staticmethod
    def of(area: Area, module: str, apart: Callable[[str], bool]) -> Cost:
        """Returns the cost of a module. apart: whether a module's instances have figures of their own."""

        def figure(what: str) -> float:
            within = area.modules[module]
            return within.own.get(f"ecp5.{what}", 0) + sum(
                count * area.total(child, f"ecp5.{what}")
                for child, count in within.children.items()
                if not apart(child)
            )

        return Cost(figure("LUT"), figure("FF"), figure("BRAM"))


@dataclass(frozen=True)
class Power:
    """Power in a cycle. switched: by signals. clocks: by clocks alone, including those of block memories."""

    switched: float = 0.0
    clocks: float = 0.0

    @property
    def all(self) -> float:
        return self.switched + self.clocks

    def __add__(self, other: Power) -> Power:
        return Power(self.switched + other.switched, self.clocks + other.clocks)

    def __truediv__(self, by: float) -> Power:
        return Power(self.switched / by, self.clocks / by)


def power(cost: Cost, switching: Switching, weights: Weights = Weights()) -> Power:
    """Returns the power of a module. Its LUTs and flip-flops count as switching as often as its signals do on
    average."""
    return Power(
        (weights.lut * cost.luts + weights.flip_flop * cost.flip_flops) * switching.rate,
        (weights.clock * cost.flip_flops + weights.block_ram * cost.memories) * switching.clocked,
    )


def costs(area: Area, switching: Mapping[str, Switching]) -> dict[str, Cost]:
    """Returns the costs by path. Instances that synthesis has removed are missing."""
    kinds = {of.module for of in switching.values()}
    found = {kind: Cost.of(area, kind, kinds.__contains__) for kind in kinds if kind in area.modules}
    return {path: found[of.module] for path, of in switching.items() if of.module in found}


def powers(
    costs: Mapping[str, Cost], switching: Mapping[str, Switching], weights: Weights = Weights()
) -> dict[str, Power]:
    return {path: power(cost, switching[path], weights) for path, cost in costs.items()}


def by_part(paths: Mapping[str, Power], switching: Mapping[str, Switching]) -> dict[str, Power]:
    """Returns the power of the cluster's parts, by module: the power of its instances with everything in them. The
    cluster's own arbiters and logic count under the cluster's name."""
    top = switching[""].module
    found: dict[str, Power] = {}
    for path, value in paths.items():
        part = switching[path.split(".")[0]].module
        part = top if part.startswith("Arbiter") else part
        found[part] = found.get(part, Power()) + value
    return found

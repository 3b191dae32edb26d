"""Activity times capacitance, in units of a LUT's output that switches once."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping

from synth.area import Area
from synth.power.activity import Switching


@dataclass(frozen=True)
class Weights:
    """Of what a module is made of.

    lut, flip_flop: with the wires behind it, each time it switches. clock: a flip-flop's clock pin and its share of the clock's tree, each cycle
    in which its clock runs. block_ram: each cycle in which its clock runs; it reads then, whether or not anybody uses what comes.
    """

    lut: float = 1.0
    flip_flop: float = 1.0
    clock: float = 0.25
    block_ram: float = 8.0


@dataclass(frozen=True)
class Cost:
    """What an instance is made of, without the modules in it that the simulation's waves tell apart."""

    luts: float
    flip_flops: float
    memories: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.luts + other.luts, self.flip_flops + other.flip_flops, self.memories + other.memories)

    @staticmethod
    def of(area: Area, module: str, apart: Callable[[str], bool]) -> Cost:
        """apart: whether a module's instances have figures of their own."""
        def figure(what: str) -> float:
            within = area.modules[module]
            return within.own.get(f"ecp5.{what}", 0) + sum(
                count * area.total(child, f"ecp5.{what}") for child, count in within.children.items() if not apart(child))
        return Cost(figure("LUT"), figure("FF"), figure("BRAM"))


@dataclass(frozen=True)
class Power:
    """In a cycle. switched: by signals; clocks: by clocks alone, those of block memories included."""

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
    """A module's LUTs and flip-flops are taken to switch as often as its signals do on average."""
    return Power((weights.lut * cost.luts + weights.flip_flop * cost.flip_flops) * switching.rate,
                 (weights.clock * cost.flip_flops + weights.block_ram * cost.memories) * switching.clocked)


def costs(area: Area, switching: Mapping[str, Switching]) -> dict[str, Cost]:
    """By path. What synthesis has removed is not there."""
    kinds = {of.module for of in switching.values()}
    found = {kind: Cost.of(area, kind, kinds.__contains__) for kind in kinds if kind in area.modules}
    return {path: found[of.module] for path, of in switching.items() if of.module in found}


def powers(costs: Mapping[str, Cost], switching: Mapping[str, Switching], weights: Weights = Weights()) -> dict[str, Power]:
    """By path."""
    return {path: power(cost, switching[path], weights) for path, cost in costs.items()}


def by_part(paths: Mapping[str, Power], switching: Mapping[str, Switching]) -> dict[str, Power]:
    """By module of what the cluster consists of: the power of its instances and all that is in them. The cluster's own arbiters and logic are in its name."""
    top = switching[""].module
    found: dict[str, Power] = {}
    for path, value in paths.items():
        part = switching[path.split(".")[0]].module
        part = top if part.startswith("Arbiter") else part
        found[part] = found.get(part, Power()) + value
    return found

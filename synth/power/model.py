"""Activity times capacitance, in units of a LUT's output that switches once."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping

from synth.area import Area
from synth.power.activity import Switching

LUT = 1.0
"""A LUT and the wires behind it, each time it switches."""
FLIP_FLOP = 1.0
"""A flip-flop and the wires behind it, each time it switches."""
CLOCK = 0.25
"""A flip-flop's clock pin and its share of the clock's tree, each cycle that its clock runs."""
BLOCK_RAM = 8.0
"""A block memory, each cycle that its clock runs: it reads then, whether or not anybody uses what comes."""


@dataclass(frozen=True)
class Cost:
    """What an instance is made of, without the modules in it that the simulation's waves tell apart."""

    luts: float
    flip_flops: float
    memories: float

    @staticmethod
    def of(area: Area, module: str, apart: Callable[[str], bool]) -> Cost:
        """apart: whether a module's instances have figures of their own."""
        def figure(what: str) -> float:
            within = area.modules[module]
            return within.own.get(f"ecp5.{what}", 0) + sum(
                count * area.total(child, f"ecp5.{what}") for child, count in within.children.items() if not apart(child))
        return Cost(figure("LUT"), figure("FF"), figure("BRAM"))


def power(cost: Cost, switching: Switching) -> float:
    """In a cycle. A module's LUTs and flip-flops are taken to switch as often as its signals do in the mean."""
    switched = (LUT * cost.luts + FLIP_FLOP * cost.flip_flops) * switching.rate
    return switched + (CLOCK * cost.flip_flops + BLOCK_RAM * cost.memories) * switching.clocked


def powers(area: Area, switching: Mapping[str, Switching]) -> dict[str, float]:
    """By path. A module that synthesis has removed takes nothing."""
    kinds = {of.module for of in switching.values()}
    costs = {kind: Cost.of(area, kind, kinds.__contains__) for kind in kinds if kind in area.modules}
    return {path: power(costs[of.module], of) for path, of in switching.items() if of.module in costs}


def by_part(paths: Mapping[str, float], switching: Mapping[str, Switching]) -> dict[str, float]:
    """By module of what the cluster consists of: the power of its instances and all that is in them; what is the cluster's own has its name."""
    found: dict[str, float] = {}
    for path, value in paths.items():
        part = switching[path.split(".")[0]].module
        found[part] = found.get(part, 0) + value
    return found

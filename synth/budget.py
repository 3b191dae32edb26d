"""Area budgets: the largest cost of each unit of a configuration (budgets.json), checked by `make test` and `make
area`.

A budget is the figure measured when it was last renewed, plus a little. So a mapping of the same logic that comes out a
little larger still passes, and a unit that grows does not. A budget is raised only on purpose (`make area
ARGS=--budget`).
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

from synth import area as areas
from synth.area import Area, Say
from synth.target import ECP5

BUDGETS = Path(__file__).with_name("budgets.json")
HEADROOM = {"ecp5.LUT": 0.03, "ecp5.FF": 0.02, "ecp5.BRAM": 0.0}
"""The figures with a budget, and the share by which each may grow. A change of other logic changes Yosys's result for a
module by a percent or two. Flip-flops vary less, and a block of memory never appears by accident."""
LARGE = 0.03
"""A module below this share of the cluster's LUTs has no budget of its own. It counts in the budgets of the modules
around it."""

Budget = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Excess:
    """A module that is larger than its budget. unknown: set if the module or figure of the budget does not exist."""

    module: str
    figure: str
    measured: float
    allowed: float
    unknown: str = ""

    def __str__(self) -> str:
        return (
            f"{self.module}: {self.unknown or format(self.measured, ',.0f')} {self.figure}, {self.allowed:,.0f} allowed"
        )


def measure(verilog: Path, top: str, folder: Path, say: Say) -> Area:
    """Measures the figures that have budgets: those of `make area`, for ECP5 alone."""
    return areas.measure(verilog, top, folder, say, (ECP5,), whole=False)


def _excess(area: Area, module: str, figure: str, allowed: float) -> Excess | None:
    if module not in area.modules:
        return Excess(module, figure, 0, allowed, "no such module with")
    if figure not in area.figures:
        return Excess(module, figure, 0, allowed, "no such figure as")
    measured = area.total(module, figure)
    return Excess(module, figure, measured, allowed) if measured > allowed else None


def excesses(area: Area, budget: Budget) -> list[Excess]:
    """Returns the exceeded budgets. A budget of an unknown module or figure counts as exceeded."""
    return [
        excess
        for module, figures in budget.items()
        for figure, allowed in figures.items()
        if (excess := _excess(area, module, figure, allowed))
    ]


def complaint(config: str, over: list[Excess]) -> str:
    """Describes the exceeded budgets and says what to do. Returns "" if there are none."""
    if not over:
        return ""
    return "\n".join(
        [
            f"area: over budget in {config}:",
            *map(str, over),
            f"What to do: make it smaller; or, if it is worth it, {renewal(config)}",
        ]
    )


def renewal(config: str) -> str:
    """Returns what renews the budgets of a configuration."""
    variables = _variables(config).replace(",", " ").removesuffix(" UNIT_CLOCK=1")
    return f"make area {variables} ARGS=--budget, and commit {BUDGETS.parent.name}/{BUDGETS.name} with the reason"


def large(area: Area, parent: str) -> list[str]:
    """Returns the large modules in a module."""
    least = LARGE * area.total(area.top, "ecp5.LUT")
    return sorted(name for name in area.modules[parent].children if area.total(name, "ecp5.LUT") >= least)


def units(area: Area) -> list[str]:
    """Returns the modules that get a budget: the cluster, the large modules in it, and after each of these the large
    modules in it."""
    return list(
        dict.fromkeys([area.top, *(name for unit in large(area, area.top) for name in [unit, *large(area, unit)])])
    )


def of(area: Area) -> Budget:
    """Returns budgets for a measured area."""
    return {
        unit: {figure: math.ceil(area.total(unit, figure) * (1 + more)) for figure, more in HEADROOM.items()}
        for unit in units(area)
    }


def read(config: str, path: Path = BUDGETS) -> Budget:
    return json.loads(path.read_text()).get(config, {})


def _variables(config: str) -> str:
    """Returns the variables of make for a configuration's name, with `,` between them."""
    rest, _, clock = config.partition("-clock")
    name, _, width = rest.rpartition("-")
    return f"CONFIG={name},DATA_WIDTH={width},UNIT_CLOCK={clock or 1}"


def is_small(config: str) -> bool:
    """Returns whether `make test` maps this cluster, too: `tiny` at 32 bits, which takes two minutes."""
    return config.startswith("tiny-32")


def machines(every: bool) -> list[str]:
    """Returns the clusters with a budget, as variables of make with `,` between them: the small ones, or `every`
    one."""
    return [_variables(config) for config in json.loads(BUDGETS.read_text()) if every or is_small(config)]


def renew(config: str, area: Area, path: Path = BUDGETS) -> list[str]:
    """Writes the budgets of a configuration. Returns a line for each changed budget."""
    budgets = json.loads(path.read_text())
    before, after = budgets.get(config, {}), of(area)
    path.write_text(json.dumps(budgets | {config: after}, indent=1) + "\n")
    return [
        f"{unit}: {figure} {_was(before, unit, figure)} to {_was(after, unit, figure)}"
        for unit in {**before, **after}
        for figure in HEADROOM
        if before.get(unit, {}).get(figure) != after.get(unit, {}).get(figure)
    ]


def _was(budget: Budget, unit: str, figure: str) -> str:
    allowed = budget.get(unit, {}).get(figure)
    return "none" if allowed is None else f"{allowed:,.0f}"


if __name__ == "__main__":
    print(*machines("--every" in sys.argv))

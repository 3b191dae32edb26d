"""Area of a cluster, module by module: `make area`.

Each module of the hierarchy is mapped separately, so that its cells are its own. Figures of a module include all
modules in it; `own` figures exclude them.
"""

from __future__ import annotations

import json
import re
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Sequence

from base.waiting import Say, waiting
from synth import yosys
from synth.target import GATES, MEMORY_BITS, TARGETS, Target, gate_equivalents

FLAT = "all modules as one"


@dataclass
class Module:
    """A module with its content. figures: by `<target>.<what>`. children: the number of each child by module name."""

    name: str
    own: dict[str, float] = field(default_factory=dict)
    children: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Area:
    """The area of a cluster. modules: by name. flat: figures of `top` mapped as one module, if they were measured."""

    top: str
    modules: dict[str, Module]
    flat: dict[str, float] = field(default_factory=dict)

    def total(self, name: str, figure: str) -> float:
        """Returns a figure of a module including all modules in it."""
        module = self.modules[name]
        return module.own.get(figure, 0) + sum(
            count * self.total(child, figure) for child, count in module.children.items()
        )

    @property
    def figures(self) -> list[str]:
        return list(dict.fromkeys(figure for module in self.modules.values() for figure in module.own))


def _plain(name: str) -> str:
    """Returns a module's name without Yosys's additions. A module with parameters gets its name and a digest of the
    parameters."""
    found = re.fullmatch(r"\$paramod(?:\$[0-9a-f]+)?\\(\w+).*", name)
    return f"{found[1]}({zlib.crc32(name.encode()):08x})" if found else name.lstrip("\\")


def _cells(path: Path) -> dict[str, dict]:
    """Returns the output of `stat -json`, by module."""
    return {_plain(name): facts for name, facts in json.loads(path.read_text())["modules"].items()}


def _map(target: Target, verilog: Path, top: str, folder: Path) -> dict[str, dict]:
    yosys.run(
        f"read_verilog {verilog}; {target.script.format(top=top)}; tee -q -o {target.name}.json stat -json",
        folder,
        target.name,
    )
    return _cells(folder / f"{target.name}.json")


def _flat(target: Target, verilog: Path, top: str, folder: Path) -> dict[str, float]:
    name = f"{target.name}-flat"
    yosys.run(f"read_verilog {verilog}; {target.flat.format(top=top)}; tee -q -o {name}.json stat -json", folder, name)
    cells = _cells(folder / f"{name}.json")[top].get("num_cells_by_type", {})
    return {f"{target.name}.{what}": count(cells) for what, count in target.counts.items()}


def _gates(verilog: Path, top: str, folder: Path) -> dict[str, dict]:
    yosys.run(
        f"read_verilog {verilog}; {MEMORY_BITS.format(top=top)}; tee -q -o memories.json stat -json; "
        f"{GATES.format(top=top)}; tee -q -o gates.json stat -json",
        folder,
        "gates",
    )
    gates, memories = _cells(folder / "gates.json"), _cells(folder / "memories.json")
    return {
        name: {**facts, "memory_bits": memories.get(name, {}).get("num_memory_bits", 0)}
        for name, facts in gates.items()
    }


def measure(
    verilog: Path, top: str, folder: Path, say: Say, targets: Sequence[Target] = TARGETS, whole: bool = True
) -> Area:
    """Maps `top` to each of `targets`; the first target gives the hierarchy. For the `whole` report it also maps `top`
    flat to the first target, and to gates. Runs two jobs at a time, for minutes."""
    verilog = verilog.resolve()
    mapped: dict[str, dict] = {}
    jobs: dict[str, Future] = {}

    def working(minutes: float) -> str:
        return f"{minutes:.1f} min: Yosys is at {', '.join(name for name, job in jobs.items() if not job.done())}"

    with ThreadPoolExecutor(2) as pool, waiting(say, working) as tell:
        jobs |= {target.name: pool.submit(_map, target, verilog, top, folder) for target in targets}
        if whole:
            jobs["gates"] = pool.submit(_gates, verilog, top, folder)
            jobs[FLAT] = pool.submit(_flat, targets[0], verilog, top, folder)
        for name, job in jobs.items():
            mapped[name] = job.result()
            tell(f"{name} done")
        return _area(top, mapped, targets, mapped.pop(FLAT, {}))


def _area(top: str, mapped: dict[str, dict[str, dict]], targets: Sequence[Target], flat: dict[str, float]) -> Area:
    area = Area(top, {}, flat)
    for name, facts in mapped[targets[0].name].items():
        module = area.modules[name] = Module(name)
        by_type = facts.get("num_cells_by_type", {})
        module.children = {
            _plain(kind): int(count) for kind, count in by_type.items() if _plain(kind) in mapped[targets[0].name]
        }
    for name, module in area.modules.items():
        for target in targets:
            cells = mapped[target.name].get(name, {}).get("num_cells_by_type", {})
            module.own |= {f"{target.name}.{what}": count(cells) for what, count in target.counts.items()}
        if "gates" in mapped:
            gates = mapped["gates"].get(name, {})
            module.own["kGE"] = gate_equivalents(gates.get("num_cells_by_type", {})) / 1000
            module.own["memory bits"] = float(gates.get("memory_bits", 0))
    return area

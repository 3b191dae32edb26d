"""The engine against plain cores: the throughput of each for a thousand LUTs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from base.repository import ROOT
from heapwire.measure.rows import Row
from study.bench.rows import geometric_mean

ENGINE, CORE = "Engine", "Cpu"
"""Modules of the cluster: the unit, and VexRiscv with its two caches. Neither includes the path to memory."""
AREAS = ROOT / "build" / "area"
GROUPS = ("jsbs", "fleetbench")


@dataclass(frozen=True)
class Machine:
    """LUTs and MHz of the two modules, 0 where `make area` has not measured them. Each clock is that of the module
    placed and routed alone."""

    luts: dict[str, float]
    mhz: dict[str, float]

    @property
    def measured(self) -> bool:
        return all(self.luts.values())

    @property
    def placed(self) -> bool:
        return all(self.mhz.values())

    def rate(self, module: str, cycles: float) -> float:
        """Returns messages a second and 1,000 LUT, at 1 MHz if the two modules are not placed."""
        return 1e9 * (self.mhz[module] if self.placed else 1.0) / cycles / self.luts[module]


def machine_of(row: Row, folder: Path) -> Machine:
    """Returns the results of `make area` for the machine of a row. folder: holds a folder of area files for each
    machine."""
    file = folder / f"{row['config']}-{8 * int(row['port_bytes_per_cycle'])}" / "area.json"
    document = json.loads(file.read_text()) if file.exists() else {}
    modules, alone = document.get("modules", {}), document.get("fmax", {}).get("alone", {})
    return Machine(
        {name: modules[name]["total"]["ecp5.LUT"] if name in modules else 0 for name in (ENGINE, CORE)},
        {name: alone[name]["mhz"] if name in alone else 0 for name in (ENGINE, CORE)},
    )


def _cycles(rows: list[Row], operation: str, group: str) -> tuple[float, float] | None:
    """Returns the cycles of the engine and of the core: geometric means over the messages of a group that both have
    done."""
    by = {(row["case"], row["engine"]): int(row["cycles"]) for row in rows if row["op"] == operation}
    pairs = [
        (cycles, by[case, "table"])
        for (case, engine), cycles in by.items()
        if engine == "hw" and str(case).startswith(f"{group}/") and (case, "table") in by
    ]
    return (geometric_mean([pair[0] for pair in pairs]), geometric_mean([pair[1] for pair in pairs])) if pairs else None


def times(rows: list[Row], operation: str, group: str, folder: Path = AREAS) -> float | None:
    """Returns the engine's messages a second and LUT divided by the core's, or None without areas or rows."""
    cycles, machine = _cycles(rows, operation, group), machine_of(rows[0], folder) if rows else None
    if cycles is None or machine is None or not machine.measured:
        return None
    return machine.rate(ENGINE, cycles[0]) / machine.rate(CORE, cycles[1])


def section(rows: list[Row], folder: Path = AREAS) -> tuple[str, str, list[str], list[list[str]]]:
    """Returns title, text, head and lines of a table of the suite's page."""
    machine, lines = machine_of(rows[0], folder), []
    for group in GROUPS:
        for operation in ("deserialize", "serialize"):
            if (cycles := _cycles(rows, operation, group)) is None:
                continue
            line = [group, operation, *(f"{count:,.0f}" for count in cycles), f"{cycles[1] / cycles[0]:.1f}"]
            if machine.measured:
                rates = [machine.rate(name, count) for name, count in zip((ENGINE, CORE), cycles)]
                line += [*(f"{rate:,.0f}" for rate in rates), f"{rates[0] / rates[1]:.2f}"]
            lines.append([*line, *[""] * (8 - len(line))])
    text = (
        "The engine beside a plain core that runs the codec `table`; cycles as geometric means. Messages a second and "
        "1,000 LUT are of the modules "
        f"`{ENGINE}` and `{CORE}` (VexRiscv with its caches); the road to memory is in neither. "
    )
    if not machine.measured:
        text += "Their areas are not there: `make area` measures them."
    else:
        text += f"They take {machine.luts[ENGINE]:,.0f} and {machine.luts[CORE]:,.0f} LUT, "
        text += (
            f"and are clocked at {machine.mhz[ENGINE]:.1f} and {machine.mhz[CORE]:.1f} MHz, each placed and routed "
            "alone."
            if machine.placed
            else 'and are clocked at 1 MHz here, as they have not been placed: `make area ARGS="--fmax Engine,Cpu"` '
            "does that."
        )
    return (
        "Against cores",
        text,
        [
            "messages",
            "operation",
            "cycles, engine",
            "cycles, core",
            "times",
            "engine, messages / s / 1,000 LUT",
            "core",
            "times",
        ],
        lines,
    )

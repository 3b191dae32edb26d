"""The engine with its core against plain cores: the throughput of each for a thousand LUTs."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

from base.errors import HeapwireError
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
        """Returns messages a second and 1,000 LUT, at 1 MHz if the two modules are not placed. The engine needs a core,
        whose LUTs count with its own."""
        luts = self.luts[CORE] + (self.luts[ENGINE] if module == ENGINE else 0)
        return 1e9 * (self.mhz[module] if self.placed else 1.0) / cycles / luts


def areas(folder: Path = AREAS) -> dict[str, dict]:
    """Returns the output of `make area`, by machine."""
    found = {}
    for path in sorted(folder.glob("*/area.json")):
        try:
            found[path.parent.name] = json.loads(path.read_text())
        except ValueError as error:
            raise HeapwireError(f"{path} is damaged ({error}): run make area again") from error
    return found


def machine_of(row: Row, areas: Mapping[str, dict]) -> Machine:
    """Returns the modules of the machine of a row."""
    document = areas.get(f"{row['config']}-{8 * int(row['port_bytes_per_cycle'])}", {})
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


def times(rows: list[Row], operation: str, group: str, areas: Mapping[str, dict]) -> float | None:
    """Returns the engine's messages a second and LUT divided by the core's, or None without areas or rows."""
    for each in compared(rows, areas):
        if (each["case"], each["op"]) == (group, operation) and each["rates"]:
            return each["rates"][0] / each["rates"][1]
    return None


def compared(rows: list[Row], areas: Mapping[str, dict]) -> list[dict[str, Any]]:
    """Returns a record for each group and operation: cycles and rates of both."""
    found: list[dict[str, Any]] = []
    for group in GROUPS:
        for operation in ("deserialize", "serialize"):
            if cycles := _cycles(rows, operation, group):
                machine, of = machine_of(rows[0], areas), zip((ENGINE, CORE), cycles)
                rates = [machine.rate(name, count) for name, count in of] if machine.measured else None
                found.append({"case": group, "op": operation, "cycles": cycles, "rates": rates})
    return found


def said(rows: list[Row], areas: Mapping[str, dict]) -> str:
    """Says of which areas and clocks the rates are."""
    machine = machine_of(rows[0], areas)
    if not machine.measured:
        return "Their areas are not there: `make area` measures them."
    return f"They take {machine.luts[ENGINE]:,.0f} and {machine.luts[CORE]:,.0f} LUT, and are clocked at " + (
        f"{machine.mhz[ENGINE]:.1f} and {machine.mhz[CORE]:.1f} MHz, each placed and routed alone."
        if machine.placed
        else '1 MHz here, as they have not been placed: `make area ARGS="--fmax Engine,Cpu"` does that.'
    )

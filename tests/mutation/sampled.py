"""The sampled mutants of the hardware: draws them, runs those without a result, and says which lived.

Results are in build/mutation/GROUP/results, a file a mutant, and stay while the unit's Verilog is the same. A mutant
that lived runs again once a test has changed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Iterable

from base.repository import ROOT
from tests.mutation import kill, proofs, verilog
from tests.mutation.groups import GROUPS, Group
from tests.mutation.kill import Mutant
from tests.mutation.named import TREE, Switch
from tests.mutation.proofs import Proofs

FOLDER = ROOT / "build" / "mutation"
EQUIVALENT = Path(__file__).with_name("equivalent.json")
"""For each group, the places of mutants that no test can kill, and why. `make test-full SUITE=mutation` prints the
places of those that live."""
LEAST = 0.95
"""Share of the other mutants that must be killed."""


@dataclass
class Survey:
    """killed: number of mutants of each sample. lived, equivalent: mutants. wrong: what is wrong beyond those that
    lived."""

    killed: Counter
    lived: list[Mutant]
    equivalent: list[Mutant]
    wrong: list[str]


def _fresh(result: Path, place: str, changed: float) -> dict | None:
    """Returns the result if it is this mutant's and still counts. changed: time of the last change of a test."""
    if not result.exists():
        return None
    found = json.loads(result.read_text())
    return None if found["place"] != place or found["lived"] and result.stat().st_mtime < changed else found


def _survey(name: str, design: str, mutants: list[Mutant], judge: Callable[[int], str], rooms) -> Survey:
    """Runs a group's mutants and returns what became of them.

    design: the Verilog without a mutant. judge: of kill.run. rooms: folders on which it
    depends."""
    results = FOLDER / name / "results"
    kept = results / "design.v"
    if not (kept.exists() and kept.read_text() == design):
        shutil.rmtree(results, ignore_errors=True)
        results.mkdir(parents=True)
        kept.write_text(design)
    changed = max(path.stat().st_mtime for room in rooms for path in (ROOT / room).glob("*.*"))
    known = json.loads(EQUIVALENT.read_text()).get(name, {})
    found = Survey(Counter(), [], [], [])
    for mutant in [Mutant(0, "", "no mutant"), *mutants]:
        result = results / f"{mutant.number}.json"
        outcome = _fresh(result, mutant.place, changed)
        if outcome is None:
            outcome = kill.run(judge, mutant, result)
            said = "lived" if outcome["lived"] else f"killed by {outcome['by']}"
            print(f"{name} {mutant.number}: {said}, {outcome['seconds']} s", flush=True)
        if mutant.number == 0:
            if not outcome["lived"]:
                return Survey(Counter(), [], [], [f"the tests fail without a mutant: {outcome['by']}"])
        elif not outcome["lived"]:
            found.killed[mutant.sample] += 1
            if mutant.place in known:
                found.wrong.append(f"not equivalent, since it was killed: {mutant.place}")
        else:
            (found.equivalent if mutant.place in known else found.lived).append(mutant)
    drawn = {mutant.place for mutant in mutants}
    found.wrong += [f"equivalent.json has a mutant that is not drawn: {place}" for place in known if place not in drawn]
    return found


def _of_unit(name: str, group: Group, harness: Path, mutants: list[Mutant]) -> Survey:
    design = "".join(verilog.modules_of((FOLDER / name / "plain" / f"{group.unit}.v").read_text()).values())
    rooms = ("tests/unit", "tests/common", "sim/unit")
    judge = partial(kill.tests, group.tests, partial(verilog.insert, group, harness))
    return _survey(name, design, mutants, judge, rooms)


def of_drawn(group: Group) -> Survey:
    return _of_unit(group.name, group, *verilog.program(group, FOLDER / group.name))


def of_switches(group: Group, switches: Iterable[Switch]) -> Survey:
    """Runs the named mutants of a unit, which the copied tree has."""
    name = f"named-{group.name}"
    harness = verilog.switched(group, FOLDER / name, TREE)
    mutants = [Mutant(each.number, "named", each.name) for each in switches if each.tests == group.name]
    return _of_unit(name, group, harness, mutants)


def of_proofs() -> Survey:
    found = Proofs(FOLDER / proofs.NAME)
    return _survey(proofs.NAME, found.design, found.mutants, found.judge, ("tests/proofs",))


def surveys() -> dict[str, Callable[[], Survey]]:
    """Returns for each group what surveys it."""
    return {group.name: partial(of_drawn, group) for group in GROUPS} | {proofs.NAME: of_proofs}

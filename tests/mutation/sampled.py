"""The sampled mutants of the hardware: draws them, runs those without a result, and says which lived.

Results are in build/mutation/GROUP/results, a file a mutant, and stay while the unit's Verilog is the same. A mutant
that lived runs again once a test has changed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from base.repository import ROOT
from tests.mutation.groups import Group
from tests.mutation.kill import run
from tests.mutation.verilog import Mutant, modules_of, program

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


def survey(group: Group) -> Survey:
    """Runs a group's mutants and returns what became of them."""
    folder = FOLDER / group.name
    harness, mutants = program(group, folder)
    results, design = folder / "results", folder / "results" / "design.v"
    text = "".join(modules_of((folder / "plain" / f"{group.unit}.v").read_text()).values())
    if not (design.exists() and design.read_text() == text):
        shutil.rmtree(results, ignore_errors=True)
        results.mkdir()
        design.write_text(text)
    changed = max(
        path.stat().st_mtime
        for name in ("tests/unit", "tests/common", "sim/unit")
        for path in (ROOT / name).glob("*.*")
    )
    known = json.loads(EQUIVALENT.read_text()).get(group.name, {})
    found = Survey(Counter(), [], [], [])
    for mutant in [Mutant(0, "", "no mutant"), *mutants]:
        result = results / f"{mutant.number}.json"
        outcome = _fresh(result, mutant.place, changed)
        if outcome is None:
            outcome = run(group, harness, mutant, result)
            said = "lived" if outcome["lived"] else f"killed by {outcome['by']}"
            print(f"{group.name} {mutant.number}: {said}, {outcome['seconds']} s", flush=True)
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

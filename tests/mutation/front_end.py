"""Sampled mutants of the command front end, which make its proof fail. They are drawn from what the rules depend on;
the words of arguments, results and registers are not among that."""

from __future__ import annotations

import json
from pathlib import Path

from tests.mutation.groups import SEED
from tests.mutation.kill import Mutant
from tests.mutation.verilog import modules_of, place
from tests.proofs import symbiyosys, test_front_end

NAME, COUNT = "front-end", 20
TESTS = ("tests/proofs/test_front_end.py", "-k", "exactly_once or soon")


def draw(folder: Path) -> tuple[str, list[Mutant]]:
    """Returns the front end's Verilog and its mutants, and keeps in the folder how to make them."""
    module = test_front_end.generated()
    text = (module.folder / "HeapwireCluster.v").read_text()
    listed = module.mutants(COUNT, SEED, "COMMANDS", "INVARIANTS", script=test_front_end.WORDS_ARE_ANYTHING)
    # The proof has no edges of clocks.
    listed = [line for line in listed if "-port CLK" not in line]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mutants.json").write_text(json.dumps(["", *listed]))
    modules, lines = modules_of(text), text.splitlines()
    design = "".join(modules[name] for name in ("FrontEnd", "CommandFeed", "CompletionTurn", "TagTable"))
    places = [place(line, "HeapwireCluster.v", lines) for line in listed]
    return design, [Mutant(i + 1, "front end", each) for i, each in enumerate(places)]


def insert(folder: Path, number: int) -> None:
    """Makes the proof meet a mutant."""
    symbiyosys.Module.mutant = json.loads((folder / "mutants.json").read_text())[number]
    symbiyosys.generate = lambda config, width: symbiyosys.FOLDER / f"{config}-{width}"

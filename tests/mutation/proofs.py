"""Sampled mutants of what is proved, the command front end and the units' guards: a proof must fail. They are drawn
from what the proof's rules depend on; words of arguments, results and registers are not among that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sim.unit.build import generate
from tests.mutation.groups import GROUPS, SEED
from tests.mutation.kill import Mutant
from tests.mutation.verilog import modules_of, place
from tests.proofs import test_front_end, test_write_guard
from tests.proofs.symbiyosys import Module

NAME = "proofs"
IN_FRONT_END, IN_A_GUARD = 20, 6
"""How many mutants are drawn."""
FRONT_END = ("FrontEnd", "CommandFeed", "CompletionTurn", "TagTable")


@dataclass
class _Proved:
    """A module with its proofs. proofs: for each, the rules that it proves; mutants are drawn from what the first one
    depends on. refuted: rules that must not hold. modules: the module, and those in it."""

    sample: str
    count: int
    module: Module
    modules: tuple[str, ...]
    proofs: tuple[tuple[str, ...], ...]
    script: tuple[str, ...] = ()
    refuted: str = ""


def _proved(folder: Path) -> list[_Proved]:
    front_end = test_front_end.generated()
    rules = ("COMMANDS", "INVARIANTS"), ("PROGRESS",)
    words = test_front_end.WORDS_ARE_ANYTHING
    found = [_Proved("front end", IN_FRONT_END, front_end, FRONT_END, rules, words, "NEVER")]
    for group in GROUPS:
        verilog = generate(folder / group.name, group.width, group.unit, group.variants[0])
        for name in re.findall(r"^module (WriteGuard\w*) ", verilog.read_text(), re.M):
            guard = test_write_guard.guard_of(verilog.parent, name, verilog.name)
            found.append(_Proved("guards", IN_A_GUARD, guard, (name,), (("ORDER", "PLACE", "INVARIANTS"),)))
    return found


class Proofs:
    """design: the Verilog of all that is proved. mutants: those that are drawn."""

    def __init__(self, folder: Path) -> None:
        self.design, self.mutants, self.commands = "", [], [(None, "")]
        for proved in _proved(folder):
            text = (proved.module.folder / proved.module.verilog).read_text()
            lines, modules = text.splitlines(), modules_of(text)
            self.design += "".join(modules[name] for name in proved.modules)
            for line in proved.module.mutants(proved.count, SEED, *proved.proofs[0], script=proved.script):
                if "-port CLK" in line:  # A proof has no edges of clocks.
                    continue
                where = f"{proved.module.name} of {proved.module.folder.name}, "
                where += place(line, re.escape(proved.module.verilog), lines)
                self.mutants.append(Mutant(len(self.commands), proved.sample, where))
                self.commands.append((proved, line))

    def judge(self, number: int) -> str:
        """Returns the rules whose proof fails with a mutant, or nothing."""
        proved, command = self.commands[number]
        if not proved:
            return ""
        module, script = proved.module, proved.script
        module.mutant = command
        for rules in proved.proofs:
            if not module.proved(*rules, script=script):
                return f"the proof of {' '.join(rules)}"
        never = proved.refuted
        if never and not module.refuted(never, instead="", cycles=test_front_end.CYCLES, script=script):
            return f"the counterexample of {never}"
        return ""

"""One harness with all mutants of a unit's Verilog: `+mutant=N` on its command line selects one, 0 none.

Yosys draws the mutants and puts them into the chosen modules, each behind a comparison with the register `mutant`. The
other modules stay as they are."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from sim.unit.build import compiled, generate, verilate
from tests.mutation.groups import SEED, Group

BITS = 10
"""Width of the register `mutant`."""


class MutationError(Exception):
    """A step failed. The text says which."""


@dataclass(frozen=True)
class Mutant:
    """number: within its group. place: what is changed, and how; it does not depend on the numbers of lines and
    cells."""

    number: int
    sample: str
    place: str


def modules_of(text: str) -> dict[str, str]:
    """Returns the text of each module of a Verilog file that SpinalHDL wrote."""
    return {found[1]: found[0] for found in re.finditer(r"^module (\w+) .*?^endmodule$", text, re.M | re.S)}


def _chosen(patterns: tuple[str, ...], modules: dict[str, str]) -> list[str]:
    for pattern in patterns:
        if "*" not in pattern and pattern not in modules:
            raise MutationError(f"no module {pattern}; modules: {', '.join(modules)}")
    return [name for name in modules if any(fnmatch(name, pattern) for pattern in patterns)]


def _place(line: str, lines: list[str]) -> tuple[int, str]:
    """Returns number and place of a mutant that Yosys listed. lines: the Verilog that it read."""
    words = line.split()
    number = int(words[words.index("-ctrl") + 3])
    value = {word: words[i + 1].lstrip("\\") for i, word in enumerate(words) if word.startswith("-")}
    where = value.get("-wire") and f"{value['-wire']}[{value.get('-wirebit', 0)}]"
    where = where or f"{value.get('-port', '')}[{value.get('-portbit', 0)}]"
    source = re.search(r":([1-9]\d*)", value.get("-src", ""))
    said = lines[int(source[1]) - 1].strip() if source else ""
    return number, f"{value['-module']}: {value['-mode']} {where} of {value.get('-port', '')} in `{said}`"


def _yosys(script: str, folder: Path) -> None:
    (folder / "mutate.ys").write_text(script)
    done = subprocess.run(
        ["yosys", "-q", "-l", "mutate.log", "mutate.ys"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise MutationError(f"Yosys failed, see {folder}/mutate.log\n{done.stdout[-2000:]}")


def mutated(group: Group, folder: Path) -> tuple[str, list[Mutant]]:
    """Returns the Verilog of a group's unit with its mutants in it."""
    text = generate(folder / "plain", group.width, group.unit, group.variants[0]).read_text()
    modules = modules_of(text)
    script, first = "", 1
    chosen: list[str] = []
    for i, sample in enumerate(group.samples):
        names = _chosen(sample.modules, modules)
        chosen += names
        script += f"mutate -list {sample.count} -seed {SEED} -ctrl mutant {BITS} {first} -o list{i} {' '.join(names)}\n"
        first += sample.count
    source = "\n".join(modules[name] for name in chosen)
    (folder / "chosen.v").write_text(source)
    kept = text
    for name in chosen:
        kept = kept.replace(modules[name], "")
    (folder / "kept.v").write_text(kept)
    _yosys(
        # Of the modules that stay, Yosys has to know which ports are inputs.
        "read_verilog -lib kept.v\n"
        # What no output depends on is removed first: it would only have equivalent mutants. A wire `mutant` in each
        # module keeps Yosys from adding a port.
        "read_verilog chosen.v\nproc\nopt_expr\nopt_merge\nopt_muxtree\nopt_reduce\nopt_merge\nopt_clean -purge\n"
        + script
        + f"add -wire mutant {BITS}\n"
        + "".join(f"script list{i}\n" for i in range(len(group.samples)))
        + "write_verilog -noattr mutated.v\n",
        folder,
    )
    mutants = [
        Mutant(number, sample.name, place)
        for i, sample in enumerate(group.samples)
        for number, place in (
            _place(line, source.splitlines()) for line in (folder / f"list{i}").read_text().splitlines()
        )
    ]
    fresh, count = re.subn(
        rf"^  wire \[{BITS - 1}:0\] mutant;$",
        f'  reg [{BITS - 1}:0] mutant;\n  initial if (!$value$plusargs("mutant=%d", mutant)) mutant = 0;',
        (folder / "mutated.v").read_text(),
        flags=re.M,
    )
    if count != len(chosen):
        raise MutationError(f"{count} modules of {len(chosen)} know the mutant's number, see {folder}/mutated.v")
    return kept + fresh, mutants


def program(group: Group, folder: Path) -> tuple[Path, list[Mutant]]:
    """Returns the harness with a group's mutants, compiled again only if the Verilog has changed."""
    folder.mkdir(parents=True, exist_ok=True)
    text, mutants = mutated(group, folder)
    verilog = folder / f"{group.unit}.v"
    made = folder / "obj" / f"V{group.unit}"
    if not (verilog.exists() and verilog.read_text() == text and made.exists()):
        made.unlink(missing_ok=True)
        verilog.write_text(text)
        verilate(folder, group.width, group.unit, group.variants[0])
    return compiled(folder, group.unit, "O1"), mutants

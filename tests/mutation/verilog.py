"""One harness with all mutants of a unit's Verilog: `+mutant=N` on its command line selects one, 0 none.

Yosys draws the mutants and puts them into the chosen modules, each behind a comparison with the register `mutant`. The
other modules stay as they are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import sim.unit.build
from sim.unit.build import compiled, generate, verilate
from tests.mutation.groups import SEED, Group
from tests.mutation.kill import Mutant

BITS = 10
"""Width of the register `mutant`."""
SECONDS = 30
"""Processor time of a harness, which no test needs. Some mutants go on requesting."""


class MutationError(Exception):
    """A step failed. The text says which."""


def modules_of(text: str) -> dict[str, str]:
    """Returns the text of each module of a Verilog file that SpinalHDL wrote."""
    return {found[1]: found[0] for found in re.finditer(r"^module (\w+) .*?^endmodule$", text, re.M | re.S)}


def place(line: str, file: str, lines: list[str]) -> str:
    """Returns the place of a mutant that Yosys listed. lines: what it read from this file."""
    words = line.split()
    value = {word: words[i + 1].lstrip("\\") for i, word in enumerate(words) if word.startswith("-")}
    where = value.get("-wire") and f"{value['-wire']}[{value.get('-wirebit', 0)}]"
    where = where or f"{value.get('-port', '')}[{value.get('-portbit', 0)}]"
    sources = dict.fromkeys(re.findall(rf"-src {file}:([1-9]\d*)", line))
    said = " / ".join(lines[int(source) - 1].strip() for source in sources)
    return f"{value['-module']}: {value['-mode']} {where} of {value.get('-port', '')} in `{said}`"


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
    text = text[text.index("`timescale") :]  # Git's state is above it.
    modules = modules_of(text)
    script, first = "", 1
    chosen: list[str] = []
    for i, sample in enumerate(group.samples):
        if missing := [name for name in sample.modules if name not in modules]:
            raise MutationError(f"no module {', '.join(missing)}; modules: {', '.join(modules)}")
        names = [name for name in modules if name in sample.modules]
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
    mutants = []
    for i, sample in enumerate(group.samples):
        for line in (folder / f"list{i}").read_text().splitlines():
            number = int(re.search(rf"-ctrl mutant {BITS} (\d+)", line)[1])
            mutants.append(Mutant(number, sample.name, place(line, "chosen.v", source.splitlines())))
    fresh, count = re.subn(
        rf"^  wire \[{BITS - 1}:0\] mutant;$",
        f'  reg [{BITS - 1}:0] mutant;\n  initial if (!$value$plusargs("mutant=%d", mutant)) mutant = 0;',
        (folder / "mutated.v").read_text(),
        flags=re.M,
    )
    if count != len(chosen):
        raise MutationError(f"{count} modules of {len(chosen)} know the mutant's number, see {folder}/mutated.v")
    return kept + fresh, mutants


def _program(group: Group, folder: Path, text: str) -> Path:
    """Returns the harness with this Verilog, compiled again only if that has changed."""
    verilog = folder / f"{group.unit}.v"
    made = folder / "obj" / f"V{group.unit}"
    if not (verilog.exists() and verilog.read_text() == text and made.exists()):
        made.unlink(missing_ok=True)
        verilog.write_text(text)
        verilate(folder, group.unit)
    return compiled(folder, group.width, group.unit, group.variants[0])


def program(group: Group, folder: Path) -> tuple[Path, list[Mutant]]:
    """Returns the harness with a group's mutants."""
    folder.mkdir(parents=True, exist_ok=True)
    text, mutants = mutated(group, folder)
    return _program(group, folder, text), mutants


def switched(group: Group, folder: Path, tree: Path) -> Path:
    """Returns the harness with the switches in this tree's sources (named.py)."""
    text = generate(folder / "plain", group.width, group.unit, group.variants[0], tree).read_text()
    selected = re.sub(
        r"^  assign (mutant_(\d+)\w*) = 1'b0;$",
        rf"  reg [{BITS - 1}:0] number_\1;\n"
        r'  initial if (!$value$plusargs("mutant=%d", number_\1)) number_\1 = 0;' + "\n"
        r"  assign \1 = number_\1 == \2;",
        text[text.index("`timescale") :],
        flags=re.M,
    )
    return _program(group, folder, selected)


def insert(group: Group, harness: Path, number: int) -> None:
    """Makes the unit harness's tests run with a mutant."""
    script = harness.with_name(f"mutant-{number}.sh")
    script.write_text(f'#!/bin/sh\nulimit -t {SECONDS}\nexec "{harness}" +mutant={number} "$@"\n')
    script.chmod(0o755)

    def build(data_width: int = 128, unit: str = "Engine", variant: str = "") -> Path:
        if (data_width, unit) != (group.width, group.unit) or variant not in group.variants:
            pytest.skip("another unit")
        return script

    sim.unit.build.build = build

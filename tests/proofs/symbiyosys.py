"""Proofs over modules of the Verilog that `make verilog` writes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from base.repository import ROOT

FOLDER = ROOT / "build" / "proofs"


def run(folder: Path, *command: object, check: bool = True) -> str:
    """Runs a program in a folder. Returns what it prints."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=os.environ | {"VENV": sys.prefix},  # make's may be relative to the top
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert not check or not done.returncode, done.stdout
    return done.stdout


def generate(config: str, width: int) -> Path:
    """Generates a cluster. Returns the folder with its HeapwireCluster.v and heapwire.json."""
    folder = FOLDER / f"{config}-{width}"
    folder.mkdir(parents=True, exist_ok=True)
    options = ("--config", config, "--data-width", str(width), "--output", folder)
    run(folder, ROOT / "make" / "scala", "heapwire.core.Generate", *options)
    return folder


class Module:
    """A module of a generated cluster, and the rules that a file of SystemVerilog, with the top module `rules`, says of
    it.

    folder: of `generate`. verilog: its file there. ports: the module's ports as Yosys's JSON has them. macros: those
    that the rules want. inside: wires of the rules -> signals inside of the module, by their names in the generated
    Verilog. mutant: a command of Yosys that changes the flat module, if the rules shall meet a mutant."""

    mutant = ""

    def __init__(self, folder: Path, name: str, rules: Path, verilog: str = "HeapwireCluster.v") -> None:
        self.folder, self.name, self.rules, self.verilog = folder, name, rules, verilog
        script = f"read_verilog -formal {verilog}; hierarchy -top {name}; proc -noopt; write_rtlil {name}.il"
        run(folder, "yosys", "-q", "-p", f"{script}; write_json {name}.json")
        self.ports = json.loads((folder / f"{name}.json").read_text())["modules"][name]["ports"]
        self.macros: dict[str, object] = {}
        self.inside: dict[str, str] = {}

    def width(self, port: str) -> int:
        return len(self.ports[port]["bits"])

    def proved(self, *defines: str, script: tuple[str, ...] = ()) -> bool:
        """Returns whether the rules hold for ever. defines: macros that select rules. script: commands of Yosys that
        change the flat design."""
        return self._verdict(defines, "", "", script, {"mode": "prove"}, "abc pdr") == "PASS"

    def refuted(self, *defines: str, instead: str, cycles: int, within: str = "", script: tuple[str, ...] = ()) -> bool:
        """Returns whether a rule breaks within so many cycles after a reset, if a signal is connected to something
        else (`connect -set`). within: the module that has the signal, if it is not this one."""
        options = {"mode": "bmc", "depth": cycles}
        return self._verdict(defines, instead, within or self.name, script, options, "abc bmc3") == "FAIL"

    def _flat(self, rules: str, defines, instead: str, within: str, script) -> list[str]:
        """Returns the commands of Yosys that read the module and its rules, from that file, as one flat module."""
        macros = [*defines, *(f"{key}={value}" for key, value in self.macros.items())]
        return (
            [f"read_rtlil {self.name}.il"]
            # By the signal's own name, and before anything is optimized: otherwise readers have other names of it.
            + ([f"cd {within}", f"connect -nomap -set {instead}", "cd .."] if instead else [])
            + [f"read_verilog -sv -formal {' '.join(f'-D{macro}' for macro in macros)} {rules}"]
            + ["hierarchy -top rules", "proc"]
            + ["flatten", *script, self.mutant]
            # Without -nounset, comparisons that are just another name of the wire would be cut off.
            + [f"connect -nounset -set {wire} \\dut.{signal}" for wire, signal in self.inside.items()]
        )

    def mutants(self, count: int, seed: int, *defines: str, script: tuple[str, ...] = ()) -> list[str]:
        """Returns so many mutants, as commands of Yosys, of what the rules depend on."""
        commands = self._flat(str(self.rules), defines, "", "", script)
        draw = f"mutate -list {count} -seed {seed} -o mutants rules/c:*dut.*"
        run(self.folder, "yosys", "-q", "-p", "; ".join(filter(None, [*commands, "opt_clean -purge", draw])))
        return (self.folder / "mutants").read_text().splitlines()

    def _verdict(self, defines, instead, within, script, options, engine) -> str:
        name = re.sub(r"\W+", "_", "_".join([self.name, *defines, instead]))
        (self.folder / f"{name}.sby").write_text(
            "\n".join(
                ["[options]", *(f"{key} {value}" for key, value in options.items()), "aigsmt none"]
                + ["[engines]", engine, "[script]", *self._flat(self.rules.name, defines, instead, within, script)]
                + ["prep -top rules", "[files]", str(self.folder / f"{self.name}.il"), str(self.rules), ""]
            )
        )
        printed = run(self.folder, ROOT / "make" / "bin" / "sby", "-f", f"{name}.sby", check=False)
        words = [line.split("DONE (")[1].split(",")[0] for line in printed.splitlines() if "DONE (" in line]
        assert words and words[0] in ("PASS", "FAIL"), printed
        return words[0]

"""Builds a unit's harness: SpinalHDL -> Verilog -> Verilator -> program."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from base.repository import ROOT

HARNESS = Path(__file__).with_name("harness.cpp")

UNITS = {
    "Engine": "heapwire.protobuf.engine.EngineVerilog",
    "DeserializationUnit": "heapwire.cereal.deserialize.DeserializationUnitVerilog",
    "SerializationUnit": "heapwire.cereal.serialize.SerializationUnitVerilog",
}
"""For each top module, the program that writes its Verilog."""


class BuildError(Exception):
    """A step failed. The text names the step and contains its output."""


def _run(what: str, command: list[str], tree: Path = ROOT) -> str:
    done = subprocess.run(
        command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise BuildError(f"{what} failed: {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def _scala() -> list[Path]:
    return [ROOT / "build.sc", ROOT / "tools.env", *(ROOT / "accel" / "src").rglob("*.scala")]


def _newer(built: Path, sources: list[Path]) -> bool:
    return built.exists() and built.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def build(data_width: int = 128, unit: str = "Engine", variant: str = "", probe: Path | None = None) -> Path:
    """Returns the harness of a unit with a memory port of that width, rebuilt if a source is newer.

    variant: further argument of the program that writes the Verilog. probe: Verilog that is bound to the unit's."""
    # -O2 compiles longer and runs faster, which pays off in long runs.
    level = "O2" if os.environ.get("HEAPWIRE_FULL") else "O1"
    name = "-".join(filter(None, (unit.lower(), str(data_width), variant, probe and probe.stem, level)))
    folder = ROOT / "build" / "unit" / name
    if not _newer(folder / "obj" / f"V{unit}.mk", [*_scala(), Path(__file__), *filter(None, [probe])]):
        generate(folder, data_width, unit, variant)
        verilate(folder, data_width, unit, variant, probe)
    return compiled(folder, unit, level)


def generate(folder: Path, data_width: int, unit: str, variant: str, tree: Path = ROOT) -> Path:
    """Returns the unit's Verilog, which it writes. tree: which has the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [UNITS[unit], str(folder), str(data_width), *filter(None, [variant])]
    _run("generating the Verilog", ["make/scala", *arguments], tree)
    return folder / f"{unit}.v"


def _through_harness(verilog: str) -> str:
    """Returns Verilog in which the harness says where the writes that come to a guard are for (`astray`)."""
    moved, count = re.subn(
        r"(^  WriteGuard.*?_opcode +\()(.*?)(\).*?_address +\()(.*?)(\))",
        r"\1\2\3astray(\2, \4)\5",
        verilog,
        flags=re.MULTILINE | re.DOTALL,
    )
    if count != len(re.findall("^  WriteGuard", verilog, re.MULTILINE)):
        raise BuildError("a guard has other ports than opcode and address in this order")
    return 'import "DPI-C" function int astray(input int opcode, input int address);\n' + moved


def verilate(folder: Path, data_width: int, unit: str, variant: str, probe: Path | None = None) -> None:
    """Makes the model's sources of the Verilog in `folder`."""
    (folder / "harness.v").write_text(_through_harness((folder / f"{unit}.v").read_text()))
    _run(
        "Verilator",
        [
            "verilator",
            "-cc",
            "--exe",
            "-O3",
            "--x-assign",
            "unique",
            "--x-initial",
            "unique",
            "-Wno-fatal",
            "-Wno-lint",
            "-CFLAGS",
            f"-std=c++17 -DDATA_BYTES={data_width // 8} -D{unit.upper()}" + " -DFIELDS" * (variant == "fields"),
            "--Mdir",
            str(folder / "obj"),
            "--top-module",
            unit,
            *map(str, filter(None, [folder / "harness.v", probe, HARNESS])),
        ],
    )


def compiled(folder: Path, unit: str, level: str) -> Path:
    """Returns the program of the model and the harness, compiled if one of them is newer."""
    program = folder / "obj" / f"V{unit}"
    model = program.with_suffix(".mk")
    if not _newer(program, [model, HARNESS, *HARNESS.parent.glob("*.h")]):
        make = ["make/bin/sim-make", "-s", "-C", str(model.parent), "-f", model.name, program.name]
        _run("the C++ compiler", [*make, f"OPT_FAST=-{level}"])
    return program

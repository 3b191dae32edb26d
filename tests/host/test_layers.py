"""Which folder may use which: the dictionaries say for each folder of `firmware/`, `accel/src/heapwire` (and of the
protobuf engine in it) and `host/heapwire` what its files may include or import, apart from their own folder.
docs/howto/contributing.md explains the order."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.repository import ROOT

FIRMWARE = {
    "platform": "",
    "boot": "platform",
    "litex": "platform",
    "units": "platform",
    "runtime": "units",
    "packet": "runtime",
    "copy": "units runtime",
    "protobuf": "units runtime",
    "cereal": "units runtime",
    "skyway": "platform units runtime packet copy cereal",
    "thread": "platform runtime protobuf",
    "without": "runtime protobuf",
    "nanopb": "runtime protobuf",
    "ethernet": "",
    "rpc": "units ethernet runtime protobuf",
    "programs": "platform units runtime packet copy protobuf cereal skyway thread nanopb rpc",
    "host": "",
}
ACCEL = {
    "isa": "",
    "sequencer": "",
    "memory": "isa",
    "crossing": "memory",
    "copy": "isa memory",
    "evacuate": "isa memory",
    "protobuf": "isa memory sequencer",
    "cereal": "isa memory",
    "core": "isa memory crossing copy evacuate protobuf cereal",
}
ENGINE = {
    "logic": "",
    "microcode": "logic",
    "program": "microcode",
    "memory": "logic",
    "read": "logic microcode memory",
    "write": "logic microcode memory",
    "command": "microcode program",
    "message": "logic microcode read write command",
    "fields": "microcode program read command message",
    "CacheReads.scala": "logic microcode memory read write command message",
    "Stores.scala": "microcode program memory read write command message",
    "Handover.scala": "microcode program read write command message fields",
    "Steps.scala": "microcode message",
    "Streams.scala": "microcode program read command message",
    "Writing.scala": "microcode write command message",
    "Engine.scala": "microcode program memory read write command message fields",
    "EngineVerilog.scala": "program",
}
"""Rooms and files of `accel/src/heapwire/protobuf/engine`. Nothing in it uses the files."""
LOW = "interface records wire heap schema"
FORMATS = f"{LOW} revision framing graph compare model model_objects nanopb client cereal"
MACHINES = f"{FORMATS} simulation firmware workload machine board debug"
HOST = {
    "interface": "",
    "records": "",
    "revision": "interface",
    "wire": "interface",
    "framing": "wire",
    "heap": "interface schema",
    "schema": "interface records wire",
    "graph": LOW,
    "compare": "graph schema",
    "model": f"{LOW} model_objects",
    "model_objects": LOW,
    "nanopb": "",
    "nanopb_generator": "",
    "client": "records wire",
    "cereal": "interface",
    "skyway": "records client cereal",
    "simulation": "interface",
    "debug": "interface simulation",
    "board": "interface",
    "firmware": "interface schema simulation nanopb",
    "plugin": "interface schema wire",
    "workload": f"{LOW} firmware",
    "machine": f"{FORMATS} workload",
    "measure": MACHINES,
    "klasses": "interface cereal skyway",
    "demo": MACHINES,
    "program": f"{LOW} simulation firmware nanopb plugin",
    "batch": f"{LOW} simulation firmware workload",
    "conformance": f"{LOW} firmware batch",
    "check": f"{MACHINES} measure conformance",
    "inspect": f"{MACHINES} demo",
    "cli": f"{MACHINES} skyway measure demo plugin program inspect check",
    "__main__": "cli",
}


TOP = {
    "base": "",
    "heapwire_litex": "",
    "synth": "base",
    "soc": "base heapwire_litex",
    "boards": "base soc synth heapwire_litex",
    "sim": "base soc boards heapwire_litex",
    "heapwire": "base boards heapwire_litex sim",
    "study": "base synth boards sim heapwire heapwire_litex",
}
"""The packages of Python. Tests may use all; nothing of the machine uses the study."""


def included() -> Iterator[tuple[str, str, str]]:
    """Of each file of the firmware: its folder, a folder it includes from, the file."""
    root = ROOT / "firmware"
    for file in sorted(path for path in root.rglob("*") if path.suffix in (".c", ".h", ".S")):
        for name in re.findall(r'#include "([^"]+)"', file.read_text()):
            if (root / name).is_file():
                yield file.relative_to(root).parts[0], name.split("/")[0], str(file.relative_to(ROOT))


def imported_by_scala() -> Iterator[tuple[str, str, str]]:
    root = ROOT / "accel" / "src" / "heapwire"
    for file in sorted(root.rglob("*.scala")):
        for name in re.findall(r"\bheapwire\.(\w+)", file.read_text()):
            if (root / name).is_dir():
                yield file.relative_to(root).parts[0], name, str(file.relative_to(ROOT))


def imported_in_engine() -> Iterator[tuple[str, str, str]]:
    root = ROOT / "accel" / "src" / "heapwire" / "protobuf" / "engine"
    for file in sorted(root.rglob("*.scala")):
        for name in re.findall(r"\bheapwire\.protobuf\.engine\.(\w+)", file.read_text()):
            yield file.relative_to(root).parts[0], name, str(file.relative_to(ROOT))


def _modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def imported_by_python() -> Iterator[tuple[str, str, str]]:
    root = ROOT / "host" / "heapwire"
    known = {path.stem for path in root.iterdir()}
    for file in sorted(root.rglob("*.py")):
        for name in _modules(ast.parse(file.read_text())):
            parts = name.split(".")
            if parts[0] == "heapwire" and parts[1] in known:
                yield file.relative_to(root).with_suffix("").parts[0], parts[1], str(file.relative_to(ROOT))


def imported_by_packages() -> Iterator[tuple[str, str, str]]:
    for package in TOP:
        for file in sorted((ROOT / ("host/heapwire" if package == "heapwire" else package)).rglob("*.py")):
            if "tests" not in file.relative_to(ROOT).parts:
                for name in _modules(ast.parse(file.read_text())):
                    if (used := name.split(".")[0]) in TOP:
                        yield package, used, str(file.relative_to(ROOT))


@pytest.mark.parametrize(
    "uses, found",
    [
        (FIRMWARE, included),
        (ACCEL, imported_by_scala),
        (ENGINE, imported_in_engine),
        (HOST, imported_by_python),
        (TOP, imported_by_packages),
    ],
    ids=["firmware", "accel", "engine", "host", "top"],
)
def test_no_arrow_runs_back(uses, found):
    arrows = list(found())
    wrong = [
        f"{file}: {folder} uses {used}"
        for folder, used, file in arrows
        if folder != used and folder != "__init__" and used not in uses.get(folder, "").split()
    ]
    assert len(arrows) > 50 and not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "uses", [FIRMWARE, ACCEL, ENGINE, HOST, TOP], ids=["firmware", "accel", "engine", "host", "top"]
)
def test_the_rules_have_no_circle(uses):
    """What a folder may use comes before it in some order."""
    left = {folder: set(used.split()) for folder, used in uses.items()}
    while left:
        free = [folder for folder, used in left.items() if not used & left.keys()]
        assert free, f"these use one another: {sorted(left)}"
        left = {folder: used for folder, used in left.items() if folder not in free}


@pytest.mark.parametrize(
    "root, uses",
    [("firmware", FIRMWARE), ("accel/src/heapwire", ACCEL), ("accel/src/heapwire/protobuf/engine", ENGINE)],
)
def test_every_folder_has_a_rule(root, uses):
    tracked = {path.name for path in (ROOT / Path(root)).iterdir() if path.is_dir() and any(path.rglob("*.[chsS]*"))}
    assert tracked == {name for name in uses if "." not in name}

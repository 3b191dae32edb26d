"""Named mutants: patches of the sources, which are made in a copy of the tree, build/mutation/tree."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Iterable, Iterator

from base.repository import ROOT

TREE = ROOT / "build" / "mutation" / "tree"
COPIED = ("accel", "base", "build.sc", "firmware", "host", "make", "sim", "tests", "pyproject.toml", "tools.env")
LINKED = (".cache", ".venv", "build/gen", "docs")
SECONDS = 3600
MUTANT = """package heapwire

import spinal.core._

/** What the mutant of that number has instead, if the environment asks for it. Verilog has a wire for each mutant. */
object Mutant {
  private def on(number: Int) = {
    val on = Bool().setWeakName(s"mutant_$number").dontSimplifyIt()
    on := Bool(sys.env.get("HEAPWIRE_MUTANT").contains(number.toString))
    on
  }
  def apply[T <: Data](number: Int, right: T)(wrong: T): T = Mux(on(number), wrong, right)
  def apply(number: Int, right: (UInt, UInt))(wrong: (UInt, UInt)): (UInt, UInt) = {
    val other = on(number)
    Mux(other, wrong._1, right._1) -> Mux(other, wrong._2, right._2)
  }
}
"""


@dataclass(frozen=True)
class Patch:
    """A mutant: `old`, which the file has once, becomes `new`. tests: arguments of pytest."""

    name: str
    file: str
    old: str
    new: str
    tests: str

    room: ClassVar[str] = "firmware"

    @property
    def path(self) -> Path:
        return Path(self.room, self.file)

    def apply(self, text: str) -> str:
        if text.count(self.old) != 1:
            raise ValueError(f"mutant {self.name!r}: {self.path} has {text.count(self.old)} times: {self.old}")
        return text.replace(self.old, self.new)

    @contextmanager
    def applied(self) -> Iterator[dict[str, str]]:
        """Applies the mutant to the copy, for a time. Returns what it wants in the environment."""
        file = TREE / self.path
        text = file.read_text()
        try:
            file.write_text(self.apply(text))
            yield {}
        finally:
            file.write_text(text)


@dataclass(frozen=True)
class Switch(Patch):
    """A mutant of the hardware: the expression `old` becomes `new` if that number is chosen, so that all are compiled
    at once. tests: the name of a group of unit tests (groups.py), or arguments of Mill's testOnly."""

    number: int

    room: ClassVar[str] = "accel/src/heapwire"

    @property
    def of_unit(self) -> bool:
        return not self.tests.startswith("heapwire.")

    def apply(self, text: str) -> str:
        switch = f"heapwire.Mutant({self.number}, {self.old})({self.new})"
        return Patch(self.name, self.file, self.old, switch, "").apply(text)

    @contextmanager
    def applied(self) -> Iterator[dict[str, str]]:
        yield {"HEAPWIRE_MUTANT": str(self.number)}


def wrong(patches: Iterable[Patch]) -> list[str]:
    """Returns which patches do not fit the sources."""
    found = []
    for patch in patches:
        try:
            patch.apply((ROOT / patch.path).read_text())
        except (ValueError, OSError) as error:
            found.append(str(error))
    return found


def _write(path: Path, data: bytes) -> None:
    """Writes a file. One that is the same keeps its time, so that little is compiled again."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy(switches: Iterable[Switch]) -> None:
    """Copies the tree's files, and puts all switches into them."""
    for name in COPIED:
        source = ROOT / name
        for path in [source] if source.is_file() else source.rglob("*"):
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            own, data = path.relative_to(ROOT), path.read_bytes()
            for switch in (each for each in switches if each.path == own):
                data = switch.apply(data.decode()).encode()
            _write(TREE / own, data)
            shutil.copymode(path, TREE / own)
    _write(TREE / Switch.room / "Mutant.scala", MUTANT.encode())
    # Make would make the linked environment anew if this were newer.
    shutil.copystat(ROOT / "pyproject.toml", TREE / "pyproject.toml")
    for name in LINKED:
        link = TREE / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(ROOT / name)


def _run(tests: str, name: str, environment: dict[str, str]) -> int:
    """Runs tests in the copy. Returns the exit code."""
    log = TREE.parent / "named" / f"{name.replace(' ', '-')}.log"
    log.parent.mkdir(exist_ok=True)
    pytest = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not full"]
    command = ["make/mill", "accel.test.testOnly"] if tests.startswith("heapwire.") else pytest
    with open(log, "w") as file:
        return subprocess.run(
            [*command, *shlex.split(tests)],
            cwd=TREE,
            env=os.environ | {"PYTHONPATH": f"{TREE}:{TREE / 'host'}"} | environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
        ).returncode


def survivors(patches: list[Patch], results: dict[str, bool]) -> list[str]:
    """Runs the patches without a result. Returns which lived, and what else is wrong.

    results: whether each mutant lived, by name; the caller keeps it."""
    wrong = []
    for tests in dict.fromkeys(patch.tests for patch in patches if patch.name not in results):
        if (code := _run(tests, "none", {})) != 0:
            wrong.append(f"without a mutant the tests end with exit code {code}: {tests}")
    for patch in patches if not wrong else ():
        if patch.name in results:
            continue
        try:
            with patch.applied() as environment:
                code = _run(patch.tests, patch.name, environment)
        except subprocess.TimeoutExpired:
            code = 1
        if code not in (0, 1):
            wrong.append(f"mutant {patch.name!r}: the tests end with exit code {code}")
            continue
        results[patch.name] = code == 0
        print(f"{patch.name}: {'lived' if code == 0 else 'killed'}", flush=True)
    return wrong + [f"lived: {name}" for name, lived in results.items() if lived]

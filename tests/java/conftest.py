"""Builds the tool, the classes that it is tested with, and the C programs that read its tables."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import random_classes

from heapwire import interface as interface_module
from heapwire.firmware import build_classes
from tests.common.built import JAVA, host_programs
from tests.common.run import checked, run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "test" / "java"
EXPORTS = ["--add-exports", "java.base/jdk.internal.misc=ALL-UNNAMED"]


def javac(folder: Path, sources, *options):
    folder.mkdir(parents=True, exist_ok=True)
    checked("javac", "-nowarn", "-encoding", "UTF-8", *options, "-d", folder, *sources)


@dataclass(frozen=True)
class Java:
    """The folders of the build products, and the class path of the tool."""

    tables: Path
    shipped: Path
    tricky: Path
    random: Path
    tool: str
    constants: Path

    def emit(self, output, *arguments, classpath=None, constants=None):
        """Runs the tool's command line."""
        classpath = classpath or f"{self.shipped}:{self.tricky}"
        options = "--constants", constants or self.constants, "--classpath", classpath, "--output", output
        return run("java", "-cp", self.tool, "heapwire.classes.Main", *options, *arguments)

    def real(self, *arguments, options=()):
        """Runs checks/.../Real."""
        opened = *EXPORTS, "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dfile.encoding=UTF-8"
        heap = "-XX:+UseCompressedOops", "-XX:+UseCompressedClassPointers", *options
        checks = "-cp", f"{self.tool}:{OUT / 'checks'}", "heapwire.classes.Real"
        return checked("java", *opened, *heap, *checks, *arguments)


@pytest.fixture(scope="session")
def java() -> Java:
    generated = interface_module.load().path.resolve().parent
    jars = ROOT / os.environ.get("CACHE", ".cache") / "java"
    for name in ["tricky", "random", "random-source"]:
        shutil.rmtree(OUT / name, ignore_errors=True)
    javac(OUT / "tricky", (HERE / "classes").rglob("*.java"), "--release", "17")
    javac(OUT / "tricky", (HERE / "old").rglob("*.java"), "--release", "8")
    lists = f"{JAVA / 'classes.txt'} {HERE / 'classes.txt'}"
    build_classes(ROOT / "host" / "java", OUT, LIST=lists, SOURCES=JAVA, CLASSPATH=OUT / "tricky")
    tool = ":".join(map(str, [OUT / "tool", *sorted(jars.resolve().glob("*.jar"))]))
    source = OUT / "random-source"
    source.mkdir(parents=True, exist_ok=True)
    for name, text in random_classes.sources(seed=1, count=400).items():
        (source / f"{name}.java").write_text(text)
    javac(OUT / "random", source.glob("*.java"), "--release", "17")
    javac(OUT / "checks", (HERE / "checks").rglob("*.java"), "-cp", tool, *EXPORTS)
    return Java(OUT, OUT / "java", OUT / "tricky", OUT / "random", tool, generated / "heapwire.h")


@pytest.fixture(scope="session")
def programs(java) -> Path:
    """Returns the folder of the C programs `tables` and `strings`."""
    return host_programs(HERE / "host", CLASSES=java.tables)

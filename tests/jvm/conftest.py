"""Builds the JVM's library, the classes of the tests and the program that uses them."""

import struct
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from base.repository import ROOT
from heapwire import firmware
from heapwire.klasses import Klasses
from heapwire.records.status import DriverStatus, SkywayStatus
from tests.common.built import host_programs
from tests.common.fixtures import full, interface, seed  # noqa: F401
from tests.common.run import checked
from tests.java.random_classes import sources
from tests.skyway import programs as skyway_programs

HERE = Path(__file__).parent
OUT = ROOT / "build" / "test" / "jvm"
RANDOM = 200


@dataclass(frozen=True, eq=False)
class Jvm:
    """path: the class path of check/. folder: files of this run. klasses: the classes that both sides register. tables:
    theirs, as the tool writes them. format: cereal or skyway."""

    path: str
    folder: Path
    klasses: Klasses
    tables: Path = OUT
    format: str = "cereal"

    @property
    def classes(self):
        return self.klasses.classes

    def check(self, mode: str, *arguments: Path | str, options=()) -> list[str]:
        """Returns the lines that the program prints."""
        names = self.folder / "names.txt"
        names.write_text("".join(f"{each.name}\n" for each in self.classes.classes))
        return checked("java", *options, "-cp", self.path, "Check", mode, self.format, names, *arguments).splitlines()

    @cache
    def written(self, count: int = 100) -> list[bytes]:
        """Returns the streams of the program's cases. count: nodes of the longest list."""
        assert self.check("write", self.folder / "cases", str(count)) == ["good"]
        return unpacked((self.folder / "cases").read_bytes())

    def carry(self, where: str, streams: list[bytes], patience: int) -> tuple[list[str], list[bytes]]:
        """Sends the streams over a line. Returns how each went, and what came back."""
        (self.folder / "in").write_bytes(packed(streams))
        lines = self.check("carry", where, self.folder / "in", self.folder / "out", str(patience))
        return lines, unpacked((self.folder / "out").read_bytes())

    def read(self, streams: list[bytes], options=()) -> tuple[list[str], list[bytes]]:
        """Returns what the program says of each stream, and what it has made of those that are good."""
        (self.folder / "in").write_bytes(packed(streams))
        lines = self.check("read", self.folder / "in", self.folder / "out", options=options)
        assert len(lines) == len(streams)
        return lines, unpacked((self.folder / "out").read_bytes())


def packed(streams: list[bytes]) -> bytes:
    return b"".join(struct.pack(">I", len(each)) + each for each in streams)


def unpacked(data: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        found.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return found


@pytest.fixture(scope="session")
def jvm(tmp_path_factory) -> Jvm:
    folder = tmp_path_factory.mktemp("jvm")
    jar = firmware.build_classes(ROOT / "host" / "java", OUT, goal="library") / "heapwire.jar"
    random = folder / "random"
    random.mkdir()
    made = sources(seed=2, count=RANDOM)
    for name, text in made.items():
        (random / f"{name}.java").write_text(text)
    checked("javac", "-nowarn", "-d", folder, *random.glob("*.java"))
    listed = folder / "random.txt"
    listed.write_text("".join(f"random.{name}\n" for name in made))
    lists = f"{HERE / 'classes.txt'} {listed}"
    tool = ROOT / "host" / "java"
    firmware.build_classes(tool, OUT, LIST=lists, SOURCES=HERE / "java", CLASSPATH=f"{jar}:{folder}")
    path = f"{jar}:{OUT / 'java'}:{folder}"
    lint = "-Xlint:all,-processing", "-Werror", "--release", "17"
    checked("javac", *lint, "-cp", path, "-d", OUT / "check", *(HERE / "check").rglob("*.java"))
    return Jvm(f"{path}:{OUT / 'check'}", folder, Klasses(OUT / "classes.json"))


@pytest.fixture(scope="session")
def skyway(jvm) -> Jvm:
    return replace(jvm, format="skyway")


@pytest.fixture(scope="session")
def programs() -> Path:
    """Returns the folder of the C codec's `script`."""
    return host_programs(ROOT / "tests" / "cereal" / "host")


@pytest.fixture(scope="session")
def nodes() -> Path:
    """Returns the folder of Skyway's `node`."""
    return skyway_programs.build()


@pytest.fixture(scope="session")
def status(interface) -> dict[str, int]:
    """Returns status codes by name: HW_STATUS_* and HW_SKYWAY_*, without their prefix."""
    return {**interface.status, **DriverStatus.__members__, **SkywayStatus.__members__}

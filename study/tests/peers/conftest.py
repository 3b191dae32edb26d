"""Builds the serializers of a real JVM, graphs for them, and the codecs as C programs. The JVM then writes the
graphs."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from heapwire import interface as interface_module
from heapwire.firmware import build_classes
from tests.common.built import host_programs
from tests.common.fixtures import full, seed  # noqa: F401

HERE = Path(__file__).parent
STUDY = HERE.parents[1]
ROOT = STUDY.parent
OUT = ROOT / "build" / "test" / "peers"


def checked(*command):
    result = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return result.stdout


@dataclass(frozen=True)
class Peers:
    """`data`: the folder of the JVM's streams, NAME.ENGINE. `programs`: the folder of convert, cases and fuzz."""

    data: Path
    programs: Path
    class_path: str

    def jvm(self, command: str) -> str:
        """Runs java/peers/Main. The JVM's serializers recurse, so that they run in a thread with a large stack."""
        return checked("java", "-Xmx3g", "-XX:+UseSerialGC", "-cp", self.class_path, "peers.Main", command, self.data)

    def files(self, *engines, largest=1 << 30):
        return sorted(
            path for path in self.data.iterdir() if path.suffix[1:] in engines and path.stat().st_size <= largest
        )


@pytest.fixture(scope="session")
def peers() -> Peers:
    generated = interface_module.load().path.resolve().parent
    jars = (ROOT / os.environ.get("CACHE", ".cache") / "java").resolve()
    kryo = sorted((jars / "kryo").glob("*.jar"))
    assert kryo, f"no Kryo in {jars / 'kryo'}: run `make setup`"
    cases, data = OUT / "cases", OUT / "data"
    for folder in cases, data:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    build_classes(STUDY / "java", OUT)
    checked(
        "make", "--no-print-directory", "-C", STUDY / "java", f"JARS={jars}", f"GEN={generated}", f"OUT={OUT}", "peers"
    )
    libraries = ":".join(map(str, [OUT / "java", OUT / "peers", *kryo]))
    javac = "javac --release 17 -nowarn -encoding UTF-8 -proc:none".split()
    checked(*javac, "-cp", libraries, "-d", cases, *(HERE / "java").rglob("*.java"))
    build_classes(STUDY / "java", OUT, LIST=HERE / "classes.txt", CLASSPATH=cases)
    programs = host_programs(HERE / "host", CLASSES=OUT)
    shutil.copy(OUT / "kryo.txt", data)
    built = Peers(data, programs, f"{cases}:{libraries}")
    built.jvm("write")
    return built

"""What tests build: programs for this host, and klass tables of Java classes."""

from functools import cache
from pathlib import Path

import pytest

from base.repository import ROOT
from heapwire import firmware

OUT = ROOT / "build" / "test"
JAVA = Path(__file__).parent / "java"


def host_programs(folder: Path, out: Path | None = None, **variables: Path | str) -> Path:
    """Builds the programs that the Makefile in `folder` lists (firmware/host/build.mk), with ASan and UBSan. Returns
    the folder that has them."""
    name = "-".join(part for part in folder.relative_to(ROOT).parts if part not in ("tests", "host"))
    return firmware.build_for_host(folder, out or OUT / "host" / name, **variables)


def programs_of(folder: Path):
    """Returns a fixture: the folder of the host programs of `folder`."""
    return pytest.fixture(scope="session", name="programs")(lambda: host_programs(folder))


@cache
def classes() -> Path:
    """Returns the folder of the klass tables of the JDK's classes and those of java/."""
    return firmware.build_classes(ROOT / "host" / "java", OUT / "classes", LIST=JAVA / "classes.txt", SOURCES=JAVA)

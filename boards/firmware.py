"""Builds the programs of firmware/ for a board's SoC. Serial boot sends them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT, cache
from base.steps import Say

IMAGES = ("monitor",)
"""The programs that are useful without a simulator."""
CLASSES = ROOT / "build" / "classes"


def build(cluster: Path, soc: Path, name: str, say: Say) -> None:
    """Compiles the programs against the headers of `cluster` and `soc` into build/firmware/`name`. The environment's
    IMAGE selects other programs."""
    own = os.environ.get("CLASS_LIST", "")
    places = [os.path.abspath(place) for place in os.environ.get("CLASS_PATH", "").split(":") if place]
    _make(
        "host/java",
        GEN=cluster,
        JARS=cache() / "java",
        OUT=CLASSES,
        LIST=Path(own) if own else "",
        CLASSPATH=":".join(places),
    )
    output = ROOT / "build" / "firmware" / name
    programs(cluster, soc, output, os.environ.get("IMAGE", "").split() or IMAGES)
    say(f"programs for serial boot: {output.relative_to(ROOT)}/*.bin")


def programs(
    cluster: Path, soc: Path, output: Path, images: tuple[str, ...] | list[str] = IMAGES, **variables: Path | str
) -> None:
    """Compiles `images` into `output`, with the klass tables in CLASSES. variables: further variables of
    firmware/Makefile."""
    _make(
        "firmware",
        GEN=cluster,
        SOC=soc,
        CLASSES=CLASSES,
        NANOPB=cache() / "nanopb",
        PYTHON=sys.executable,
        OUT=output,
        IMAGE=" ".join(images),
        **variables,
    )


def _make(folder: str, **variables: Path | str) -> None:
    words = [f"{name}={value.resolve() if isinstance(value, Path) else value}" for name, value in variables.items()]
    if subprocess.run(
        ["make", "--no-print-directory", "-C", str(ROOT / folder), *words], stdin=subprocess.DEVNULL
    ).returncode:
        raise HeapwireError(
            f"{folder} does not build; the first error above says why. What to do: where it is a tool that is not "
            "found, make setup"
        )

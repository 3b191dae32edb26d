"""What the study builds for its machines: images of study/firmware, and klass tables of its Java classes."""

from functools import cache
from pathlib import Path

from base.repository import ROOT
from heapwire import firmware
from heapwire.klasses import Klasses
from heapwire.simulation import Parts
from study.bench import upb

STUDY = ROOT / "study"


@cache
def classes() -> Path:
    """Returns the folder of the klass tables."""
    return firmware.build_classes(STUDY / "java", ROOT / "build" / "study" / "classes")


@cache
def klasses() -> Klasses:
    """Returns what the tables hold."""
    return Klasses(classes() / "classes.json")


def image(
    name: str,
    parts: Parts,
    out: Path,
    peers: Path | None = None,
    layout: str = "",
    described: Path | None = None,
    accessors: Path | None = None,
) -> Path:
    """Builds an image that study/firmware/Makefile lists (firmware.build has the parameters). Returns its ELF.

    described: the folder of the mini descriptors for upb, in an image that has it."""
    upb_of = {"UPB": upb.sources(), "UPB_TYPES": described} if described else {}
    return firmware.build(
        name, parts, out, peers, layout, accessors, folder=STUDY / "firmware", classes=classes(), **upb_of
    )

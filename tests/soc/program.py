"""The programs of these tests, built as the firmware is (firmware/Makefile, TESTS)."""
from functools import cache
from pathlib import Path

from heapwire import firmware, simulation
from heapwire.interface import REPOSITORY


@cache
def program(name: str) -> Path:
    """The ELF of a test program."""
    parts = simulation.parts()
    return firmware.build(name, parts, REPOSITORY / "build" / "test" / "soc" / parts.name)

"""Builds the codec and the driver as host programs with ASan and UBSan."""

from pathlib import Path

from tests.common.built import programs_of
from tests.common.fixtures import full, interface, seed  # noqa: F401

programs = programs_of(Path(__file__).parent / "host")

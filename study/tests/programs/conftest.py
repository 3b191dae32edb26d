from pathlib import Path

import pytest

from study.bench.built import STUDY, classes
from study.shuffle import SERIALIZERS
from study.shuffle.units import UNITS
from tests.common.built import host_programs

SOFTWARE = [name for name in SERIALIZERS if name not in UNITS]


@pytest.fixture(scope="session")
def programs() -> Path:
    """Returns the folder of `worker`, one worker of several of which each two share a socket, `hostile` and `cases`."""
    return host_programs(Path(__file__).parent / "host", CLASSES=classes())


@pytest.fixture(scope="session")
def worker(programs) -> Path:
    return programs / "worker"


@pytest.fixture(scope="session")
def machine() -> Path:
    """Returns the program of one machine of two, which share a line."""
    return host_programs(STUDY / "firmware" / "programs" / "skyway" / "host", CLASSES=classes()) / "worker"

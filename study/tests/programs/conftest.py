import subprocess
from pathlib import Path

import pytest

from study.bench.built import STUDY, classes
from study.shuffle import SERIALIZERS
from study.shuffle.plain import digest
from study.shuffle.units import UNITS
from tests.common.built import host_programs

ROOM = 2 << 20, 8 << 20
"""Bytes of the heap, and of the memory for serializers and streams."""
BYTE_CYCLES, SECONDS = 20, 300
SOFTWARE = [name for name in SERIALIZERS if name not in UNITS]


@pytest.fixture(scope="session")
def programs() -> Path:
    """Returns the folder of `workers`, all workers of a program, `hostile` and `cases`."""
    return host_programs(Path(__file__).parent / "host", CLASSES=classes())


@pytest.fixture(scope="session")
def machine() -> Path:
    """Returns the program of one machine of two, which share a line."""
    return host_programs(STUDY / "firmware" / "programs" / "skyway" / "host", CLASSES=classes()) / "worker"


def start(machine, number, machines, path, *jobs, patience, byte_cycles=BYTE_CYCLES):
    command = [machine, number, machines, path, byte_cycles, patience, *ROOM, *(word for job in jobs for word in job)]
    return subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def agree(rows, expected):
    """The results of all machines together are these."""
    assert sum(row["results"] for row in rows) == len(expected)
    assert sum(row["digest"] for row in rows) & 0xFFFFFFFF == digest(expected)


def end(process):
    """Waits for the process. Returns its exit code and its lines."""
    output, errors = process.communicate(timeout=SECONDS)
    assert not errors, errors[-4000:]
    return process.returncode, output.splitlines()

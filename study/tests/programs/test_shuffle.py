"""Word count, page rank, connected components, triangle counting and queries against a plain computation. The workers
of a program take turns in one process, and use every serializer."""

import subprocess

import pytest

from study.shuffle import PROGRAMS, results
from study.shuffle.plain import digest
from study.tests.programs.conftest import SOFTWARE


def started(programs, *words):
    return subprocess.run([*map(str, (programs / "workers", *words))], capture_output=True, text=True, timeout=300)


def run(programs, program, serializer, workers, scale, stress=False):
    """Returns the result of all workers, and each worker's phases, roots, digest, and local and remote bytes."""
    done = started(programs, program, serializer, workers, scale, int(stress))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found, numbers = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            numbers.append([int(number) for number in line.split()[1:]])
        else:
            key, value = line.rsplit(" ", 1)
            assert key not in found
            found[key] = int(value)
    return found, numbers


@pytest.mark.parametrize("serializer", SOFTWARE)
@pytest.mark.parametrize("program", PROGRAMS)
def test_two_workers(programs, program, serializer):
    expected = results(program, 300)
    found, numbers = run(programs, program, serializer, 2, 300)
    assert found == expected
    assert sum(each[2] for each in numbers) & 0xFFFFFFFF == digest(expected)
    assert len({each[0] for each in numbers}) == 1, "workers do not agree when it is over"
    assert all(roots >= 2 and local > 0 and remote > 0 for _, roots, _, local, remote in numbers)


@pytest.mark.parametrize("workers, scale", [(1, 50), (3, 200), (8, 97)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_any_number_of_workers(programs, program, workers, scale):
    assert run(programs, program, "skyway-sw", workers, scale)[0] == results(program, scale)


@pytest.mark.parametrize("serializer", SOFTWARE)
@pytest.mark.parametrize("program", PROGRAMS)
def test_collections_everywhere(programs, program, serializer):
    assert run(programs, program, serializer, 2, 30, stress=True)[0] == results(program, 30)


def test_fewer_vertices_than_workers(programs):
    for program in PROGRAMS:
        assert run(programs, program, "skyway-sw", 4, 2)[0] == results(program, 2)


def test_no_unit_no_serializer_by_units(programs):
    """Software does not replace the unit."""
    done = started(programs, "triangles", "skyway-hw", 1, 10, 0)
    assert (done.returncode, done.stdout) == (3, "phase 0: this machine has no unit for it\n")


@pytest.mark.parametrize("serializer", ["cereal-sw", "skyway-sw"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_other_objects_than_expected(programs, program, serializer):
    """Streams of Cereal and Skyway may hold any object in any field. Programs refuse those that do not fit."""
    command = [programs / "hostile", program, serializer]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    changes, lost = (int(line.split()[0]) for line in done.stdout.splitlines())
    assert changes >= 4 and lost == 0

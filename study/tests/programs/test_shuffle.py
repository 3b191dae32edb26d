"""Word count, page rank, connected components and triangle counting against a plain computation. Workers are processes
with separate heaps, and use every serializer."""

import socket
import subprocess
from itertools import combinations

import pytest

from study.shuffle import PROGRAMS, results
from study.shuffle.plain import digest
from study.tests.programs.conftest import SOFTWARE


def run(worker, program, serializer, workers, scale, stress=False):
    """Returns the result that all workers agree on, and each worker's phases, roots, digest, and local and remote
    bytes."""
    ends = [[-1] * workers for _ in range(workers)]
    sockets = []
    for one, other in combinations(range(workers), 2):
        pair = socket.socketpair()
        sockets += pair
        ends[one][other], ends[other][one] = (each.fileno() for each in pair)
    started = [
        subprocess.Popen(
            [worker, program, serializer, str(i), str(scale), str(int(stress)), *map(str, ends[i])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[each for each in ends[i] if each >= 0],
        )
        for i in range(workers)
    ]
    for each in sockets:
        each.close()
    found, numbers = {}, []
    for each in started:
        output, errors = each.communicate(timeout=300)
        assert each.returncode == 0, output[-2000:] + errors[-2000:]
        *lines, last = output.splitlines()
        for line in lines:
            key, value = line.rsplit(" ", 1)
            assert key not in found
            found[key] = int(value)
        numbers.append([int(number) for number in last.split()[1:]])
    return found, numbers


@pytest.mark.parametrize("serializer", SOFTWARE)
@pytest.mark.parametrize("program", PROGRAMS)
def test_two_workers(worker, program, serializer):
    expected = results(program, 300)
    found, numbers = run(worker, program, serializer, 2, 300)
    assert found == expected
    assert sum(each[2] for each in numbers) & 0xFFFFFFFF == digest(expected)
    assert len({each[0] for each in numbers}) == 1, "workers do not agree when it is over"
    assert all(roots >= 2 and local > 0 and remote > 0 for _, roots, _, local, remote in numbers)


@pytest.mark.parametrize("workers, scale", [(1, 50), (3, 200), (8, 97)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_any_number_of_workers(worker, program, workers, scale):
    assert run(worker, program, "skyway-sw", workers, scale)[0] == results(program, scale)


@pytest.mark.parametrize("serializer", SOFTWARE)
@pytest.mark.parametrize("program", PROGRAMS)
def test_collections_everywhere(worker, program, serializer):
    assert run(worker, program, serializer, 2, 30, stress=True)[0] == results(program, 30)


def test_fewer_vertices_than_workers(worker):
    for program in PROGRAMS:
        assert run(worker, program, "skyway-sw", 4, 2)[0] == results(program, 2)


def test_a_lost_worker_is_noticed(worker):
    """The peer of a lost worker ends with a line that says so."""
    one, other = socket.socketpair()
    started = subprocess.Popen(
        [worker, "page-rank", "skyway-sw", "0", "40", "0", "-1", str(one.fileno())],
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[one.fileno()],
    )
    one.close()
    other.close()
    output, _ = started.communicate(timeout=60)
    assert started.returncode == 3 and output == "phase 0: the line is cut\n"


def test_no_unit_no_serializer_by_units(worker):
    """Software does not replace the unit."""
    done = subprocess.run(
        [worker, "triangles", "skyway-hw", "0", "10", "0", "-1"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (3, "phase 0: this machine has no unit for it\n")


@pytest.mark.parametrize("serializer", ["cereal-sw", "skyway-sw"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_other_objects_than_expected(worker, program, serializer):
    """Streams of Cereal and Skyway may hold any object in any field. Programs refuse those that do not fit."""
    command = [worker.with_name("hostile"), program, serializer]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    changes, lost = (int(line.split()[0]) for line in done.stdout.splitlines())
    assert changes >= 4 and lost == 0

"""Streams of Cereal and Skyway may hold any object in any field. Programs refuse those that do not fit."""

import subprocess

import pytest

from study.shuffle import PROGRAMS


@pytest.mark.parametrize("serializer", ["cereal-sw", "skyway-sw"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_other_objects_than_expected(worker, program, serializer):
    command = [worker.with_name("hostile"), program, serializer]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-1000:] + done.stderr[-3000:]
    changes, lost = (int(line.split()[0]) for line in done.stdout.splitlines())
    assert changes >= 4 and lost == 0

"""Runs the unit harness's tests against a mutant of the hardware, in a process of its own."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
from pathlib import Path

import pytest

import sim.unit.build
from tests.mutation.groups import Group
from tests.mutation.verilog import Mutant

SECONDS = 300
"""Processor time of each process of a mutant's tests. A harness that goes on for so long is ended, which fails the
test."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest that say something about the mutant."""


class _First:
    """Notes the first test that fails."""

    name = ""

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid


def _write(result: Path, mutant: Mutant, lived: bool, by: str, seconds: float) -> None:
    found = {"place": mutant.place, "lived": lived, "by": by, "seconds": round(seconds, 1)}
    result.write_text(json.dumps(found))


def _tests(group: Group, program: Path, mutant: Mutant, result: Path) -> None:
    with open(result.with_suffix(".log"), "w") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    script = result.with_suffix(".sh")
    script.write_text(f'#!/bin/sh\nexec "{program}" +mutant={mutant.number} "$@"\n')
    script.chmod(0o755)

    def build(data_width: int = 128, unit: str = "Engine", variant: str = "") -> Path:
        if (data_width, unit) != (group.width, group.unit) or variant not in group.variants:
            pytest.skip("another unit")
        return script

    sim.unit.build.build = build
    first = _First()
    code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *group.tests], plugins=[first]))
    script.unlink()
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    if code in (PASSED, FAILED):
        _write(result, mutant, code == PASSED, first.name, used)
    os._exit(code)


def run(group: Group, program: Path, mutant: Mutant, result: Path) -> dict:
    """Returns what became of a mutant, and writes it to `result`: whether it lived, else the test that killed it.

    Raises RuntimeError if the tests could not run."""
    process = multiprocessing.get_context("fork").Process(target=_tests, args=(group, program, mutant, result))
    process.start()
    process.join()
    if process.exitcode < 0:
        _write(result, mutant, False, "the limit of processor time", SECONDS)
    elif process.exitcode not in (PASSED, FAILED):
        raise RuntimeError(f"pytest ended with exit code {process.exitcode}, see {result.with_suffix('.log')}")
    return json.loads(result.read_text())

"""Runs tests against a mutant of the hardware, in a process of its own."""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
from pathlib import Path
from typing import Callable, NamedTuple

import pytest

SECONDS = 300
"""Processor time of each process of a mutant's tests. One that goes on for so long is ended, which fails the test."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest that say something about the mutant."""


class Mutant(NamedTuple):
    """number: within its group; 0 is none. place: what is changed, and how; it does not depend on the numbers of lines
    and cells."""

    number: int
    sample: str
    place: str


class _First:
    """Notes the first test that fails."""

    name = ""

    def pytest_runtest_logreport(self, report) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid


def _write(result: Path, mutant: Mutant, lived: bool, by: str, seconds: float) -> None:
    found = {"place": mutant.place, "lived": lived, "by": by, "seconds": round(seconds, 1)}
    result.write_text(json.dumps(found))


def _tests(tests: tuple[str, ...], insert: Callable[[int], None], mutant: Mutant, result: Path) -> None:
    with open(result.with_suffix(".log"), "w") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    insert(mutant.number)
    first = _First()
    code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *tests], plugins=[first]))
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    if code in (PASSED, FAILED):
        _write(result, mutant, code == PASSED, first.name, used)
    os._exit(code)


def run(tests: tuple[str, ...], insert: Callable[[int], None], mutant: Mutant, result: Path) -> dict:
    """Returns what became of a mutant, and writes it to `result`: whether it lived, else the test that killed it.

    tests: arguments of pytest. insert: puts the mutant of that number into what they test; is called in their process.
    Raises RuntimeError if the tests could not run."""
    process = multiprocessing.get_context("fork").Process(target=_tests, args=(tests, insert, mutant, result))
    process.start()
    process.join()
    if process.exitcode < 0:
        _write(result, mutant, False, "the limit of processor time", SECONDS)
    elif process.exitcode not in (PASSED, FAILED):
        raise RuntimeError(f"pytest ended with exit code {process.exitcode}, see {result.with_suffix('.log')}")
    return json.loads(result.read_text())

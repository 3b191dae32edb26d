"""Judges a mutant of the hardware, in a process of its own."""

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
"""Processor time of each process that judges. One that goes on for so long is ended, which kills the mutant."""
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


def _write(result: Path, mutant: Mutant, by: str, seconds: float) -> None:
    found = {"place": mutant.place, "lived": not by, "by": by, "seconds": round(seconds, 1)}
    result.write_text(json.dumps(found))


def tests(arguments: tuple[str, ...], insert: Callable[[int], None], number: int) -> str:
    """Runs pytest with a mutant. Returns the test that failed, or nothing. insert: puts the mutant of that number into
    what the tests test.

    Raises RuntimeError if the tests could not run."""
    insert(number)
    first = _First()
    code = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", *arguments], plugins=[first]))
    if code not in (PASSED, FAILED):
        raise RuntimeError(f"pytest ended with exit code {code}")
    return first.name


def _process(judge: Callable[[int], str], mutant: Mutant, result: Path) -> None:
    with open(result.with_suffix(".log"), "w") as log:
        os.dup2(log.fileno(), sys.stdout.fileno())
        os.dup2(log.fileno(), sys.stderr.fileno())
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    by = judge(mutant.number)
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    _write(result, mutant, by, used)


def run(judge: Callable[[int], str], mutant: Mutant, result: Path) -> dict:
    """Returns what became of a mutant, and writes it to `result`: whether it lived, else what killed it.

    judge: returns what kills the mutant of that number, or nothing; called in a process of its own. Raises RuntimeError
    if it could not tell."""
    process = multiprocessing.get_context("fork").Process(target=_process, args=(judge, mutant, result))
    process.start()
    process.join()
    if process.exitcode < 0:
        _write(result, mutant, "the limit of processor time", SECONDS)
    elif process.exitcode:
        raise RuntimeError(f"a mutant could not be judged, see {result.with_suffix('.log')}")
    return json.loads(result.read_text())

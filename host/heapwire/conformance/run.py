"""Runs the conformance suite against a backend: `python -m heapwire.conformance.run RUNNER-FOLDER`. `make/setup.sh
conformance` makes that folder."""

from __future__ import annotations

import argparse
import pickle
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from base.errors import HeapwireError
from base.repository import ROOT
from base.waiting import waiting
from heapwire import interface as interface_module
from heapwire.conformance import codec
from heapwire.conformance.backend import Backend, Result, Soc
from heapwire.conformance.schemas import test_messages, test_schema
from heapwire.conformance.testee import Answers

EDITIONS = (None, "2023")
"""Runs of the suite, each by its highest edition (None: the runner's own choice)."""
TESTS = {None: 1401, "2023": 2805}
"""Required and recommended tests of binary to binary in version 33.2, by maximum edition."""
SOC = "simulated SoC"


@dataclass
class Report:
    """The runner's counts, the names of failed tests, and the counts of messages that hardware handled."""

    passed: int = 0
    skipped: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    accepted: int = 0
    accepted_in_hardware: int = 0
    rejected: int = 0
    rejected_in_hardware: int = 0
    output: str = ""

    def line(self) -> str:
        """Returns the report in one line."""
        return (
            f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped (not protobuf in and out); wholly in "
            "hardware: "
            f"{self.accepted_in_hardware} of {self.accepted} accepted messages, {self.rejected_in_hardware} of "
            f"{self.rejected} rejected ones"
        )


class Suite:
    """The runner. home: the folder with the unpacked npm package and, if necessary, the libraries that it needs."""

    def __init__(self, home: Path) -> None:
        home = home.resolve()  # the runner has a working directory of its own
        self.home, self.package = home, home / "package"
        program = self.package / "bin" / "conformance_test_runner-linux-x64"
        loaders = sorted((home / "lib").glob("**/x86_64-linux-gnu/ld-linux-x86-64.so.2"))
        self.command = (
            [str(loaders[0]), "--library-path", str(loaders[0].parent), str(program)] if loaders else [str(program)]
        )

    def run(self, edition: str | None, folder: Path, answers: Answers | None) -> tuple[str, list[tuple[str, bytes]]]:
        """Runs the suite once. Returns the runner's output and its requests."""
        recorded, known, testee = folder / "requests", folder / "answers", folder / "testee"
        recorded.write_bytes(b"")
        arguments = [sys.executable, "-m", "heapwire.conformance.testee", self.package, recorded]
        if answers is not None:
            known.write_bytes(pickle.dumps(answers))
            arguments.append(known)
        testee.write_text(
            f"#!/bin/sh\nPYTHONPATH={shlex.quote(f'{ROOT}:{ROOT}/host')} exec {shlex.join(map(str, arguments))}\n"
        )
        testee.chmod(0o755)
        options = ["--enforce_recommended", *(["--maximum_edition", edition] if edition else [])]
        result = subprocess.run([*self.command, *options, str(testee)], cwd=folder, capture_output=True)
        output = (result.stdout + result.stderr).decode(errors="replace")
        if "CONFORMANCE SUITE" not in output and "CONFORMANCE TEST" not in output:
            raise HeapwireError(f"the conformance runner did not finish ({result.returncode}):\n{output[-3000:]}")
        requests = []
        with recorded.open("rb") as file:
            while file.peek(1):
                requests.append(pickle.load(file))
        return output, list(dict.fromkeys(requests))


def _response(result: Result) -> tuple[str, bytes | str]:
    """Returns the field of ConformanceResponse for a result, by name, and its value."""
    if result.parse_status != "OK":
        return "parse_error", result.parse_status
    if result.serialized is None:
        return "serialize_error", result.serialize_status
    return "protobuf_payload", result.serialized


def _read(output: str, report: Report) -> Report:
    for passed, skipped, failed in re.findall(
        r"(\d+) successes, (\d+) skipped, \d+ expected failures, (\d+) unexpected failures", output
    ):
        report.passed += int(passed)
        report.skipped += int(skipped)
        report.failed += int(failed)
    report.failures = sorted(set(re.findall(r"^ERROR, test=([^:\s]+)", output, re.M)))
    report.output = output
    return report


def run_suite(suite: Suite, backend: Backend, edition: str | None, sample: int | None = None) -> Report:
    """Records the runner's requests, answers them in one batch, and lets the runner judge the answers.

    sample: answers only about so many requests, at equal distances."""
    with tempfile.TemporaryDirectory() as folder:
        _, requests = suite.run(edition, Path(folder), None)
        requests = requests[:: max(1, len(requests) // sample) if sample else 1]
        results = backend.answer(requests)
        answers = {request: _response(result) for request, result in zip(requests, results)}
        output, asked = suite.run(edition, Path(folder), answers)
        if not sample and set(asked) - set(requests):
            raise HeapwireError("the conformance runner asks for other messages in its second run")
    accepted, rejected = (
        [result.in_hardware for result in results if (result.parse_status == "OK") is good] for good in (True, False)
    )
    return _read(
        output,
        Report(
            accepted=len(accepted),
            accepted_in_hardware=sum(accepted),
            rejected=len(rejected),
            rejected_in_hardware=sum(rejected),
        ),
    )


def shortfalls(report: Report, edition: str | None, hardware: bool) -> list[str]:
    """Returns, as text, what a report without failures may still lack. Hardware must handle every message without
    software."""
    found = []
    if report.passed < TESTS[edition]:
        found.append(f"only {report.passed} tests passed, of {TESTS[edition]}")
    if hardware and report.accepted_in_hardware < report.accepted:
        found.append(f"hardware accepted {report.accepted_in_hardware} of {report.accepted} messages")
    if hardware and report.rejected_in_hardware < report.rejected:
        found.append(f"hardware rejected {report.rejected_in_hardware} of {report.rejected} malformed messages")
    return found


def main() -> None:
    """Prints a line for each backend and edition, with the failures and shortfalls. Exits with code 1 if there are
    any."""
    parser = argparse.ArgumentParser(description="the official protobuf conformance suite, protobuf in and out")
    parser.add_argument("home", type=Path, help="the folder that make/setup.sh conformance has made")
    parser.add_argument(
        "--on", choices=("codec", "soc", "both"), default="both", help="the codec, the simulated SoC, or both"
    )
    parser.add_argument(
        "--log", type=Path, default=ROOT / "build" / "test" / "conformance", help="the folder for the runner's output"
    )
    parser.add_argument("--parse-only", action="store_true", help="only look at these arguments")
    arguments = parser.parse_args()
    if arguments.parse_only:
        return
    arguments.log.mkdir(parents=True, exist_ok=True)
    interface = interface_module.load()
    suite = Suite(arguments.home)
    backends: dict[str, Backend] = {}
    if arguments.on != "soc":
        program = codec.build(interface, arguments.log)
        backends["codec"] = codec.Codec(program, test_messages(suite.package, interface), interface)
    if arguments.on != "codec":
        backends[SOC] = Soc(test_schema(suite.package))
    failed = 0
    for backend_name, backend in backends.items():
        for edition in EDITIONS:
            name = f"{backend_name}, maximum edition {edition}" if edition else f"{backend_name}, default editions"
            with waiting(print, lambda minutes: f"conformance, {name}: {minutes:.1f} min"):
                report = run_suite(suite, backend, edition)
            (arguments.log / f"{name.replace(', ', '-').replace(' ', '-')}.log").write_text(report.output)
            print(f"conformance, {name}: {report.line()}", flush=True)
            for test in report.failures:
                print(f"  failed: {test}")
            failed += report.failed
            for shortfall in shortfalls(report, edition, backend_name == SOC):
                print(f"  {shortfall}")
                failed += 1
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

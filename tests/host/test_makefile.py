"""What the makefile refuses before it builds anything, and what it passes on."""
import os
import subprocess

import pytest

from heapwire.bench.run import SUITES
from heapwire.interface import REPOSITORY


def dry_run(*arguments):
    """`make -n` with these arguments and nothing of the make that may run this test."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CONFIG", "DATA_WIDTH", "SUITE")}
    return subprocess.run(["make", "-n", "SKIP_DEBIAN=1", *arguments], cwd=REPOSITORY, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("target, known", [("test", "accel"), ("test-full", "host"), ("bench", " ".join(SUITES))])
def test_a_mistyped_suite_is_refused_before_the_build(target, known):
    result = dry_run(target, "SUITE=memry")
    assert result.returncode and result.stdout == ""
    assert "no suite memry" in result.stderr and known in result.stderr


@pytest.mark.parametrize("target, suite", [("test", ""), ("test", "host soc"), ("bench", ""), ("bench", "memory core")])
def test_suites_that_exist_are_accepted(target, suite):
    result = dry_run(f"known-{target}-suite", f"SUITE={suite}")
    assert (result.returncode, result.stderr) == (0, "")


def test_memory_follows_the_width():
    assert "--data-width 64 --memory-mb 128 " in dry_run("--always-make", "verilog", "DATA_WIDTH=64").stdout

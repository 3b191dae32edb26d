"""Every folder of examples/ that has a Makefile: its program runs on the simulated SoC, and prints what its page says
in the block that has the program's name."""

import functools
import os
import re
import subprocess

import pytest

from base.repository import ROOT, cache

EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/Makefile"))


@functools.cache
def run(example, *words):
    """Runs an example without building the machine. Returns what it prints, and its cycles."""
    inherited = {
        name: value for name, value in os.environ.items() if not re.fullmatch("MAKEFLAGS|MAKELEVEL|MFLAGS", name)
    }
    result = subprocess.run(
        ["make", "-s", "-C", str(example), "run", *words], env=inherited, capture_output=True, text=True
    )
    ended = re.search(r"^[\w-]+: exit code 0 after ([\d,]+) cycles, [\d.]+ s of simulation$", result.stderr, re.M)
    assert result.returncode == 0 and ended, result.stdout + result.stderr
    return result.stdout, int(ended[1].replace(",", ""))


def page(example):
    ((name, text),) = re.findall(r"^```text (\S+)\n(.*?)^```$", (example / "README.md").read_text(), re.M | re.S)
    assert (example / f"{name}.c").is_file()
    return text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_prints_what_its_page_says(example):
    if example.name == "rpc" and not (cache() / "pigweed" / "bin" / "python").is_file():
        pytest.skip("Pigweed's RPC client is not here: make setup-pigweed fetches it")
    assert run(example)[0] == page(example)


def test_the_units_do_the_work_of_unchanged_code():
    """The example of nanopb says nothing of units: alone it prints the same, in three times the cycles at least."""
    example = ROOT / "examples" / "nanopb"
    (by_units, cycles), (alone, many) = run(example), run(example, "FLAGS=")
    assert alone == by_units and many > 3 * cycles

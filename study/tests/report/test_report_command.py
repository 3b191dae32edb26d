"""The command of `make report`: its flags, and what Snakemake is told."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from base.repository import ROOT
from study.report import __main__ as report
from study.report import html, markdown, page, store
from study.workflow import __main__ as command


@pytest.fixture
def told(monkeypatch):
    """Returns a function that runs the command, and returns its result and what it would start."""
    started = []
    monkeypatch.setattr(os, "execv", lambda program, words: started.append(words[words.index("snakemake") + 1 :]))

    def run(*words):
        started.clear()
        return CliRunner().invoke(command.main, words), started[0] if started else None

    return run


def test_lists_have_commas_or_blanks(told):
    boards = "--boards ulx3s,ecpix5+stock,ulx3s-25f".split()
    result, words = told("--suites", "memory core", "--widths", "64,128", *boards, "--quick", "--cores", "4")
    assert result.exit_code == 0 and words[words.index("--cores") + 1] == "4"
    given = ["boards=ulx3s ecpix5+stock ulx3s-25f", "clocks=1", "quick=1", "suites=memory core", "widths=64 128"]
    assert words[words.index("--config") + 1 :] == given


def test_snakemake_gets_its_own_flags_before_the_configuration(told):
    flags = "--executor slurm --default-resources mem_mb=2000".split()
    _, words = told("--spark", "--", *flags)
    assert words[-8:] == [*flags, "--config", "clocks=1", "spark=1", "widths=128"]


@pytest.mark.parametrize(
    "words, text",
    [
        (["--suites", "memry"], "no memry; there are memory, core"),
        (["--widths", "48"], "no 48; there are 32, 64, 128"),
        (["--clocks", "3"], "no 3; there are 1, 2"),
        (["--boards", "ulx3s,ulx4"], "no ulx4; there are colorlight_i5"),
        (["--boards", "ulx3s+fast"], "no ulx3s+fast"),
        (["--cores", "0"], "a number, or all"),
        (["--executor"], "No such option"),
    ],
)
def test_mistakes_start_nothing(told, words, text):
    result, started = told(*words)
    assert result.exit_code == 2 and text in result.output and started is None


def test_flags_are_looked_at_alone(told):
    assert told("--parse-only", "--quick")[1] is None


def test_a_mistake_is_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "study.workflow", "--suites", "memry"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1) and "no memry" in done.stderr


def test_an_output_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    for module, name in ((store, "load"), (page, "build"), (html, "page"), (markdown, "page")):
        monkeypatch.setattr(module, name, lambda *arguments: "")
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(report.main, ["--output", str(tmp_path / "file" / "index.html")])
    assert result.exit_code == 1 and f"cannot write {tmp_path}/file: " in result.output

"""`make area ARGS="--compare REVISION"`: the other revision is measured, but not held against this revision's
budgets."""

import json
import os
import shutil

import pytest
from click.testing import CliRunner

from base.repository import ROOT
from synth import __main__ as command
from synth.area import Area, Module
from tests.common.run import git, run, script

CONFIG = "tiny-32"


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Returns a function that runs `python -m synth` on a cluster of some LUTs, where 100 are allowed. That function
    returns the result and the folder of the report."""
    verilog = tmp_path / "HeapwireCluster.v"
    verilog.touch()
    monkeypatch.setattr(command.budgets, "read", lambda config: {"HeapwireCluster": {"ecp5.LUT": 100}})

    def run(luts, *flags):
        area = Area("HeapwireCluster", {"HeapwireCluster": Module("HeapwireCluster", {"ecp5.LUT": luts})})
        monkeypatch.setattr(command.areas, "measure", lambda *_: area)
        files = "--verilog", str(verilog), "--output", str(tmp_path / "out")
        return CliRunner().invoke(command.main, ["--config", CONFIG, *files, *flags])

    run.area = tmp_path / "out" / "area.json"
    return run


def test_this_revision_is_held_against_its_budgets(measured):
    assert measured(100).exit_code == 0
    assert "HeapwireCluster: 101 ecp5.LUT, 100 allowed" in str(measured(101).exception)


def test_another_revision_is_not(measured):
    assert measured(101, "--no-budget").exit_code == 0
    assert json.loads(measured.area.read_text())["modules"]["HeapwireCluster"]["total"] == {"ecp5.LUT": 101}


def test_the_revision_is_named_by_its_number_and_compared(measured, tmp_path, monkeypatch):
    (tmp_path / "before.json").write_text('{"modules": {}}')
    asked = []
    monkeypatch.setattr(command.revisions, "number", lambda text: f"number of {text}")
    monkeypatch.setattr(command.revisions, "area", lambda *of: asked.append(of) or tmp_path / "before.json")
    monkeypatch.setattr(
        command.report, "changes", lambda before, after: [[str(before["modules"]), str(len(after["modules"]))]]
    )
    assert "| {} | 1 |" in measured(100, "--compare", "HEAD~1").output and asked == [("number of HEAD~1", CONFIG)]


@pytest.mark.parametrize(
    "flags, text",
    [
        (["--compare", "nosuch"], "no revision 'nosuch'"),
        (["--seeds", "3"], "--seeds: for --fmax"),
        (["--budget", "--fmax", "all"], "--budget writes no report"),
    ],
)
def test_mistakes_are_told_before_anything_is_measured(measured, flags, text):
    result = measured(100, "--parse-only", *flags)
    assert result.exit_code == 2 and text in result.output


def test_flags_are_looked_at_without_a_cluster():
    words = "--config nosuch-32 --parse-only --fmax all --seeds 3".split()
    assert CliRunner().invoke(command.main, words).exit_code == 0


def test_what_became_smaller_is_compared(tmp_path):
    """Sets up the script with a synthesis that fails over today's budgets, as the real one does, and a `make` that
    generates nothing."""
    root, tools = tmp_path / "root", tmp_path / "tools"
    (root / "make").mkdir(parents=True)
    shutil.copy(ROOT / "make" / "compare-area", root / "make")
    (root / "pyproject.toml").touch()
    for folder in ("lib", "cache"):
        (tools / folder).mkdir(parents=True)
    script(tools / "bin" / "make", "#!/bin/sh\nexit 0\n")
    script(
        tools / "bin" / "python",
        '#!/bin/sh\ncase "$*" in *--no-budget*) ;; *) echo over budget >&2; exit 1;; esac; '
        'while [ "$1" != --output ]; do shift; done; mkdir -p "$2"; echo "{}" > "$2/area.json"\n',
    )
    kept = {
        name: value for name, value in os.environ.items() if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")
    }
    path, cache = f"{tools / 'bin'}:{os.environ['PATH']}", str(tools / "cache")
    environment = kept | {"PATH": path, "VENV": str(tools), "CACHE": cache, "GIT_CONFIG_GLOBAL": os.devnull}
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "before"]):
        git(root, *words, env=environment)
    revision = git(root, "rev-parse", "HEAD", env=environment).strip()
    done = run("make/compare-area", revision, CONFIG, "build/before.json", cwd=root, env=environment)
    assert done.returncode == 0, done.stderr
    assert (root / "build" / "before.json").read_text() == "{}\n"
    assert not (root / "build" / "area" / revision / "tree").exists()

"""make/compare-area, which measures the area of another revision."""

import os
import re
import shutil
import subprocess

import pytest

from base.repository import ROOT
from synth import compare

STUB_MAKE = """#!/bin/sh
# The nested make: what it would do goes to a file, and the cluster is there afterwards.
/usr/bin/make -n "$@" >>"$DONE" || exit 1
while [ "$1" != -C ]; do shift; done
mkdir -p "$2/build/gen/tiny-32" && touch "$2/build/gen/tiny-32/HeapwireCluster.v"
"""
STUB_PYTHON = """#!/bin/sh
# The synthesis: `area.json` in the folder that it is given.
while [ "$1" != --output ]; do shift; done
mkdir -p "$2" && echo '{}' >"$2/area.json"
"""


@pytest.fixture
def comparison(tmp_path):
    """Returns a repository with an environment and our makefiles, and a function that compares its area with that of a
    revision."""
    root, bin_folder, done = tmp_path / "tree", tmp_path / "bin", tmp_path / "done"

    def git(*arguments):
        return subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x", *arguments],
            cwd=root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    def script(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    for name in (
        "Makefile",
        "build.sc",
        "pyproject.toml",
        "tools.env",
        ".gitignore",
        "make",
        "synth",
        "study/study.mk",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, root / name)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    script(bin_folder / "make", STUB_MAKE)
    script(root / ".venv" / "bin" / "python", STUB_PYTHON)
    sources = (
        root
        / ".venv"
        / "lib"
        / "python3"
        / "site-packages"
        / "pythondata_cpu_vexriscv"
        / "verilog"
        / "ext"
        / "VexRiscv"
        / "src"
        / "main"
        / "scala"
    )
    sources.mkdir(parents=True)
    (root / ".venv" / ".installed").touch()
    (root / ".cache" / "tools").mkdir(parents=True)

    def run():
        done.write_text("")
        result = subprocess.run(
            ["make/compare-area", git("rev-parse", "HEAD").strip(), "tiny-32", "build/area/result.json"],
            cwd=root,
            text=True,
            capture_output=True,
            env={
                "PATH": f"{bin_folder}:{os.environ['PATH']}",
                "DONE": str(done),
                "CACHE": ".cache",
                "VENV": ".venv",
                "HOME": str(tmp_path),
            },
        )
        assert result.returncode == 0, result.stdout + result.stderr
        return done.read_text()

    run.root, run.git = root, git
    return run


def test_comparing_areas_leaves_the_environment_alone(comparison):
    """The revision's pyproject.toml, checked out a moment ago, is newer than the environment. That alone does not set
    the environment up again."""
    assert "setup.sh python" not in comparison()
    assert (comparison.root / "build" / "area" / "result.json").exists()
    assert (comparison.root / ".venv" / "bin" / "python").exists()
    assert list((comparison.root / "build" / "area").glob("*/tree")) == []


def test_a_revision_with_another_core_gets_an_environment_of_its_own(comparison):
    pins = comparison.root / "pyproject.toml"
    ours = pins.read_text()
    pins.write_text(ours.replace("pythondata-cpu-vexriscv==", "pythondata-cpu-vexriscv==0."))
    comparison.git("commit", "-qam", "another core")
    pins.write_text(ours)
    planned = comparison()
    assert "setup.sh python .venv/.installed" in planned
    assert (comparison.root / ".venv" / "bin" / "python").exists()


def test_mill_finds_the_core_in_an_environment_anywhere(comparison):
    """`VENV` may be absolute."""
    mill = comparison.root / ".cache" / "tools" / re.search(r"MILL_VERSION=(.*)", (ROOT / "tools.env").read_text())[1]
    mill = mill.with_name("mill-" + mill.name)
    mill.write_text("#!/bin/sh\necho $VEXRISCV_SOURCES\n")
    mill.chmod(0o755)
    for venv in (".venv", comparison.root / ".venv"):
        found = subprocess.run(
            ["make/mill"],
            cwd=comparison.root,
            env={"PATH": os.environ["PATH"], "VENV": str(venv)},
            text=True,
            capture_output=True,
        )
        assert (comparison.root / ".venv").samefile(found.stdout.split("/lib/")[0]), found.stderr


def test_an_area_is_measured_anew_by_another_synthesis(comparison):
    def compared():
        return compare.place(compare.number("HEAD", comparison.root), "tiny-32", comparison.root)

    before = compared()
    assert before == compared() and before.parent.name == comparison.git("rev-parse", "--short=12", "HEAD").strip()
    with (comparison.root / "synth" / "target.py").open("a") as file:
        file.write("# other weights\n")
    assert compared() != before

"""make/compare-area, which measures the area of another revision."""

import os
import re
import shutil

import pytest

from base.repository import ROOT
from synth import compare
from tests.common.run import git, run, script

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

    for name in "Makefile build.sc pyproject.toml tools.env .gitignore make synth study/study.mk".split():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, root / name)
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        git(root, *words)
    script(bin_folder / "make", STUB_MAKE)
    script(root / ".venv" / "bin" / "python", STUB_PYTHON)
    packages = root / ".venv" / "lib" / "python3" / "site-packages"
    (packages / "pythondata_cpu_vexriscv/verilog/ext/VexRiscv/src/main/scala").mkdir(parents=True)
    (root / ".venv" / ".installed").touch()
    (root / ".cache" / "tools").mkdir(parents=True)

    def compared():
        done.write_text("")
        words = git(root, "rev-parse", "HEAD").strip(), "tiny-32", "build/area/result.json"
        tools = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "CACHE": ".cache", "VENV": ".venv"}
        result = run("make/compare-area", *words, cwd=root, env=tools | {"DONE": str(done), "HOME": str(tmp_path)})
        assert result.returncode == 0, result.stdout + result.stderr
        return done.read_text()

    compared.root = root
    return compared


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
    git(comparison.root, "commit", "-qam", "another core")
    pins.write_text(ours)
    planned = comparison()
    assert "setup.sh python .venv/.installed" in planned
    assert (comparison.root / ".venv" / "bin" / "python").exists()


def test_mill_finds_the_core_in_an_environment_anywhere(comparison):
    """`VENV` may be absolute."""
    mill = comparison.root / ".cache" / "tools" / re.search(r"MILL_VERSION=(.*)", (ROOT / "tools.env").read_text())[1]
    script(mill.with_name("mill-" + mill.name), "#!/bin/sh\necho $VEXRISCV_SOURCES\n")
    for venv in (".venv", comparison.root / ".venv"):
        environment = {"PATH": os.environ["PATH"], "VENV": str(venv)}
        found = run("make/mill", cwd=comparison.root, env=environment)
        assert (comparison.root / ".venv").samefile(found.stdout.split("/lib/")[0]), found.stderr


def test_an_area_is_measured_anew_by_another_synthesis(comparison):
    def compared():
        return compare.place(compare.number("HEAD", comparison.root), "tiny-32", comparison.root)

    before = compared()
    assert before == compared()
    assert before.parent.name == git(comparison.root, "rev-parse", "--short=12", "HEAD").strip()
    with (comparison.root / "synth" / "target.py").open("a") as file:
        file.write("# other weights\n")
    assert compared() != before

"""make/scala: when it asks Mill, and what it runs."""

import os
import shutil
import subprocess

import pytest

from base.repository import ROOT
from tests.common.run import script

MILL = """#!/bin/sh
echo "$1" >>asked
[ "$1" = show ] || exec sleep "${SLOW:-0}"
echo '["qref:v1:0123:'"$PWD"'/classes", "qref:v1:0123:'"$PWD"'/not/there"]'
"""
JAVA = """#!/bin/sh
echo "$PWD $*"
"""


class Tree:
    """A repository with a Scala side of one file, and stand-ins for Mill and Java."""

    def __init__(self, root):
        self.root = root
        for folder in ("make", "accel/src", "classes", "bin"):
            (root / folder).mkdir(parents=True)
        shutil.copy(ROOT / "make" / "scala", root / "make" / "scala")
        for name in ("build.sc", "tools.env", "accel/src/Unit.scala"):
            (root / name).write_text("1\n")
        script(root / "make" / "mill", MILL)
        script(root / "bin" / "java", JAVA)

    def start(self, *arguments, **environment):
        return subprocess.Popen(
            [self.root / "make" / "scala", *arguments],
            cwd="/",
            env=os.environ | environment | {"PATH": f"{self.root / 'bin'}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments):
        process = self.start(*arguments)
        printed, errors = process.communicate()
        return process.returncode, printed, errors

    def asked(self):
        """Returns what Mill has been asked since the last call."""
        log = self.root / "asked"
        lines = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return lines


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def test_a_program_runs_in_the_repository_with_the_compiled_classes(tree):
    code, printed, _ = tree("some.Main", "--output", "x y")
    where, *words = printed.split()
    assert (code, where) == (0, str(tree.root))
    assert words[-6:] == ["-cp", f"{tree.root}/classes", "some.Main", "--output", "x", "y"]


def test_mill_is_asked_only_if_a_source_has_changed(tree):
    tree("some.Main")
    assert tree.asked() == ["accel.compile", "show"]
    tree("some.Main")
    assert tree.asked() == []
    (tree.root / "accel" / "src" / "Other.scala").write_text("1\n")
    tree("some.Main")
    assert tree.asked() == ["accel.compile", "show"]
    (tree.root / "accel" / "src" / "Other.scala").unlink()
    tree("some.Main")
    assert tree.asked() == ["accel.compile", "show"]
    os.utime(tree.root / "tools.env", (1, 1))
    tree("some.Main")
    assert tree.asked() == ["accel.compile", "show"]
    (tree.root / "classes").rmdir()
    tree("--compile")
    assert tree.asked() == ["accel.compile", "show"]


def test_one_of_two_that_start_together_asks_mill(tree):
    both = [tree.start("some.Main", SLOW="0.5") for _ in range(2)]
    assert [process.communicate()[1] for process in both] == ["", ""]
    assert tree.asked() == ["accel.compile", "show"]


def test_compile_runs_nothing(tree):
    assert tree("--compile") == (0, "", "")


def test_what_mill_complains_about_is_shown_and_nothing_is_kept(tree):
    script(tree.root / "make" / "mill", "#!/bin/sh\necho Unit.scala:1: no such type\nexit 1\n")
    for _ in range(2):
        code, printed, errors = tree("some.Main")
        assert (code, printed) == (1, "")
        assert errors == "Unit.scala:1: no such type\nmake/scala: mill accel.compile failed (above)\n"


def test_without_a_program_it_says_what_it_does(tree):
    code, _, errors = tree()
    assert code == 1 and errors.startswith("Runs a program of the Scala side")

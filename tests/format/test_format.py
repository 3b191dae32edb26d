"""C, C++ and Python sources look as `make format` writes them. The suite `accel` checks Scala with Mill's scalafmt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from base.repository import ROOT

TOOLS = Path(sys.executable).parent


def looks(*command: str) -> str:
    """Runs a formatter of the environment, which only checks, and returns what it says against the sources."""
    done = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
    return "" if done.returncode == 0 else (done.stdout + done.stderr)[-3000:] or f"exit code {done.returncode}"


def c_sources() -> list[str]:
    listed = subprocess.run(["make", "-s", "c-sources"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


@pytest.mark.parametrize("command", [("ruff", "format", "--check", "."), ("ruff", "check", ".")], ids=" ".join)
def test_python(command):
    assert looks(*command, "--no-cache") == "", "make format mends layout and imports"


def test_c_and_cpp():
    assert looks("clang-format", "--dry-run", "--Werror", *c_sources()) == "", "make format mends it"


def test_a_misplaced_brace_is_seen(tmp_path):
    """The check of C fails where it should. The file is outside the tree, so it names the tree's style."""
    (tmp_path / "bad.c").write_text("int f(void)\n{\n  return 1;\n}\n")
    style = f"--style=file:{ROOT / '.clang-format'}"
    assert "code should be clang-formatted" in looks(
        "clang-format", style, "--dry-run", "--Werror", str(tmp_path / "bad.c")
    )


def test_every_folder_with_c_is_looked_at():
    sources = c_sources()
    assert {Path(name).parts[0] for name in sources} >= {"firmware", "sim", "tests"}
    assert all(Path(ROOT, name).is_file() for name in sources)

"""A user who has the wheel and docs/howto/litex.md alone: no clone, no Java, no network."""

import os
import re
import shutil
import subprocess
import time

import pytest

from base.repository import ROOT
from tests.litex.conftest import NO_JAVA, PACKAGES
from tests.litex.terminal import Terminal

PAGE = ROOT / "docs" / "howto" / "litex.md"
MOST = 8
"""Commands from nothing to a program that reads and writes a message, with the one that installs Debian's packages."""
PATIENCE = 7200


def commands():
    """Returns the commands of the page, but for the one that installs Debian's packages."""
    block = re.search(r"^## From nothing.*\n\n((?:    .*\n)+)", PAGE.read_text(), re.M)[1]
    return [line.strip() for line in block.splitlines()]


def test_the_page_needs_few_commands():
    assert 5 <= sum(len(line.split("&&")) for line in commands()) < MOST


@pytest.mark.full
def test_the_commands_of_the_page(tmp_path):
    """Prints the seconds of each."""
    (wheel,) = (ROOT / "build" / "wheel").glob("*.whl")
    shutil.copy(wheel, tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text(NO_JAVA)
    (tmp_path / "bin" / "java").chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if name in ("LANG", "TMPDIR")},
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}/bin:/usr/local/bin:/usr/bin:/bin",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(PACKAGES),
    }
    activate = ""
    *before, last = commands()
    for line in before:
        started = time.monotonic()
        done = subprocess.run(
            ["bash", "-ec", activate + line], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:]
        print(f"{time.monotonic() - started:.0f} s: {line}")
        activate = ". litex/bin/activate; "
    started = time.monotonic()
    terminal = Terminal(["bash", "-ec", activate + last], tmp_path, environment)
    try:
        said = terminal.until(b"program: exit code 0", PATIENCE).replace("\r", "")
    finally:
        terminal.close()
    print(f"{time.monotonic() - started:.0f} s: {last}")
    assert "Hello Ada, visit number 3.\nHello Grace, visit number 1.\n20 bytes: 0a 07" in said

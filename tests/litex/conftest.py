import os
import subprocess
import sys

import pytest

from base.repository import ROOT
from heapwire_litex import configurations

BUILD = ROOT / "build" / "litex"
CLUSTERS = BUILD / "clusters"
"""The cache in which `make` has put the session's cluster."""
PACKAGES = ROOT / os.environ.get("CACHE", ".cache") / "litex"


NO_JAVA = "#!/bin/sh\necho 'a test asks for a cluster that it has not made' >&2\nexit 1\n"


class User:
    """A user with LiteX and heapwire_litex in a separate environment. No path leads to this repository."""

    def __init__(self, home):
        self.bin = home / "bin"
        kept = {name: value for name, value in os.environ.items() if name in ("HOME", "LANG", "TMPDIR")}
        # Verilator's output is compiled as one file, without symbols for a debugger. Together that takes a quarter of
        # the time and makes the same simulator.
        (self.bin / "java").write_text(NO_JAVA)
        (self.bin / "java").chmod(0o755)
        self.environment = {
            **kept,
            "PATH": f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
            "HEAPWIRE_CACHE": str(CLUSTERS),
            "MAKEFLAGS": r"VM_PARALLEL_BUILDS=0 OPT_FAST=-O1\ -g0",
        }

    def run(self, *command, cwd, **environment):
        """Runs a command, which has to succeed, and returns its output."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        environment = self.environment | environment
        result = subprocess.run([*map(str, command)], cwd=cwd, env=environment, text=True, **streams)
        assert result.returncode == 0, result.stdout[-4000:]
        return result.stdout


@pytest.fixture(scope="session")
def user(tmp_path_factory):
    """Returns a fresh environment, installed as docs/howto/litex.md says, but from files that are already here."""
    assert PACKAGES.is_dir(), "no packages of LiteX: make test SUITE=litex fetches them"
    home = tmp_path_factory.mktemp("user")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    user = User(home)
    configurations.copy(CLUSTERS)
    local = "--disable-pip-version-check", "--quiet", "--no-index", "--find-links", PACKAGES
    listed = "--requirement", ROOT / "make" / "litex-packages.txt"
    user.run("pip", "install", *local, *listed, ROOT / "heapwire_litex", cwd=home)
    return user

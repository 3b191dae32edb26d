"""Programs that tests run, and scripts that stand in for them."""

import subprocess
import sys
from pathlib import Path

from base.repository import ROOT

RISCV = "riscv64-unknown-elf-"


def run(*words, **options) -> subprocess.CompletedProcess:
    """Runs a program in the repository, unless `cwd` says otherwise, and keeps what it prints as text."""
    return subprocess.run([*map(str, words)], **{"cwd": ROOT, "capture_output": True, "text": True} | options)


def python(module: str, *words, **options) -> subprocess.CompletedProcess:
    """Runs a module by the Python of the tests."""
    return run(sys.executable, "-m", module, *words, **options)


def checked(*words, **options) -> str:
    """Runs a program that has to succeed. Returns what it prints."""
    done = run(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def git(folder: Path, *words, **options) -> str:
    """Runs git with an identity of its own."""
    return checked("git", "-c", "user.name=x", "-c", "user.email=x@x", *words, cwd=folder, **options)


def symbols(elf: Path) -> dict[str, int]:
    """Returns the addresses of the symbols of a program for the SoC."""
    found = (line.split() for line in checked(f"{RISCV}nm", elf).splitlines())
    return {words[2]: int(words[0], 16) for words in found if len(words) == 3}


def script(path: Path, text: str) -> Path:
    """Writes a program, with its folder. Returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path

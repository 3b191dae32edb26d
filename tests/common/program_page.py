"""The two programs of docs/start/program.md, as the page shows them."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from base.repository import ROOT

FOLDER = ROOT / "docs" / "start" / "program"
PAGE = (FOLDER.parent / "program.md").read_text()
NAMED = {name: text for name, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)}
"""The page's blocks that have a name beside their language: files of FOLDER, and what each program prints."""
COMMANDS = [text.replace("\\\n", " ") for text in re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)]
PROGRAMS = ("greet", "greet_nanopb")


def encode(output: Path) -> None:
    """Runs the page's command that makes the input."""
    (command,) = [text for text in COMMANDS if "--encode" in text]
    command = command.replace(".venv/bin/python", shlex.quote(sys.executable)).replace(
        "build/guests.bin", shlex.quote(str(output))
    )
    subprocess.run(command, shell=True, cwd=ROOT, check=True)


def arguments(name: str, data: Path) -> list[str]:
    """Returns the arguments of `heapwire program` that are those of the page's `make program` for a program."""
    (command,) = [text for text in COMMANDS if f"/{name}.c " in text]
    make, target, *settings = shlex.split(command)
    given = dict(setting.split("=", 1) for setting in settings)
    assert (make, target, set(given)) == ("make", "program", {"SRC", "PROTO", "DATA"})
    return ["program", str(ROOT / given["SRC"]), "--proto", str(ROOT / given["PROTO"]), "--data", str(data)]

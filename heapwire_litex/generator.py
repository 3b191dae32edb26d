"""The generator: the Scala side, whose programs run on a Java virtual machine.

Its sources are those of the repository if this package lies in one, or else those in the wheel. What it writes is kept
by the content of the sources: clusters in `$HEAPWIRE_CACHE`, or `heapwire` in the user's cache folder.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CLUSTERS = PACKAGE / "clusters"
"""Clusters that came with the package (`wheel.py`), and the file of configurations."""
#: Pins in tools.env on which the generated files depend.
PINS = ("MILL_VERSION", "SCALA_VERSION", "SPINALHDL_VERSION", "VEXRISCV_DATA_VERSION")
SCRIPTS = ("mill", "scala", "setup.sh")
SILENCE = 30
"""The most seconds between two lines while a command runs."""


def sources():
    """Returns the folder of the generator's sources."""
    return PACKAGE.parent if (PACKAGE.parent / "build.sc").is_file() else PACKAGE / "sources"


def digest(root):
    """Returns a digest of the generator's sources and pins."""
    pins = [line for line in (root / "tools.env").read_text().splitlines(True) if line.split("=")[0] in PINS]
    content = hashlib.sha256("".join(pins).encode())
    for path in [root / "build.sc", *sorted((root / "accel" / "src").rglob("*.scala"))]:
        content.update(f"\0{path.relative_to(root)}\0".encode() + path.read_bytes())
    return content.hexdigest()


def cache():
    """Returns the folder of the cache."""
    return Path(
        os.environ.get("HEAPWIRE_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "heapwire"
    ).resolve()


def say(text):
    print(f"heapwire: {text}", file=sys.stderr, flush=True)


@contextmanager
def alone(folder):
    """Keeps other processes out of a folder, which it makes."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(program, arguments, root):
    """Runs a program of the generator. Raises RuntimeError with the end of what it says if it fails. The caller is
    `alone` in the cache."""
    if not shutil.which("java"):
        raise RuntimeError(
            "the generator runs on a Java virtual machine, and there is none. What to do: apt-get install "
            "openjdk-17-jdk-headless maven"
        )
    root, environment = _workplace(root)
    tools = Path(environment["CACHE"]) / "tools"
    version = next(
        line.split("=")[1].strip()
        for line in (root / "tools.env").read_text().splitlines()
        if line.startswith("MILL_VERSION=")
    )
    if not (tools / f"mill-{version}").is_file():
        command(["make/setup.sh", "mill"], root, environment)
    command(["make/scala", program, *arguments], root, environment)


def _workplace(root):
    """Returns the folder in which the generator runs, and its environment. The folder is the repository with its tools,
    or a copy of the wheel's sources."""
    environment = dict(os.environ)
    if root == PACKAGE.parent:
        return root, environment | {"CACHE": str(root / os.environ.get("CACHE", ".cache"))}
    copy = cache() / "generator"
    shutil.rmtree(copy / "accel", ignore_errors=True)
    shutil.copytree(root, copy, dirs_exist_ok=True)
    for script in SCRIPTS:  # a wheel has no executable files
        (copy / "make" / script).chmod(0o755)
    return copy, environment | {"CACHE": str(cache() / "tools"), "VEXRISCV_SOURCES": str(_core_sources())}


def _core_sources():
    found = find_spec("pythondata_cpu_vexriscv")
    if found is None:
        raise RuntimeError("the sources of VexRiscv are missing. What to do: pip install pythondata-cpu-vexriscv")
    return Path(found.origin).parent / "verilog" / "ext" / "VexRiscv" / "src" / "main" / "scala"


def command(words, root, environment=None):
    """Runs a command in a folder, and says now and then that it still runs. Raises RuntimeError with the end of what it
    says if it fails."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    started = time.monotonic()
    with subprocess.Popen(words, cwd=root, env=environment, text=True, **streams) as process:
        while process.returncode is None:
            try:
                said, _ = process.communicate(timeout=SILENCE)
            except subprocess.TimeoutExpired:
                say(f"{Path(words[0]).name} {words[1]} has run for {time.monotonic() - started:.0f} s")
    if process.returncode:
        raise RuntimeError(f"{' '.join(words)} failed:\n" + "\n".join(said.splitlines()[-20:]))

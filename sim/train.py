"""Trains a simulator: runs programs on one that counts its own branches, and leaves the profile for the compiler.

`python -m sim.train SIMULATOR SOC FIRMWARE PROFILE`, called by sim/harness/build.mk. It runs `exercise`, with the
messages beside it, for a short time, once with sleeping units and once with all clocks. Code that never runs counts as
cold, and is slow.
"""

import json
import subprocess
import sys
import tempfile
from os import environ
from pathlib import Path

CYCLES = 800_000
ALL_CLOCKS = 150_000
MERGE = "llvm-profdata-19"


def train(simulator: Path, soc: Path, firmware: Path, profile: Path) -> None:
    """Writes the profile. Raises CalledProcessError if a program does not even start."""
    memory = json.loads((soc / "soc.json").read_text())["memory"]
    workload = memory["base"] + memory["bytes"] // 8
    with tempfile.TemporaryDirectory(prefix="heapwire-train-") as name:
        folder = Path(name)
        for arguments in (["--max-cycles", CYCLES], ["--max-cycles", ALL_CLOCKS, "--all-clocks"]):
            loads = ["--load", firmware / "exercise.elf", "--load", f"{workload:#x}={firmware / 'messages'}"]
            command = [simulator, "--directory", soc, *loads, "--quiet", *arguments]
            done = subprocess.run(
                list(map(str, command)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=environ | {"LLVM_PROFILE_FILE": str(folder / "%p.profraw")},
            )
            if not 0 <= done.returncode <= 124:  # the program's own exit code, or out of cycles
                done.check_returncode()
        subprocess.run([MERGE, "merge", "-o", profile, *folder.glob("*.profraw")], check=True)


if __name__ == "__main__":
    train(*map(Path, sys.argv[1:]))

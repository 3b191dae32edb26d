"""Trains a simulator: runs programs on one that counts its own branches, and leaves the profile for the compiler.

`python -m sim.train SIMULATOR SOC FIRMWARE PROFILE`, called by sim/harness/build.mk. It runs `exercise`, with the
demo's messages, for a short time, once with sleeping units and once with all clocks. Code that never runs counts as
cold, and is slow.
"""

import subprocess
import sys
import tempfile
from os import environ
from pathlib import Path

from heapwire import interface as interface_module
from heapwire.workload.group import Group, pack
from heapwire.workload.messages import demo_cases
from heapwire.workload.place import load_base

CYCLES = 800_000
ALL_CLOCKS = 150_000
MERGE = "llvm-profdata-19"


def train(simulator: Path, soc: Path, firmware: Path, profile: Path) -> None:
    """Writes the profile. Raises CalledProcessError if a program does not even start."""
    schema, cases = demo_cases()
    interface = interface_module.load()
    with tempfile.TemporaryDirectory(prefix="heapwire-train-") as name:
        folder = Path(name)
        workload = folder / "messages"
        workload.write_bytes(pack(Group("demo", schema, cases[:-1]), interface))
        for arguments in (["--max-cycles", CYCLES], ["--max-cycles", ALL_CLOCKS, "--all-clocks"]):
            command = [
                simulator,
                "--directory",
                soc,
                "--load",
                firmware / "exercise.elf",
                "--load",
                f"{load_base(interface):#x}={workload}",
                "--quiet",
                *arguments,
            ]
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

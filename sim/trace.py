"""Runs an image with waves: `make trace ELF=program.elf ARGS="--start 0 --end 50000"`.

Writes build/trace/soc.fst for the window and puts the saved view beside it;
open both with `gtkwave build/trace/soc.fst build/trace/soc.gtkw`. A program that
wants the UART gets no input; give files with further arguments of heapwire-sim.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from sim.run import ROOT, Build, SimulationError

VIEW = Path(__file__).resolve().parent / "soc.gtkw"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=Path, required=True, help="the program: an ELF file")
    parser.add_argument("--start", type=int, default=0, help="first cycle of the window")
    parser.add_argument("--end", type=int, default=200_000, help="last cycle of the window, and of the run")
    parser.add_argument("--parse-only", action="store_true", help="only look at these arguments")
    parser.add_argument("arguments", nargs="*", help="further options of heapwire-sim, after --")
    arguments = parser.parse_args()
    if not 0 <= arguments.start <= arguments.end:
        sys.exit("trace: --start must not be after --end")
    # Before anything is built, a program of the firmware may be missing, because make builds it.
    built = arguments.parse_only and arguments.image.resolve().is_relative_to(ROOT / "build" / "firmware")
    if not arguments.image.is_file() and not built:
        sys.exit(f"trace: {arguments.image} is not there. What to do: make firmware, or give ELF=program.elf")
    if arguments.parse_only:
        return
    folder = ROOT / "build" / "trace"
    folder.mkdir(parents=True, exist_ok=True)
    waves = folder / "soc.fst"
    window = ["--trace-start", arguments.start, "--trace-end", arguments.end, "--max-cycles", arguments.end + 1]
    options = ["--trace", waves, *window, *arguments.arguments]
    try:
        command = Build.of(trace=True).command(arguments.image, [], options)
    except SimulationError as error:
        sys.exit(str(error))
    print(f"trace: running to cycle {arguments.end}, waves of cycles {arguments.start} to {arguments.end}", flush=True)
    subprocess.run(command, stdin=subprocess.DEVNULL)
    shutil.copy(VIEW, folder / VIEW.name)
    print(
        f"trace: {waves.stat().st_size / 1e6:.1f} MB; gtkwave {waves.relative_to(ROOT)} "
        f"{(folder / VIEW.name).relative_to(ROOT)}"
    )


if __name__ == "__main__":
    main()

"""Runs an image with waves: `make trace ELF=program.elf ARGS="--start 0 --end 50000"`.

Writes build/trace/soc.fst for the window and puts the saved view beside it;
open both with `gtkwave build/trace/soc.fst build/trace/soc.gtkw`. A program that
wants the UART gets no input; give files with further arguments of heapwire-sim.
With --at the window opens at a call of a function: ARGS="--at hw_protobuf_read".
"""

import argparse
import difflib
import shutil
import subprocess
import sys
from pathlib import Path

from sim.run import ROOT, Build, SimulationError, run

VIEW = Path(__file__).resolve().parent / "soc.gtkw"


def functions(image):
    """Returns the addresses of an ELF's functions."""
    told = subprocess.run(["riscv64-unknown-elf-nm", image], capture_output=True, text=True)
    found = (line.split() for line in told.stdout.splitlines())
    return {words[2]: int(words[0], 16) for words in found if len(words) == 3 and words[1] in "tT"}


def call(image, name, count, arguments=(), trace=True):
    """Returns the cycle in which a program executes the first instruction of a function for the `count`th time.

    Raises SimulationError if the program has no such function, or does not call it so often."""
    known = functions(image)
    if name not in known:
        like = difflib.get_close_matches(name, known, 3)
        raise SimulationError(
            f"no function {name} in {image}"
            + f", which has {', '.join(like)}" * bool(like)
            + ". What to do: if the compiler has inlined it, build the program with DEBUG=1"
        )
    result = run(image, arguments=["--until", f"{known[name]:#x}:{count}", *arguments], trace=trace)
    if result.reason != "reached":
        raise SimulationError(
            f"{name} is not called {count} times: the run ended with {result.reason} after {result.cycles:,} cycles"
        )
    return result.cycles


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=Path, required=True, help="the program: an ELF file")
    parser.add_argument("--at", metavar="FUNCTION", help="cycles of the window count from a call of this function")
    parser.add_argument("--call", type=int, default=1, metavar="N", help="with --at: from its Nth call (default: 1)")
    parser.add_argument("--start", type=int, help="first cycle of the window (default: 0; with --at 100 before it)")
    parser.add_argument("--end", type=int, help="last cycle of the window, and of the run (default: 200000; 20000)")
    parser.add_argument("--parse-only", action="store_true", help="only look at these arguments")
    parser.add_argument("arguments", nargs="*", help="further options of heapwire-sim, after --")
    arguments = parser.parse_args()
    first = arguments.start if arguments.start is not None else -100 if arguments.at else 0
    last = arguments.end if arguments.end is not None else 20_000 if arguments.at else 200_000
    if first > last or not arguments.at and first < 0:
        sys.exit("trace: --start must not be after --end, and below 0 only with --at")
    if arguments.call < 1:
        sys.exit("trace: --call counts from 1")
    # Before anything is built, a program of the firmware may be missing, because make builds it.
    built = arguments.parse_only and arguments.image.resolve().is_relative_to(ROOT / "build" / "firmware")
    if not arguments.image.is_file() and not built:
        sys.exit(f"trace: {arguments.image} is not there. What to do: make firmware, or give ELF=program.elf")
    if arguments.parse_only:
        return
    folder = ROOT / "build" / "trace"
    folder.mkdir(parents=True, exist_ok=True)
    waves = folder / "soc.fst"
    try:
        if arguments.at:
            called = call(arguments.image, arguments.at, arguments.call, arguments.arguments)
            print(f"trace: call {arguments.call} of {arguments.at} is in cycle {called:,}", flush=True)
            first, last = max(0, called + first), called + last
        window = ["--trace-start", first, "--trace-end", last, "--max-cycles", last + 1]
        options = ["--trace", waves, *window, *arguments.arguments]
        command = Build.of(trace=True).command(arguments.image, [], options)
    except SimulationError as error:
        sys.exit(f"trace: {error}")
    print(f"trace: running to cycle {last}, waves of cycles {first} to {last}", flush=True)
    subprocess.run(command, stdin=subprocess.DEVNULL)
    shutil.copy(VIEW, folder / VIEW.name)
    print(
        f"trace: {waves.stat().st_size / 1e6:.1f} MB; gtkwave {waves.relative_to(ROOT)} "
        f"{(folder / VIEW.name).relative_to(ROOT)}"
    )


if __name__ == "__main__":
    main()

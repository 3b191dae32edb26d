"""What a trap's line says of a program (firmware/platform/trap.c), with the names of its functions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_LINE = re.compile(rb"# trap: mcause (\w{8}) mepc (\w{8}) mtval (\w{8}) ra (\w{8})")
_CAUSES = {
    0: "a jump to {:#010x}, which is no multiple of 4",
    1: "an instruction fetched from {:#010x}, where nothing is",
    2: "an illegal instruction",
    3: "a breakpoint without a debugger",
    4: "a load from {:#010x}, which is not aligned",
    5: "a load from {:#010x}, where nothing is",
    6: "a store to {:#010x}, which is not aligned",
    7: "a store to {:#010x}, where nothing is",
    11: "an ecall",
}
_INSTRUCTION_BYTES = 4


def explain(elf: Path, uart: bytes) -> str | None:
    """Returns what trapped last, where, and what had called it. None if the output has no trap's line."""
    found = _LINE.findall(uart)
    if not found:
        return None
    cause, pc, value, ra = (int(word, 16) for word in found[-1])
    what = _CAUSES.get(cause, f"exception {cause}, {{:#x}}").format(value)
    # The call is the instruction before the address of return.
    here, caller = _places(elf, pc, ra - _INSTRUCTION_BYTES)
    return f"{what}, at {pc:#010x} in {here}; ra is {ra:#010x}, behind a call in {caller}"


def _places(elf: Path, *addresses: int) -> list[str]:
    """Returns function, file and line of each address, with the functions that the compiler has inlined it into."""
    command = ["riscv64-unknown-elf-addr2line", "-fipse", elf, *map(hex, addresses)]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ["?"] * len(addresses)
    places = re.sub(r"\n \(inlined by\) ", ", inlined into ", told).splitlines()
    return [place.replace("?? ??:0", "no function of the program") for place in places]

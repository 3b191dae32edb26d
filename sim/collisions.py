"""Makes block memories return noise when a word is read while it is written, as real ones do.

    python -m sim.collisions HeapwireCluster.v NOISY.v

The simulated memories return the old word, which no FPGA promises. Synthesis is told that nobody needs it
(`no_rw_check`). This program rewrites the synchronous reads in generated Verilog, so that logic that does need it fails
a test.
"""

import re
import sys
from pathlib import Path

MEMORY = re.compile(r"\breg +\[(.+?):0\] +(\w+) +\[0:.+?\]")
WRITE = re.compile(r"if *\(([^\n]*)\)(?: begin)?\s*(\w+)\[(\w+)\](?:\[[^\n]*\])? <= ")
READ = re.compile(r"(\w+) <= (\w+)\[(\w+)\];")


def _in_module(module: str) -> str:
    widths = {name: width for width, name in MEMORY.findall(module)}
    writes: dict[str, list[tuple[str, str]]] = {}
    for condition, name, address in WRITE.findall(module):
        writes.setdefault(name, []).append((condition, address))

    def read(match: re.Match) -> str:
        target, name, address = match.groups()
        if name not in widths or name not in writes:
            return match[0]
        lanes = [(condition.replace("[i]", ""), written) for condition, written in writes[name] if "[i]" in condition]
        if lanes:  # a memory written by lanes: noise in the lanes that are written
            [(mask, written)] = lanes
            return (
                f"begin {target} <= {name}[{address}]; for (i = 0; i < BYTES; i = i + 1) if ({mask}[i] && {written} == "
                f"{address}) "
                f"{target}[BITS*i +: BITS] <= $urandom; end"
            )
        meets = " || ".join(f"((|({condition})) && {written} == {address})" for condition, written in writes[name])
        words = int(widths[name]) // 32 + 1 if widths[name].isdigit() else 32
        return f"{target} <= ({meets}) ? ({name}[{address}] ^ {{{words}{{$urandom}}}}) : {name}[{address}];"

    return READ.sub(read, module)


def noisy(verilog: str) -> str:
    """Returns the same modules with memories that give noise where a read meets a write."""
    return "".join(_in_module(module) for module in re.split(r"(?=^module )", verilog, flags=re.MULTILINE))


if __name__ == "__main__":
    source, output = map(Path, sys.argv[1:])
    output.write_text(noisy(source.read_text()))

"""`python -m heapwire.program --interface heapwire.json --output OUT [-I DIR]... [--data FILE] [--variable NAME]...
FILE...`: writes the code that a program of these .c and .proto files is linked with. heapwire_litex/heapwire.mak runs
it for LiteX's programs."""

import argparse
import sys
from difflib import get_close_matches
from pathlib import Path

from base.errors import HeapwireError
from heapwire import interface
from heapwire.program.generate import generate
from heapwire.program.program import read

VARIABLES = "BUILD_DIR SRC PROTO INCLUDE DATA NANOPB WITHOUT WITH NAME OUT OPTIMIZE LIBRARIES".split()
"""Those that heapwire.mak reads."""
LIKE = 0.75
"""How much a name is like one of them that is taken for it, misspelt."""


def check_names(names: list[str]) -> None:
    """Raises HeapwireError for a variable of a program's Makefile whose name is nearly one that is read."""
    for name in names:
        near = get_close_matches(name.upper(), VARIABLES, 1, LIKE)
        if near and name not in VARIABLES:
            raise HeapwireError(
                f"the variable {name} is none that is read. What to do: name it {near[0]}, or otherwise"
            )


def main() -> None:
    parser = argparse.ArgumentParser(prog="heapwire.program", description=__doc__.split("\n\n")[0])
    parser.add_argument("--interface", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("-I", dest="imports", type=Path, action="append", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--variable", dest="variables", action="append", default=[])
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    protos = [file for file in given.files if file.suffix == ".proto"]
    try:
        check_names(given.variables)
        program = read([file for file in given.files if file not in protos], protos, given.data, (), given.imports)
        generate(program, interface.load(given.interface), given.output)
    except HeapwireError as error:
        sys.exit(f"heapwire: {error}")


if __name__ == "__main__":
    main()

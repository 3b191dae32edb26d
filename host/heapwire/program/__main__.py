"""`python -m heapwire.program --interface heapwire.json --output OUT [-I DIR]... [--data FILE] FILE...`: writes the
code that a program of these .c and .proto files is linked with. heapwire_litex/heapwire.mak runs it for LiteX's
programs."""

import argparse
import sys
from pathlib import Path

from base.errors import HeapwireError
from heapwire import interface
from heapwire.program.generate import generate
from heapwire.program.program import read


def main() -> None:
    parser = argparse.ArgumentParser(prog="heapwire.program", description=__doc__.split("\n\n")[0])
    parser.add_argument("--interface", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("-I", dest="imports", type=Path, action="append", default=[])
    parser.add_argument("--data", type=Path)
    parser.add_argument("files", type=Path, nargs="*")
    given = parser.parse_args()
    protos = [file for file in given.files if file.suffix == ".proto"]
    try:
        program = read([file for file in given.files if file not in protos], protos, given.data, (), given.imports)
        generate(program, interface.load(given.interface), given.output)
    except HeapwireError as error:
        sys.exit(f"heapwire: {error}")


if __name__ == "__main__":
    main()

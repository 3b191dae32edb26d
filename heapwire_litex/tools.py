"""The commands that the package installs: protoc's plugin, and an example to begin from."""

import argparse
import os
import runpy
import shutil
import sys
from pathlib import Path

from heapwire_litex import generator


def plugin():
    """`protoc --heapwire_out=DIR FILE.proto`: writes accessors. They depend on what is the same in all clusters."""
    root = generator.sources()
    sys.path[:0] = [str(root), str(root / "host")]
    found = [file for folder in (generator.cache(), generator.CLUSTERS) for file in folder.glob("*/heapwire.json")]
    if found:
        os.environ.setdefault("HEAPWIRE_JSON", str(max(found, key=lambda file: file.stat().st_mtime)))
    runpy.run_module("heapwire.plugin", run_name="__main__")


def example():
    parser = argparse.ArgumentParser(
        prog="heapwire_example",
        description="Writes a program that reads and writes a message: C, schema, input, Makefile.",
    )
    parser.add_argument("folder", type=Path, help="a new folder")
    folder = parser.parse_args().folder
    if folder.exists():
        parser.error(f"{folder} exists. What to do: name another folder")
    shutil.copytree(
        generator.sources() / "examples" / "message", folder, ignore=shutil.ignore_patterns("Makefile", "README.md")
    )
    shutil.copy(generator.PACKAGE / "example.mk", folder / "Makefile")
    print(f"{folder}: type `make -C {folder}` beside LiteX's folder build")

"""Writes records as C headers: `python -m heapwire.records OUT [PACKAGE...]` writes OUT/<name>.h for each module of
these packages, by default of heapwire.records. A header that would not change is left alone."""

from __future__ import annotations

import os
import sys
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from heapwire.records import Flags, Numbers, Record

TYPES = {"u8": "uint8_t", "u32": "uint32_t", "text": "char"}


def enumeration(kind: type[IntEnum]) -> list[str]:
    members = [f"    {kind._prefix_}{name} = {member.value}," for name, member in kind.__members__.items()]
    names = ", ".join(f'[{member.value}] = "{member.text}"' for member in kind)
    listed = [f"#define {kind._c_.upper()}_NAMES {names}"] if issubclass(kind, Numbers) else []
    return [f"enum {kind._c_} {{", *members, "};", *listed]


def structure(record: type[Record]) -> list[str]:
    members = [f"    {TYPES[kind]} {name}{f'[{count}]' if count else ''};" for name, kind, count in record.FIELDS]
    cases = [f"    struct {record.CASES} cases[];"] if record.CASES else []
    size = f'_Static_assert(sizeof(struct {record.C}) == {record.SIZE}, "struct {record.C}");'
    return [f"struct {record.C} {{", *members, *cases, "};", size]


def header(module: ModuleType) -> str:
    """Returns what a module declares, in its order."""
    guard = f"HW_RECORDS_{module.__name__.split('.')[-1].upper()}_H"
    lines = [f"/* Written from {module.__name__}. */", f"#ifndef {guard}\n#define {guard}\n", "#include <stdint.h>\n"]
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__:
            if issubclass(value, (Numbers, Flags)):
                lines += [*enumeration(value), ""]
            elif issubclass(value, Record) and "C" in vars(value):
                lines += [*structure(value), ""]
        elif isinstance(value, int) and name.isupper():
            lines += [f"#define {name} {value}{'u' if value >> 31 else ''}"]
        elif isinstance(value, str) and name.isupper():
            lines += [f'#define {name} "{value}"']
    return "\n".join([*lines, "#endif", ""])


def modules(package: str) -> list[str]:
    """Returns the names of the modules of records in a package."""
    found = iter_modules(import_module(package).__path__)
    return [f"{package}.{module.name}" for module in found if module.name != "__main__"]


def main(out: str, *packages: str) -> None:
    Path(out).mkdir(parents=True, exist_ok=True)
    for name in (name for package in packages or ["heapwire.records"] for name in modules(package)):
        path, made = Path(out) / f"{name.split('.')[-1]}.h", header(import_module(name))
        if not path.is_file() or path.read_text() != made:
            scratch = path.with_suffix(f".{os.getpid()}")  # other builds may read the header meanwhile
            scratch.write_text(made)
            scratch.replace(path)


if __name__ == "__main__":
    main(*sys.argv[1:])

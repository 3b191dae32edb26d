"""Writes records as C headers: `python -m heapwire.records OUT [PACKAGE | heapwire.json]...` writes OUT/<name>.h for
each module of these packages, by default of heapwire.records, and OUT/meanings.h with what the units' statuses of a
heapwire.json mean. A header that would not change is left alone.

`python -m heapwire.records OUT.java heapwire.json` writes the numbers of the formats for Java."""

from __future__ import annotations

import json
import os
import sys
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Sequence

from heapwire.records import Flags, Numbers, Record

TYPES = {"u8": "uint8_t", "u32": "uint32_t", "text": "char"}


def enumeration(kind: type[IntEnum]) -> list[str]:
    members = [f"    {kind._prefix_}{name} = {member.value}," for name, member in kind.__members__.items()]
    names = ", ".join(f'[{member.value}] = "{member.text}"' for member in kind)
    listed = [f"#define {kind._c_.upper()}_NAMES {names}"] if issubclass(kind, Numbers) else []
    if issubclass(kind, Numbers) and all(member.meaning for member in kind):
        listed += meanings(kind._c_, {member.name: member.meaning for member in kind})
    return [f"enum {kind._c_} {{", *members, "};", *listed]


def meanings(name: str, of: dict[str, str]) -> list[str]:
    listed = " ".join(f"X({member}, {json.dumps(text)})" for member, text in of.items())
    return [f"#define {name.upper()}_MEANINGS(X) {listed}"]


def structure(record: type[Record]) -> list[str]:
    members = [f"    {TYPES[kind]} {name}{f'[{count}]' if count else ''};" for name, kind, count in record.FIELDS]
    cases = [f"    struct {record.CASES} cases[];"] if record.CASES else []
    size = f'_Static_assert(sizeof(struct {record.C}) == {record.SIZE}, "struct {record.C}");'
    return [f"struct {record.C} {{", *members, *cases, "};", size]


def guarded(name: str, source: str, lines: list[str]) -> str:
    """Returns a header."""
    guard = f"HW_RECORDS_{name.upper()}_H"
    return "\n".join([f"/* Written from {source}. */", f"#ifndef {guard}\n#define {guard}\n", *lines, "#endif", ""])


def header(module: ModuleType) -> str:
    """Returns what a module declares, in its order."""
    lines = ["#include <stdint.h>\n"]
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
    return guarded(module.__name__.split(".")[-1], module.__name__, lines)


def statuses(interface: Path) -> str:
    """Returns the header of the units' statuses."""
    found = json.loads(interface.read_text())["status"]
    return guarded(
        "meanings",
        interface.name,
        meanings("hw_unit_status", {name: status["meaning"] for name, status in found.items()}),
    )


def java_class(name: str, numbers: dict[str, int], names: Sequence[str] = ()) -> list[str]:
    constants = [
        f"        public static final {kind} {name} = {value:#x}{'L' if kind == 'long' else ''};"
        for name, value in numbers.items()
        for kind in ["long" if value >> 31 else "int"]
    ]
    tables = [f"        public static final java.util.Map<Integer, String> {each};" for each in names]
    private = f"        private {name}() {{}}\n"
    return [f"    public static final class {name} {{", private, *constants, *tables, "    }\n"]


def java_names(module: ModuleType) -> list[str]:
    """Returns the tables of a module's enumerations, from numbers to names."""
    kinds = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Numbers)]
    return [
        f"{kind._c_.upper()}_NAMES = java.util.Map.ofEntries(\n                "
        + ", ".join(f'java.util.Map.entry({int(member)}, "{member.name}")' for member in kind)
        + ")"
        for kind in kinds
        if kind.__module__ == module.__name__
    ]


def declared(module: ModuleType) -> dict[str, int]:
    """Returns a module's numbers by their names in C, and the sizes of its records."""
    found: dict[str, int] = {}
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__:
            if issubclass(value, (Numbers, Flags)):
                found |= {f"{value._prefix_}{key}": int(member) for key, member in value.__members__.items()}
            elif issubclass(value, Record) and "C" in vars(value):
                found[f"{value.C.upper()}_SIZE"] = value.SIZE
        elif isinstance(value, int) and name.isupper():
            found[name] = value
    return found


def java(interface: Path) -> str:
    """Returns heapwire/Numbers.java, the numbers of the formats and of the line for the JVM's library."""
    cereal = json.loads(interface.read_text())["cereal"]
    lines = java_class("Cereal", {name.upper(): value for name, value in cereal.items()})
    for name in ("skyway", "packet", "monitor"):
        module = import_module(f"heapwire.records.{name}")
        prefix = f"{name.upper()}_"
        numbers = {number.removeprefix(prefix): value for number, value in declared(module).items()}
        lines += java_class(name.capitalize(), numbers, java_names(module))
    about = f"/** Written from {interface.name} and heapwire.records. */"
    return "\n".join(
        [f"package heapwire;\n\n{about}\npublic final class Numbers {{\n    private Numbers() {{}}\n", *lines, "}\n"]
    )


def modules(package: str) -> list[str]:
    """Returns the names of the modules of records in a package."""
    found = iter_modules(import_module(package).__path__)
    return [f"{package}.{module.name}" for module in found if module.name != "__main__"]


def main(out: str, *sources: str) -> None:
    if out.endswith(".java"):
        Path(out).write_text(java(Path(sources[0])))
        return
    Path(out).mkdir(parents=True, exist_ok=True)
    packages = [source for source in sources if not source.endswith(".json")] or ["heapwire.records"]
    made = {name.split(".")[-1]: header(import_module(name)) for package in packages for name in modules(package)}
    made |= {"meanings": statuses(Path(source)) for source in sources if source.endswith(".json")}
    for name, text in made.items():
        path = Path(out) / f"{name}.h"
        if not path.is_file() or path.read_text() != text:
            scratch = path.with_suffix(f".{os.getpid()}")  # other builds may read the header meanwhile
            scratch.write_text(text)
            scratch.replace(path)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The C files of a program: whether they can be built, and which generated headers they include."""

from __future__ import annotations

import re
from pathlib import Path

from base.errors import HeapwireError

GENERATED = (".heapwire.h", ".pb.h")
"""Ends of the names of headers that are generated from a .proto file: accessors, nanopb's structs."""

SAFE = re.compile(r"[\w./+,-]+")
"""A path that make takes as it is. Names of object files have @ for / (firmware/Makefile)."""
_COMMENT_OR_TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


class ProgramError(HeapwireError):
    """A program that cannot be built or that did not end well."""


def _without_comments(text: str) -> str:
    return _COMMENT_OR_TEXT.sub(lambda found: " " if found[0].startswith("/") else found[0], text)


def _without_texts(text: str) -> str:
    """Returns the code without comments and without string and character constants."""
    return _COMMENT_OR_TEXT.sub(" ", text)


def readable(path: Path, what: str) -> bytes:
    """Returns the bytes of a file that the user has named. what: the variable or option that named it."""
    if not path.is_file():
        raise ProgramError(f"{what}: no such file: {path}")
    try:
        return path.read_bytes()
    except OSError as error:
        raise ProgramError(f"{what}: cannot read {path}: {error.strerror}") from error


def check(sources: list[Path]) -> list[Path]:
    """Returns the absolute paths of a program's C files.

    Raises ProgramError for a file that is missing, is no C file or has a name that make would misread, and if no file
    has a `main`."""
    if not sources:
        raise ProgramError("which program? What to do: name its C files, as in make program SRC=my.c")
    paths = [path.resolve() for path in sources]
    for path, given in zip(paths, sources):
        if path.suffix != ".c":
            raise ProgramError(f"SRC: {given} is no C file (.c)")
        readable(path, "SRC")
        if not SAFE.fullmatch(str(path)):
            raise ProgramError(
                f"SRC: make would misread the path {path}. What to do: copy the program to a folder whose "
                "path has only letters, digits and . _ + , -"
            )
    if not any(re.search(r"\bmain\s*\(", _without_texts(_text(path))) for path in paths):
        raise ProgramError(
            f"SRC: no main function in {', '.join(map(str, sources))}. What to do: write `int main(void)`, "
            "or name the file that has it, too"
        )
    return list(dict.fromkeys(paths))


def _text(path: Path) -> str:
    return readable(path, "SRC").decode(errors="replace")


def generated_headers(sources: list[Path]) -> dict[str, Path]:
    """Returns the names of the generated headers that the C files include, each with a file that includes it.

    Follows the headers that lie beside the files. A generated header that lies there is the user's own."""
    found: dict[str, Path] = {}
    files = list(sources)
    for file in files:  # the list grows during the loop
        for name in _INCLUDE.findall(_without_comments(_text(file))):
            beside = (file.parent / name).resolve()
            if beside.is_file():
                files += [beside] if beside not in files else []
            elif name.endswith(GENERATED):
                found.setdefault(name, file)
    return found

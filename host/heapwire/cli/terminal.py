"""What several commands share: options, and what they print (results to standard output, progress and errors to
standard error)."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from pathlib import Path
from typing import Iterator

import click
from rich.console import Console
from rich.text import Text

from base.errors import HeapwireError


class _Console(Console):
    """Wraps texts between words alone: a path that is longer than a line stays whole. Markup is off, because much
    of the text comes from files, from the line and from the program at its other end."""

    def __init__(self, stderr: bool = False) -> None:
        # Tables need room: without a terminal, use more than the 80 columns that rich would assume.
        width = None if (sys.stderr if stderr else sys.stdout).isatty() else 120
        super().__init__(stderr=stderr, width=width, emoji=False, markup=False, highlight=False)

    def print(self, *objects: object, **options: object) -> None:
        if len(objects) == 1 and isinstance(objects[0], str) and not options.get("soft_wrap"):
            objects, options = (self._wrapped(objects[0]),), {**options, "soft_wrap": True}
        super().print(*objects, **options)

    def _wrapped(self, text: str) -> str:
        whole = {"break_long_words": False, "break_on_hyphens": False, "replace_whitespace": False}
        return "\n".join(textwrap.fill(line, self.width, **whole) for line in text.split("\n"))


console = _Console()
status_console = _Console(stderr=True)


def say(text: str) -> None:
    """Shows progress. Says nothing for an empty text."""
    if text:
        status_console.print(text, style="dim")


def error(text: str) -> None:
    """Shows an error behind the name of the command."""
    status_console.print(Text.assemble(("heapwire:", "red"), " ", text), soft_wrap=True)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an OSError into a HeapwireError: the user can fix an output that cannot be written."""
    try:
        yield
    except OSError as error:
        raise HeapwireError(f"cannot write {error.filename or path}: {error.strerror}") from error


PROTO = click.option("--proto", type=click.Path(path_type=Path), help="Schema: a .proto file or a FileDescriptorSet.")
IMPORTS = click.option(
    "-I",
    "--imports",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder in which imports of --proto begin (repeatable).",
)
TYPE = click.option("--type", "type_name", help="Message type, e.g. pkg.Message.")
DATA = click.option("--data", type=click.Path(path_type=Path), help="File with one encoded message.")
PARSE_ONLY = click.option("--parse-only", is_flag=True, help="Only look at the arguments: no machine is needed.")
LINK = click.option("--link", help="Talk to this monitor (host:port or a serial device) instead of a simulation.")


def need(**options: object) -> None:
    """Raises HeapwireError if one of the options of a message of one's own is missing."""
    missing = [f"--{name} (make: {name.upper()}=)" for name, value in options.items() if not value]
    if missing:
        raise HeapwireError(f"a message of your own takes --proto, --type and --data; missing: {', '.join(missing)}")

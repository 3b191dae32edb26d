"""What the commands print: results to standard output, progress and errors to standard error."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Iterator

from rich.console import Console
from rich.text import Text

from base.errors import HeapwireError

# Tables need room: without a terminal, use more than the 80 columns that rich would assume. Markup is off because much
# of the text comes from files, from the line and from the program at its other end.
console = Console(width=None if sys.stdout.isatty() else 120, emoji=False, markup=False, highlight=False)
status_console = Console(stderr=True, emoji=False, markup=False, highlight=False)


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

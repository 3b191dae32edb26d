"""Lines while something takes long, so that nobody waits without a word."""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import Callable, Iterator

Say = Callable[[str], None]
INTERVAL = 30.0
"""Most seconds without a line."""


@contextmanager
def waiting(say: Say, what: Callable[[float], str], interval: float = INTERVAL) -> Iterator[Say]:
    """Yields a `say` for the body. Whenever that has said nothing for `interval` seconds, another thread says
    `what`, which gets the minutes since the beginning."""
    began = told = time.monotonic()
    over = Event()

    def tell(text: str) -> None:
        nonlocal told
        told = time.monotonic()
        say(text)

    def remind() -> None:
        while not over.wait(max(0.01, told + interval - time.monotonic())):
            if time.monotonic() - told >= interval:
                tell(what((time.monotonic() - began) / 60))

    thread = Thread(target=remind, daemon=True)
    thread.start()
    try:
        yield tell
    finally:
        over.set()
        thread.join()

"""The connection to a monitor over a line that may break: finds the monitor, and finds it again when it is lost."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import Callable, Iterator

from heapwire.client.boot import REQUEST, overhear
from heapwire.client.monitor import Monitor
from heapwire.client.ports import BITS_RATE, Disconnected, GivenUp, LinkError, stranger
from heapwire.client.rate import RATES, change, find, raise_rate
from heapwire.client.transport import Transport, connect
from heapwire.records.monitor import MONITOR_MAX_DATA, Hello

PATIENCE = 60.0
FIRST_PATIENCE = 15.0
"""Seconds to wait for the very first answer, at most: no patience helps if the board is not there."""
UPLOADS = 3
"""Uploads of a program until a board that keeps asking for one is given up."""
RETRY = 0.3
"""Seconds between attempts to reopen a lost line."""
BAD_AT_ONE_RATE = 3
"""Breakdowns of the line at one rate before a lower rate is used."""


class Line:
    """A connection to a monitor: a port (`heapwire.client.connect`) that is opened again when it breaks.

    baud: the rate at which a board's monitor starts. max_baud: the highest rate to try. patience: seconds of silence
    until the line is given up. timeout: seconds until a request is repeated. say: receives progress messages, a line
    each. boot: uploads a program to a boot ROM that asks for one (`heapwire.client.boot`). Without `boot` a board in
    its boot ROM ends the connection at once, because no other program can use the port."""

    def __init__(
        self,
        port: str,
        say: Callable[[str], None],
        *,
        baud: int = BITS_RATE,
        max_baud: int = RATES[0],
        patience: float = PATIENCE,
        timeout: float = 1.0,
        opener: Callable[..., Transport] = connect,
        boot: Callable[[Transport], None] | None = None,
    ) -> None:
        self.boot = boot
        self.port, self.say, self.opener = port, say, opener
        self.baud, self.ceiling, self.patience, self.timeout = baud, max(baud, max_baud), patience, timeout
        self.monitor: Monitor | None = None
        self.heard_at: float | None = None
        self.connections = self.breakdowns = self.requests = self.repeats = 0
        self.chunk = MONITOR_MAX_DATA  # kept over a reconnection: a line that was bad is probably still bad
        self.found = False

    def connect(self) -> tuple[Monitor, Hello]:
        """Returns the monitor, at the highest rate that the line carries. Also reconnects after the monitor was lost.

        Raises GivenUp if nobody has answered for `patience` seconds, or if a boot ROM waits for a program that this
        connection cannot provide. Raises Disconnected at once if the port does not exist on the first call."""
        known, uploads = self.found, 0
        deadline = self._heard() + self.patience if known else time.monotonic() + min(self.patience, FIRST_PATIENCE)
        while True:
            try:
                return self._attempt(max(deadline - time.monotonic(), 0))
            except LinkError as error:
                # only once: a monitor that answers but is lost again and again is given up, too
                if self.found and not known:
                    known, deadline = True, time.monotonic() + self.patience
                try:
                    if not isinstance(error, Disconnected) and self._booted(uploads):
                        uploads, deadline = uploads + 1, time.monotonic() + self.patience
                        continue
                except GivenUp:
                    raise
                except LinkError as failed:
                    error, uploads = failed, uploads + 1
                if isinstance(error, Disconnected):
                    if not self.found and self.monitor is None:
                        raise  # the port cannot even be opened
                    self.close()
                if time.monotonic() >= deadline:
                    silent = f" since {time.monotonic() - self._heard():.0f} s" if self.found else ""
                    raise GivenUp(
                        f"nobody has answered on {self.port}{silent}: {self._stranger() or error}. Check cable and "
                        "power of the board, "
                        "reset it if it hangs"
                    ) from error
                self.say(f"waiting for {self.port}: {error}")
                time.sleep(min(RETRY, max(deadline - time.monotonic(), 0)))

    def _heard(self) -> float:
        """Returns the time at which the monitor was last heard."""
        return max(self.heard_at or 0, self.monitor.heard_at if self.monitor else 0)

    def _stranger(self) -> str:
        """Says who answers instead of the monitor, or returns "" if that is unknown. A prompt answers a newline; the
        boot ROM speaks by itself."""
        if self.monitor is None:
            return ""
        try:
            return stranger(self._overheard()) or stranger(self.monitor.receiver.heard())
        except Disconnected:
            return ""

    def _overheard(self) -> str:
        assert self.monitor is not None
        if self.monitor.transport.rate is not None:
            self.monitor.transport.set_rate(self.baud)
        self.monitor.resynchronise()
        return overhear(self.monitor.transport)

    def _booted(self, uploads: int) -> bool:
        """Uploads the program if a boot ROM is at the other end. Returns whether it did. Raises GivenUp if the ROM
        waits in vain."""
        if self.monitor is None or (
            self.monitor.transport.rate is None and "boot: " not in self.monitor.receiver.heard()
        ):
            return False
        if REQUEST not in self._overheard():
            return False
        reset = "the board was reset: " if self.found else ""
        if self.boot is None:
            raise GivenUp(
                f"{reset}on {self.port} the boot ROM waits for a program. Give this command --kernel "
                "build/firmware/BOARD/monitor.bin, or upload it "
                'with `make term BOARD=... ARGS="--kernel ..."`, end that, and come back'
            )
        if uploads >= UPLOADS:
            raise GivenUp(
                f"on {self.port} the boot ROM asks for a program again and again: {uploads} uploads did not help. Is "
                "the file of --kernel made "
                "for this bitstream?"
            )
        self.say(f"{reset}the boot ROM waits for a program")
        self.boot(self.monitor.transport)
        self.heard_at = time.monotonic()
        self.monitor.receiver.restart(forget=True)
        return True

    def _attempt(self, left: float) -> tuple[Monitor, Hello]:
        if self.monitor is None:
            self.monitor = Monitor(
                self.opener(self.port, self.baud, patience=min(left, FIRST_PATIENCE if not self.found else 1.0)),
                timeout=self.timeout,
            )
            self.connections += 1
            self.monitor.chunk, self.monitor.waiting = self.chunk, self.say
        monitor = self.monitor
        # An earlier program that used another rate has left the monitor at that rate.
        rates = [monitor.transport.rate or self.baud, self.baud, *RATES]
        hello = find(monitor, rates, self.timeout if monitor.transport.rate is None else min(self.timeout, 0.3))
        self.found = True
        monitor.heard_at = time.monotonic()
        if monitor.transport.rate is not None and monitor.transport.rate > self.ceiling:
            change(monitor, self.ceiling)  # best effort: if this fails, the monitor still answers at its current rate
        elif monitor.transport.rate is not None and monitor.transport.rate < self.ceiling:
            reached = raise_rate(monitor, self.ceiling, self.say)
            if reached:
                self.ceiling = reached
                self.say(f"the line runs at {reached:,} baud")
        return monitor, hello

    def broken(self, error: LinkError) -> None:
        """Records that a LinkError has ended a session. After several of these at one rate, later sessions use a lower
        rate."""
        if isinstance(error, Disconnected):
            self.close()
            return
        self.breakdowns += 1
        rate = self.monitor.transport.rate if self.monitor else None
        if rate is not None and rate > self.baud and self.breakdowns % BAD_AT_ONE_RATE == 0:
            self.ceiling = max([self.baud, *(lower for lower in RATES if lower < rate)])
            self.say(f"the line is bad at {rate:,} baud: from now on at most {self.ceiling:,}")

    def traffic(self) -> tuple[int, int]:
        """Returns the numbers of frames that were sent for the first time, and again, over all connections."""
        now = (self.monitor.requests, self.monitor.repeats) if self.monitor else (0, 0)
        return self.requests + now[0], self.repeats + now[1]

    def close(self) -> None:
        """Closes the port. The monitor stays as it is."""
        if self.monitor:
            self.requests, self.repeats = self.traffic()
            self.heard_at = self._heard()
            self.chunk = self.monitor.chunk
            self.monitor.transport.close()
            self.monitor = None


@contextmanager
def linked(port: str, say: Callable[[str], None]) -> Iterator[Monitor]:
    """Yields the monitor at a port, at its initial rate, even if an earlier program has left it at another rate."""
    line = Line(port, say, max_baud=BITS_RATE, timeout=5.0)
    try:
        yield line.connect()[0]
    finally:
        line.close()

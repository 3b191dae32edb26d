"""The rate of a serial line: finds the rate at which the monitor listens, and the highest rate that the cable
carries."""

from __future__ import annotations

import random
import time
from typing import Callable, Iterable

from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import Disconnected, LinkError
from heapwire.records.monitor import Hello, Status

RATES = (3_000_000, 2_000_000, 1_500_000, 1_000_000, 921_600, 460_800, 230_400)
"""Rates to try, in bits a second, above the one at which a monitor starts."""
TRIAL = 1.0
"""Seconds after which a monitor that hears nothing at a new rate goes back (docs/reference/monitor_protocol.md)."""
HELLO_TIMEOUT = 0.15
"""Seconds to wait for an answer at a rate on trial. Two attempts must fit into the trial."""
BAUD_TIMEOUT, BAUD_ATTEMPTS = 1.0, 3
"""Seconds for the first answer to a proposed rate, and attempts. If the answer is lost, the monitor is at another rate,
where no repeat reaches it."""
SETTLE = 0.02
"""Seconds until both ends have switched."""
BACK_ATTEMPTS = 5
PROBE_BYTES = 8000
"""Bytes written and read back to prove a rate. A line that damages one byte in ten thousand costs more than the next
lower rate."""


def find(monitor: Monitor, rates: Iterable[int], timeout: float) -> Hello:
    """Asks at each rate in turn until the monitor answers. Leaves the line at that rate.

    timeout: seconds for the first answer at a rate. Raises LinkError if no rate gets an answer, Disconnected without a
    line."""
    rates = list(dict.fromkeys(rates)) if monitor.transport.rate is not None else []
    problem = None
    for rate in rates or [None]:
        if rate is not None and rate != monitor.transport.rate:
            monitor.transport.set_rate(rate)
        monitor.resynchronise()
        try:
            return monitor.hello(timeout, attempts=2)
        except Disconnected:
            raise
        except LinkError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def change(monitor: Monitor, rate: int) -> bool:
    """Changes both ends to another rate. Returns false if the monitor does not answer there; it then goes back by
    itself within TRIAL seconds.

    Raises Disconnected if the line is gone."""
    try:
        monitor.baud(rate, min(monitor.timeout, BAUD_TIMEOUT), BAUD_ATTEMPTS)
        monitor.transport.set_rate(rate)
        time.sleep(SETTLE)
        monitor.resynchronise()
        monitor.hello(HELLO_TIMEOUT, attempts=2)
        return True
    except (MonitorError, Disconnected):
        raise
    except LinkError:
        return False


def _carries(monitor: Monitor, address: int) -> bool:
    """Returns whether bytes go both ways without a single repeat."""
    data, repeats = random.randbytes(PROBE_BYTES), monitor.repeats
    try:
        monitor.write(address, data)
        return monitor.read(address, len(data)) == data and monitor.repeats == repeats
    except Disconnected:
        raise
    except LinkError:
        return False


def _back(monitor: Monitor, rate: int, start: int) -> None:
    """Takes both ends back from a bad rate, at whichever rate the monitor is now."""
    for _ in range(BACK_ATTEMPTS):
        if monitor.transport.rate == rate and change(monitor, start):
            return
        time.sleep(TRIAL + SETTLE)
        try:
            find(monitor, (start, rate), HELLO_TIMEOUT)
        except Disconnected:
            raise
        except LinkError:
            continue
        if monitor.transport.rate == start:
            return
    raise LinkError(
        f"the line carries {rate:,} baud too badly to be used and too well to be left: reset the board, and give a "
        f"--max-baud below {rate}"
    )


def raise_rate(monitor: Monitor, ceiling: int, say: Callable[[str], None]) -> int | None:
    """Raises a line to the highest rate, up to `ceiling`, that carries bytes without loss. Returns that rate.

    Returns None if the line has no rate or the monitor cannot change it. Overwrites the start of the machine's buffer.
    Raises LinkError if the monitor is not found again after a trial; only a reset of the board helps then."""
    start = monitor.transport.rate
    if start is None:
        return None
    try:
        address = monitor.layout().buffer_base
        for rate in (rate for rate in RATES if start < rate <= ceiling):
            say(f"trying {rate:,} baud")
            try:
                if change(monitor, rate) and _carries(monitor, address):
                    return rate
                _back(monitor, rate, start)
            except MonitorError as refused:
                if refused.status != Status.BAD_BODY:
                    raise
                continue  # the board's clock is too slow for this rate
    except MonitorError as refused:
        if refused.status not in (Status.NOT_SUPPORTED, Status.UNKNOWN_OPERATION):
            raise
        return None
    return start

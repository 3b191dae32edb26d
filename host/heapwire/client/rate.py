"""The rate of a serial line: where the monitor listens, and the highest rate that the cable carries."""
from __future__ import annotations

import random
import time
from typing import Callable, Iterable

from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import Disconnected, LinkError
from heapwire.client.protocol import Hello, Status

RATES = (3_000_000, 2_000_000, 1_500_000, 1_000_000, 921_600, 460_800, 230_400)
"""Bits a second that are tried, beyond the one that a monitor starts at."""
TRIAL = 1.0
"""Seconds after which a monitor that hears nothing at a new rate goes back (docs/monitor_protocol.md)."""
HELLO_TIMEOUT = 0.15
"""Seconds for an answer at a rate on trial: two attempts must fit the trial."""
BAUD_TIMEOUT, BAUD_ATTEMPTS = 1.0, 3
"""Seconds for the answer to a proposal, the first time: one that is lost leaves the monitor at another rate, where no repeat reaches it."""
SETTLE = 0.02
"""Seconds until both ends have switched."""
BACK_ATTEMPTS = 5
PROBE_BYTES = 8000
"""Written and read back to prove a rate: a line that damages a byte in ten thousand costs more than the next lower rate."""


def find(monitor: Monitor, rates: Iterable[int], timeout: float) -> Hello:
    """Asks at each rate in turn until the monitor answers; the line stays at that one.

    timeout: seconds for the first answer at a rate. Raises LinkError if there is none at any, Disconnected without a line."""
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
    """Takes both ends to another rate. False: the monitor is not there, and goes back by itself within TRIAL seconds.

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
    """Whether bytes go both ways without one repeat."""
    data, repeats = random.randbytes(PROBE_BYTES), monitor.repeats
    try:
        monitor.write(address, data)
        return monitor.read(address, len(data)) == data and monitor.repeats == repeats
    except Disconnected:
        raise
    except LinkError:
        return False


def _back(monitor: Monitor, rate: int, start: int) -> None:
    """Takes both ends back from a rate that is no good, wherever the monitor is now."""
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
    raise LinkError(f"the line carries {rate:,} baud too badly to be used and too well to be left: reset the board, and give a "
                    f"--max-baud below {rate}")


def raise_rate(monitor: Monitor, ceiling: int, say: Callable[[str], None]) -> int | None:
    """Takes a line to the highest rate, up to `ceiling`, that carries bytes without a loss, and returns it.

    None: the line has no rate, or the monitor cannot change it. Overwrites the start of the machine's buffer.
    Raises LinkError if the monitor is not found again after a trial, which only a reset then ends."""
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
                continue  # its clock is too slow for that one
    except MonitorError as refused:
        if refused.status not in (Status.NOT_SUPPORTED, Status.UNKNOWN_OPERATION):
            raise
        return None
    return start

"""Explains what can be wrong with a line, and what to do about it."""

from __future__ import annotations

import errno
import grp
import os
from pathlib import Path

from serial.tools import list_ports

from base.errors import HeapwireError

BITS_RATE = 115_200
"""Baud rate at which a board's monitor starts."""


class LinkError(HeapwireError):
    """No valid answer came, after all attempts."""


class Disconnected(LinkError):
    """The line itself is gone, or cannot be opened."""


class GivenUp(LinkError):
    """The line has been silent for longer than the caller wanted to wait."""


class VersionMismatch(HeapwireError):
    """The other end speaks another version of the protocol. Repeating does not help."""


def explained(where: str, error: Exception) -> str:
    """Says why a port could not be opened, and what to do about it."""
    code = getattr(error, "errno", None)
    if "://" in where:
        return f"cannot open {where}: {error}"
    if code == errno.ENOENT or not Path(where).exists():
        found = [port.device for port in list_ports.comports()]
        return f"there is no {where}: is the board plugged in? Serial ports here: {', '.join(found) or 'none'}"
    if code == errno.EACCES:
        return (
            f"no permission to open {where}: it belongs to the group {_group(where)}; "
            f"`sudo usermod -aG {_group(where)} $USER`, then log in again"
        )
    if code in (errno.EBUSY, errno.EAGAIN, errno.EWOULDBLOCK) or "lock port" in str(error):
        return f"{where} is busy: another program has it open (a terminal?); close that one"
    return f"cannot open {where}: {error}"


def _group(where: str) -> str:
    number = os.stat(where).st_gid
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def stranger(heard: str) -> str:
    """Says who answered instead of the monitor, judged by the bytes that came. Returns "" for an unknown program."""
    if "litex>" in heard or "LiteX BIOS" in heard or "BIOS CRC" in heard:
        return "a LiteX BIOS answers, not the monitor: load the monitor's firmware onto the board first"
    said = heard.rpartition("boot: ")[2]
    if said.startswith("waiting for a program"):
        return (
            'the boot ROM waits for a program: `make term BOARD=... ARGS="--kernel ..."` uploads one '
            "(docs/reference/boot.md)"
        )
    if said.startswith("memory test failed"):
        return f"the boot ROM finds the board's memory faulty: {said}"
    if "boot: " in heard:
        return "the boot ROM speaks: the program that it started is no monitor, or has died"
    return ""

"""A board of boards/ as the host sees it: the description of its hardware, and its serial port."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from base.errors import HeapwireError
from heapwire import interface as interface_module
from heapwire.interface import Interface


def _named(name: str):
    import boards  # here, because LiteX comes with it, which takes a second

    if name not in boards.NAMES:
        raise HeapwireError(f"no board {name!r}; there are {', '.join(boards.NAMES)}")
    return importlib.import_module(f"boards.{name}").BOARD


def interface(name: str, device: str | None = None, config: str | None = None) -> Interface:
    """Returns the interface generated for a board with this device (default: the board's first) and this configuration
    (default: that of the device).

    Raises HeapwireError if the board, device or configuration does not exist, if it was not built, or if HEAPWIRE_JSON
    names another file."""
    from boards import cluster as clusters
    from heapwire_litex import cluster as configs

    board = _named(name)
    device = device or board.default
    if device not in board.variants:
        raise HeapwireError(f"{board.title} has no part {device!r}; there are {', '.join(board.variants)}")
    if config and not configs.is_config(config):
        raise HeapwireError(configs.no_config(config))
    own = board.variants[device].config
    path = clusters.folder(board, device, config or own) / "heapwire.json"
    part = f" DEVICE={device}" if device != board.default else ""
    other = f" CONFIG={config}" if config and config != own else ""
    command = f"make firmware BOARD={name}{part}{other}"
    if not path.is_file():
        raise HeapwireError(f"{path} is not there: nothing was built for this board. What to do: {command}")
    other = os.environ.get("HEAPWIRE_JSON")
    if other and Path(other).resolve() != path.resolve():
        raise HeapwireError(
            f"HEAPWIRE_JSON is {other}, and --board {name} means {path}: unset the one or leave out the other"
        )
    return interface_module.load(path)


def port(name: str) -> str:
    """Returns the only serial port that looks like this board's. Raises HeapwireError if there is none, or several."""
    from boards import terminal

    return terminal.port_of(_named(name), terminal.list_ports.comports(), "--port {}")

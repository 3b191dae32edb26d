"""A board of boards/ as the host sees it: the description of its hardware, and its serial port."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType

from heapwire import interface as interface_module
from heapwire.errors import HeapwireError
from heapwire.interface import REPOSITORY, Interface


def _module(name: str) -> ModuleType:
    if str(REPOSITORY) not in sys.path:
        sys.path.insert(0, str(REPOSITORY))
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise HeapwireError(
            f"the boards (boards/ of the repository) cannot be loaded: {error}. What to do: make setup"
        ) from error


def _named(name: str):
    names = _module("boards").NAMES
    if name not in names:
        raise HeapwireError(f"no board {name!r}; there are {', '.join(names)}")
    return _module(f"boards.{name}").BOARD


def interface(name: str, device: str | None = None, config: str | None = None) -> Interface:
    """Returns the interface generated for a board with this device (default: the board's first) and this configuration
    (default: that of the device).

    Raises HeapwireError if the board, device or configuration does not exist, if it was not built, or if HEAPWIRE_JSON
    names another file."""
    board, clusters = _named(name), _module("boards.cluster")
    device = device or board.default
    if device not in board.variants:
        raise HeapwireError(f"{board.title} has no part {device!r}; there are {', '.join(board.variants)}")
    configs = _module("heapwire_litex.cluster")
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
    board, terminal, errors = _named(name), _module("boards.terminal"), _module("boards.errors")
    try:
        return terminal.port_of(board, terminal.list_ports.comports(), "--port {}")
    except errors.BoardError as error:
        raise HeapwireError(str(error)) from error

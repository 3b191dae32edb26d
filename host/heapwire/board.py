"""A board of boards/ as the host sees it: the description of its hardware, and its serial port."""

from __future__ import annotations

import os
from pathlib import Path

from base.errors import BadInput, HeapwireError
from base.repository import ROOT
from heapwire import interface as interface_module
from heapwire.interface import Interface
from heapwire_litex import configurations


def _named(name: str):
    import boards  # here, because LiteX comes with it, which takes a second

    if name not in boards.boards():
        raise HeapwireError(f"no board {name!r}; there are {', '.join(boards.boards())}")
    return boards.boards()[name]


def asked() -> str | None:
    """Returns the configuration that the environment asks for; None if it is that of a board (LIKE), which only the
    generated hardware tells."""
    return None if os.environ.get("LIKE") else os.environ.get("CONFIG") or "default"


def base_of(config: str) -> configurations.Base:
    """Returns the base of a configuration. Raises BadInput if there is none of that name."""
    try:
        return configurations.base_of(config)
    except ValueError as error:
        raise BadInput(str(error)) from error
    except RuntimeError as error:
        raise HeapwireError(str(error)) from error


def check_engine(config: str | None) -> None:
    """Raises BadInput if a configuration has no engine for protobuf."""
    if config and not base_of(config).units["protobuf_engine"]:
        raise BadInput(f"the configuration {config} has no engine for protobuf. What to do: another CONFIG")


def interface(name: str, device: str | None = None, config: str | None = None) -> Interface:
    """Returns the interface generated for a board with this device (default: the board's first) and this configuration
    (default: that of the device).

    Raises HeapwireError if the board, device or configuration does not exist, if it was not built, or if HEAPWIRE_JSON
    names another file."""
    from boards import cluster as clusters

    board = _named(name)
    device = device or board.default
    if device not in board.variants:
        raise HeapwireError(f"{board.title} has no part {device!r}; there are {', '.join(board.variants)}")
    if config:
        base_of(config)
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


def monitor(name: str, device: str | None = None, config: str | None = None) -> Path | None:
    """Returns the monitor that `make firmware BOARD=` has built, or None."""
    from boards import cluster as clusters

    board = _named(name)
    device = device or board.default
    built = clusters.name(board, device, config or board.variants[device].config)
    file = ROOT / "build" / "firmware" / built / "monitor.bin"
    return file if file.is_file() else None


def port(name: str) -> str:
    """Returns the only serial port that looks like this board's. Raises HeapwireError if there is none, or several."""
    from boards import terminal

    return terminal.port_of(_named(name), terminal.list_ports.comports(), "--port {}")

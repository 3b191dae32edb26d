"""The boards (docs/howto/boards.md). Each board has a file. They share `target` (the LiteX target script), `flow`
(synthesis to bitstream), `program` (load and flash) and `terminal`."""

import importlib

NAMES = ("ulx3s", "colorlight_i5", "ecpix5", "orangecrab", "tang_nano_20k")


def board_named(name):
    """Returns the board of that name, one of NAMES, from its file."""
    return importlib.import_module(f"boards.{name}").BOARD

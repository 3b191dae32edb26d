"""The boards: a file each, with what they share in `target` (the LiteX target script), `flow`
(synthesis to bitstream), `program` (load and flash) and `terminal` (docs/boards.md)."""
import importlib

NAMES = ("ulx3s", "colorlight_i5", "ecpix5", "orangecrab", "tang_nano_20k")


def board_named(name):
    """The board of that name, one of NAMES, out of its file."""
    return importlib.import_module(f"boards.{name}").BOARD

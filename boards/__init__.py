"""The boards (docs/howto/boards.md). Each board has a file. They share `target` (the LiteX target script), `flow`
(synthesis to bitstream), `program` (load and flash) and `terminal`."""

import importlib
import pkgutil
from functools import cache


@cache
def boards():
    """Returns the boards by their names: what the modules of this folder call BOARD."""
    names = [module.name for module in pkgutil.iter_modules(__path__) if module.name != "__main__"]
    modules = [importlib.import_module(f"boards.{name}") for name in names]
    return {module.BOARD.name: module.BOARD for module in modules if hasattr(module, "BOARD")}

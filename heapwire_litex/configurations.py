"""The configurations that there are, as the generator describes them (accel/src/heapwire/core/Configurations.scala)."""

import json
import os
import re
import shutil
from dataclasses import dataclass
from functools import cache as once
from pathlib import Path
from tempfile import TemporaryDirectory

from heapwire_litex import generator


@dataclass(frozen=True)
class Base:
    """A configuration without parameters. pattern: matches its name, and that with parameters. units: how many it has
    of each kind. board_clock_divider: what a board divides the units' clock by."""

    name: str
    pattern: str
    units: dict
    skyway: bool
    debugger: bool
    board_clock_divider: int


def description():
    """Returns the file that the generator wrote. Raises RuntimeError if it is not there and cannot be generated."""
    root = generator.sources()
    folder = root / "build" / "gen" if root == generator.PACKAGE.parent else generator.cache()
    name = f"configurations-{generator.digest(root)[:16]}.json"
    if (generator.CLUSTERS / name).is_file():
        return generator.CLUSTERS / name
    file = folder / name
    if not file.is_file():
        with generator.alone(folder):
            if not file.is_file():
                _generate(file, root)
    return file


def copy(folder):
    """Puts a copy of that file into a folder, for one that has no generator."""
    if description().parent != folder:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(description(), folder)


@once
def _facts():
    return json.loads(description().read_text())


def _generate(file, root):
    generator.say("asking the generator for its configurations (seconds, the first time some minutes)")
    with TemporaryDirectory(dir=file.parent) as scratch:
        generator.run("heapwire.core.Configurations", [f"{scratch}/new.json"], root)
        for old in file.parent.glob("configurations-*.json"):
            old.unlink()
        os.replace(Path(scratch) / "new.json", file)


def bases():
    """Returns the configurations without parameters."""
    return [Base(**facts) for facts in _facts()["bases"]]


def parameters():
    """Returns what may follow a base's name, in this order, for a message."""
    return ", ".join(f"{name} ({what})" for name, what in _facts()["parameters"].items())


def base_of(name):
    """Returns the base of the configuration with this name. Raises ValueError if there is no such configuration."""
    found = [base for base in bases() if re.fullmatch(base.pattern, name)]
    if not found:
        raise ValueError(
            f"no configuration {name!r}; there are {', '.join(base.name for base in bases())}, and parameters may "
            f"follow, where they fit: {parameters()}"
        )
    return found[0]


class Variants:
    """LiteX's variants of the CPU: `standard`, and each configuration, with `_` for `-`. The generator is asked when
    LiteX looks for one, not when LiteX starts."""

    def __iter__(self):
        return iter(["standard", *(base.name.replace("-", "_") for base in bases())])

    def __contains__(self, variant):
        name = variant.replace("_", "-")
        return variant == "standard" or any(re.fullmatch(base.pattern, name) for base in bases())

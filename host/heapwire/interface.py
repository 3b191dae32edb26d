"""The constants that software and hardware agree on, read from the generated heapwire.json.

`load()` takes the path from its argument, from the environment variable HEAPWIRE_JSON, or from
`build/gen/<config>-<width>/heapwire.json` of the repository. This package writes no number of the hardware anywhere
else."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from base.errors import HeapwireError
from base.repository import ROOT


@dataclass(frozen=True)
class BitField:
    """A bit field of a 32-bit word: byte offset of the word, low bit, width in bits."""

    offset: int
    bit: int
    width: int

    @property
    def limit(self) -> int:
        """First value that does not fit."""
        return 1 << self.width

    def get(self, data: bytes | bytearray | memoryview, base: int) -> int:
        """Returns the field in the structure that starts at byte `base` of `data`."""
        word = int.from_bytes(data[base + self.offset : base + self.offset + 4], "little")
        return (word >> self.bit) & (self.limit - 1)

    def put(self, data: bytearray, base: int, value: int) -> None:
        """Stores `value`; negative values as two's complement.

        Raises ValueError if it does not fit the width."""
        if not -(self.limit >> 1) <= value < self.limit:
            raise ValueError(f"{value} does not fit {self.width} bits")
        at = base + self.offset
        word = int.from_bytes(data[at : at + 4], "little")
        mask = (self.limit - 1) << self.bit
        word = (word & ~mask) | ((value << self.bit) & mask)
        data[at : at + 4] = word.to_bytes(4, "little")


@dataclass(frozen=True)
class FieldType:
    """A protobuf field type: wire type of one value, log2 of the bytes of its slot, runtime register of its array
    list's class."""

    name: str
    code: int
    wire_type: int
    log2_size: int
    list_register: int

    @property
    def size(self) -> int:
        """Bytes of a slot or array element."""
        return 1 << self.log2_size

    @property
    def is_reference(self) -> bool:
        """Whether the slot holds a reference (strings, bytes, messages, groups)."""
        return self.wire_type in (2, 3)


class Interface:
    """The constants of heapwire.json as Python values."""

    def __init__(self, document: dict[str, Any], path: Path | None = None) -> None:
        self.path = path
        try:
            self.version: int = document["version"]
            self.operations = {name: item["code"] for name, item in document["operations"].items()}
            self.arguments: dict[str, list[str]] = {
                name: item["arguments"] for name, item in document["operations"].items()
            }
            """The names of an operation's argument words."""
            self.kinds_for: dict[str, list[str]] = {
                name: item["units"] for name, item in document["operations"].items()
            }
            """The kinds of unit that execute an operation."""
            self.status = {name: item["code"] for name, item in document["status"].items()}
            self.status_meaning = {item["code"]: item["meaning"] for item in document["status"].values()}
            self.registers: dict[str, int] = document["registers"]
            self.units: dict[str, int] = document["units"]
            self.counters: dict[str, int] = document["counters"]
            self.information: dict[str, int] = document["information"]
            self.object: dict[str, int] = document["object"]
            self.klass: dict[str, int] = document["klass"]
            self.cereal: dict[str, int] = document["cereal"]
            self.descriptor: dict[str, int] = {
                name: item for name, item in document["descriptor"].items() if isinstance(item, int)
            }
            self.header = {name: BitField(**item) for name, item in document["descriptor"]["header"].items()}
            self.entry = {name: BitField(**item) for name, item in document["descriptor"]["entry"].items()}
            self.native_entry = {
                name: BitField(**item) for name, item in document["descriptor"]["native_entry"].items()
            }
            self.types = {item["code"]: FieldType(name, **item) for name, item in document["types"].items()}
            self.cluster: dict[str, Any] = document.get("cluster", {})
        except (KeyError, TypeError) as error:
            raise HeapwireError(f"{path or 'heapwire.json'} lacks {error}: generate it again (make verilog)") from error
        self.type_named = {t.name: t for t in self.types.values()}
        self._status_name = {code: name for name, code in self.status.items()}

    def units_of(self, capability: int, name: str) -> int:
        """Returns the number of units of a kind, by a capability word."""
        width = self.information["capability_units_width"]
        return capability >> self.information["capability_units_bit"] + width * self.units[name] & (1 << width) - 1

    def units_for(self, capability: int, operation: str) -> int:
        """Returns the number of units that execute an operation, by a capability word. Of all kinds that execute it, a
        machine has at most one."""
        return sum(self.units_of(capability, name) for name in self.kinds_for[operation])

    def status_name(self, code: int) -> str:
        """Returns the name of a command's status, e.g. TRUNCATED, or the number if it has none."""
        return self._status_name.get(code, str(code))


LIKE = "like-"
"""Prefix of a build's name, and of the machine's name in rows, if the machine is like a real board."""
STOCK = "-stock"
"""Suffix of that name if the CPU is LiteX's own."""
ETHERNET = "-eth"
"""Suffix of the SoC's name if it has a MAC."""


def build_name(config: str | None = None, data_width: int | None = None, like: str = "") -> str:
    """Returns the name of a build under build/, e.g. default-128, tiny-32-clock2, like-ulx3s, like-ulx3s-stock. Without
    `config` the environment decides: the board that LIKE names, with LiteX's own CPU if `+stock` follows, else CONFIG,
    DATA_WIDTH and UNIT_CLOCK. like: what LIKE would say."""
    if like := like or (not config and os.environ.get("LIKE")):
        return LIKE + like.replace("+", "-")
    data_width = data_width or int(os.environ.get("DATA_WIDTH") or 128)
    return f"{config or os.environ.get('CONFIG') or 'default'}-{data_width}{variation()}"


def variation() -> str:
    """Returns what UNIT_CLOCK adds to the name of a build: "", "-clock2"."""
    divider = os.environ.get("UNIT_CLOCK") or "1"
    return f"-clock{divider}" if divider != "1" else ""


def default_path() -> Path:
    """Returns the expected path of heapwire.json: HEAPWIRE_JSON, else that of `build_name()`."""
    if os.environ.get("HEAPWIRE_JSON"):
        return Path(os.environ["HEAPWIRE_JSON"])
    return ROOT / "build" / "gen" / build_name() / "heapwire.json"


@lru_cache
def _load(path: Path) -> Interface:
    try:
        return Interface(json.loads(path.read_text()), path)
    except OSError as error:
        raise HeapwireError(f"cannot read {path}: run `make verilog`, or set HEAPWIRE_JSON") from error
    except json.JSONDecodeError as error:
        raise HeapwireError(f"{path} is not JSON ({error}): run `make verilog` again") from error


def load(path: str | Path | None = None) -> Interface:
    """Returns the interface in the file at `path` (default: `default_path()`).

    Raises HeapwireError if the file is absent or incomplete."""
    return _load(Path(path) if path else default_path())

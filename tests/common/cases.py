"""Cases of differential tests: how a failing case is kept, and how it is first reduced.

`HEAPWIRE_CASE=build/failures/NAME.json` runs a kept case again, alone, in every suite that knows its kind."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import os
import random
from pathlib import Path
from typing import Callable, Iterator, Self, TypeVar

import pytest

from base.repository import ROOT
from tests.common.wire import varint

KEPT = ROOT / "build" / "failures"
AGAIN = os.environ.get("HEAPWIRE_CASE", "")
TRIES = 2000
"""Runs that the reduction of a case may take."""
EVEN = (1, 0, 1, 1)
"""A memory that never stalls."""
T = TypeVar("T", bound="Case")


@dataclasses.dataclass(frozen=True)
class Case:
    """A message of a type; the memory that a unit sees: seed, stalls, least and greatest latency; and the offsets that
    are added to addresses."""

    type: str
    data: bytes
    memory: tuple[int, int, int, int]
    skew: tuple[int, ...]

    def with_data(self, data: bytes) -> Self:
        """Returns the same case with other bytes."""
        return dataclasses.replace(self, data=data)

    def keep(self, folder: Path = KEPT) -> Path:
        """Writes the case to a file whose name follows from its contents. Returns the path."""
        fields = {
            name: base64.b64encode(value).decode() if isinstance(value, bytes) else value
            for name, value in dataclasses.asdict(self).items()
        }
        text = json.dumps({"kind": type(self).__name__, **fields}, indent=1)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        path.write_text(text)
        return path

    @classmethod
    def kept(cls, path: Path | str) -> Self:
        """Reads a case that `keep` wrote."""
        values = json.loads(Path(path).read_text())
        for field in dataclasses.fields(cls):
            if field.type == "bytes":
                values[field.name] = base64.b64decode(values[field.name])
            elif field.type.startswith("tuple"):
                values[field.name] = tuple(values[field.name])
        del values["kind"]
        return cls(**values)

    @classmethod
    def again(cls) -> bool:
        """Returns whether HEAPWIRE_CASE names a case of this kind."""
        return AGAIN.endswith(".json") and json.loads(Path(AGAIN).read_text())["kind"] == cls.__name__


def random_memory(dice: random.Random) -> tuple[int, int, int, int]:
    """Returns random stalls and latency."""
    return dice.getrandbits(32), dice.choice([0, 0, 10, 80, 200]), dice.choice([1, 10, 20]), dice.choice([20, 40, 150])


def smallest(case: T, fails: Callable[[T], bool], tries: int = TRIES) -> T:
    """Returns a reduced case that still fails. First it drops fields at any depth and spans of bytes, then it sets
    bytes to zero. It uses an even memory if the case still fails with that."""

    def attempt(other: T) -> bool:
        nonlocal case, tries
        tries -= 1
        if tries < 0 or other == case or not fails(other):
            return False
        case = other
        return True

    def fewer_bytes() -> None:
        size = len(case.data)
        while size:
            at, changed = 0, False
            while at < len(case.data):
                if attempt(case.with_data(case.data[:at] + case.data[at + size :])):
                    changed = True
                else:
                    at += size
            if not changed:
                size //= 2

    def fewer_fields() -> None:
        at = 0
        while at < len(variants := list(without_a_field(case.data))):
            if not attempt(case.with_data(variants[at])):
                at += 1

    attempt(dataclasses.replace(case, memory=EVEN, skew=(0,) * len(case.skew)))
    fewer_fields()  # dropping bytes decides for data that are not a message as a whole
    fewer_bytes()
    fewer_fields()
    for at in range(len(case.data)):
        attempt(case.with_data(case.data[:at] + b"\0" + case.data[at + 1 :]))
    return case


def check(machine, case: Case) -> None:
    """Fails if the machine finds a difference in the case. Reduces the case first, and says where it is kept."""
    difference = machine.difference(case)
    if difference:
        least = smallest(case, lambda other: machine.difference(other) is not None)
        pytest.fail(
            f"{difference}\nat least {least.type} {least.data.hex()}: "
            f"{machine.difference(least)}\nHEAPWIRE_CASE={least.keep()}"
        )


def without_a_field(data: bytes) -> Iterator[bytes]:
    """Yields the message without one of its fields, or of the fields in them. The lengths around it are adapted."""
    fields = _fields(data)
    for i, (head, _, body) in enumerate(fields or []):
        before, behind = (b"".join(b"".join(field) for field in part) for part in (fields[:i], fields[i + 1 :]))
        yield before + behind
        for less in without_a_field(body):
            yield before + head + varint(len(less)) + less + behind


def _fields(data: bytes) -> list[tuple[bytes, bytes, bytes]] | None:
    """Returns each field's key, length and body, or None if the data are no message. The key of a field without a
    length includes its value."""
    fields, at = [], 0
    while at < len(data):
        start = at
        key, at = _varint(data, at)
        after_key = at
        if key & 7 == 0:
            _, at = _varint(data, at)
        elif key & 7 == 2:
            length, body_at = _varint(data, at)
            at = body_at + length
            fields.append((data[start:after_key], data[after_key:body_at], data[body_at:at]))
        else:
            at += {1: 8, 5: 4}.get(key & 7, 0)
        if at > len(data) or key & 7 > 5:
            return None
        if key & 7 != 2:
            fields.append((data[start:at], b"", b""))
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Returns the value and its end, which lies beyond the data if the varint does not end."""
    value = 0
    for i in range(10):
        if at + i >= len(data):
            break
        value |= (data[at + i] & 0x7F) << 7 * i
        if data[at + i] < 0x80:
            return value, at + i + 1
    return value, len(data) + 1

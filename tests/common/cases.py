"""Cases of differential tests: what one that fails is kept as, and how it is made smaller first.

`HEAPWIRE_CASE=build/failures/NAME.json` runs a kept one again, alone, in every suite that knows its kind."""
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

from tests.common.wire import varint

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "failures"
AGAIN = os.environ.get("HEAPWIRE_CASE", "")
TRIES = 2000
"""Runs that making a case smaller may take."""
EVEN = (1, 0, 1, 1)
"""A memory that never stalls."""
T = TypeVar("T", bound="Case")


@dataclasses.dataclass(frozen=True)
class Case:
    """A message of a type; the memory that a unit meets: seed, stalls, latency from, to; and what is added to addresses."""

    type: str
    data: bytes
    memory: tuple[int, int, int, int]
    skew: tuple[int, ...]

    def with_data(self, data: bytes) -> Self:
        """The same with other bytes."""
        return dataclasses.replace(self, data=data)

    def keep(self, folder: Path = KEPT) -> Path:
        """Writes the case; the file's name is that of its contents."""
        fields = {name: base64.b64encode(value).decode() if isinstance(value, bytes) else value for name, value in dataclasses.asdict(self).items()}
        text = json.dumps({"kind": type(self).__name__, **fields}, indent=1)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
        path.write_text(text)
        return path

    @classmethod
    def kept(cls, path: Path | str) -> Self:
        """What `keep` wrote."""
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
        """Whether HEAPWIRE_CASE names a case of this kind."""
        return AGAIN.endswith(".json") and json.loads(Path(AGAIN).read_text())["kind"] == cls.__name__


def random_memory(dice: random.Random) -> tuple[int, int, int, int]:
    """Stalls and latency of a kind of their own."""
    return dice.getrandbits(32), dice.choice([0, 0, 10, 80, 200]), dice.choice([1, 10, 20]), dice.choice([20, 40, 150])


def smallest(case: T, fails: Callable[[T], bool], tries: int = TRIES) -> T:
    """A case that still fails, of as few bytes as leaving out fields at any depth and spans of bytes gives, then of as many
    zeros, and in an even memory if that suffices."""
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
                if attempt(case.with_data(case.data[:at] + case.data[at + size:])):
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
    fewer_fields()  # of a message that is none as a whole the bytes decide
    fewer_bytes()
    fewer_fields()
    for at in range(len(case.data)):
        attempt(case.with_data(case.data[:at] + b"\0" + case.data[at + 1:]))
    return case


def check(machine, case: Case) -> None:
    """Fails with the case made smaller, and where that is kept, if the machine finds a difference in it."""
    difference = machine.difference(case)
    if difference:
        least = smallest(case, lambda other: machine.difference(other) is not None)
        pytest.fail(f"{difference}\nat least {least.type} {least.data.hex()}: {machine.difference(least)}\nHEAPWIRE_CASE={least.keep()}")


def without_a_field(data: bytes) -> Iterator[bytes]:
    """The message without one of its fields, or of those in it; the lengths around it fit."""
    fields = _fields(data)
    for i, (head, _, body) in enumerate(fields or []):
        before, behind = (b"".join(b"".join(field) for field in part) for part in (fields[:i], fields[i + 1:]))
        yield before + behind
        for less in without_a_field(body):
            yield before + head + varint(len(less)) + less + behind


def _fields(data: bytes) -> list[tuple[bytes, bytes, bytes]] | None:
    """Each field's key (of others than those with a length: with the value), length and body; None if that is no message."""
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
    """Value, and where it ends: behind the data if it does not."""
    value = 0
    for i in range(10):
        if at + i >= len(data):
            break
        value |= (data[at + i] & 0x7F) << 7 * i
        if data[at + i] < 0x80:
            return value, at + i + 1
    return value, len(data) + 1

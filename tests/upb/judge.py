"""upb as the judge of the engine (host/judge.c), and its mini descriptors of a schema."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import Descriptor

from base.repository import ROOT, cache
from heapwire import firmware
from heapwire.interface import Interface
from heapwire.schema import Schema
from heapwire.schema.go import go_tables
from heapwire.schema.proto import in_order
from heapwire.schema.types import closure
from heapwire.schema.upb import UpbLayout, UpbTables, upb_tables

GO, NONE = Path(__file__).parent / "go" / "judge.go", -1
HOST = Path(__file__).parent / "host"
OUT = ROOT / "build" / "test" / "upb"
DESCRIBER = ROOT / "study" / "firmware" / "peers" / "upb" / "host"
TYPE = re.compile(r'\{"([^"]*)", "((?:[^"\\]|\\.)*)", (\d+), links_(\d+), (\d+)\}|\{"", "((?:[^"\\]|\\.)*)", (\d+),')
LINKS = re.compile(r"links_(\d+)\[\] = \{(.*)\{0, 0\}\};")


def build(folder: Path, program: str) -> Path:
    """Builds a program of upb's sources. Skips the test without these."""
    if not (cache() / "upb" / "upb").is_dir():
        pytest.skip("upb's sources are missing: make setup-upb")
    with firmware.alone_in(OUT):
        result = firmware.make(folder, f"UPB={(cache() / 'upb').resolve()}", f"OUT={OUT}")
    assert result.returncode == 0, result.stderr[-3000:]
    return OUT / program


def _text(escaped: str) -> bytes:
    return re.sub(rb"\\(\d{3})", lambda found: bytes([int(found[1], 8)]), escaped.encode())


class Judge:
    """A process with upb's tables of a schema. types: all that they reach, in the order of `closure`."""

    def __init__(self, schema: Schema, interface: Interface) -> None:
        roots: list[Descriptor] = [schema.descriptor(name) for name in schema.type_names()]
        self.types = [one.full_name for one in closure(roots)]
        files = descriptor_pb2.FileDescriptorSet(file=in_order(schema.files))
        described = subprocess.run(
            [build(DESCRIBER, "describe"), *self.types],
            input=files.SerializeToString(),
            capture_output=True,
            check=True,
        ).stdout.decode()
        links = {int(i): re.findall(r"\{(\d+), (\d+)\}", text) for i, text in LINKS.findall(described)}
        messages, enums = [], []
        for name, text, _, index, _, enum, _ in TYPE.findall(described):
            (messages if name else enums).append(
                (name, _text(text if name else enum), links[int(index)] if name else [])
            )
        assert [name for name, *_ in messages] == self.types
        self.process = subprocess.Popen([build(HOST, "judge")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(b"T", len(messages), len(enums))
        for _, text, pairs in messages + enums:
            self._send(struct.pack("<I", len(text)) + text, len(pairs), *(int(word) for pair in pairs for word in pair))
        layouts = []
        for _ in messages:
            size, count = self._words(2)
            fields = [self._words(4) for _ in range(count)]
            signed = {number: (offset, presence - (presence >> 31 << 32)) for number, offset, presence, _ in fields}
            layouts.append(UpbLayout(size, signed))
        self.tables: UpbTables = upb_tables(roots, layouts, interface)

    def close(self) -> None:
        """Ends the process."""
        self.process.stdin.close()
        self.process.wait()

    def _send(self, data: bytes, *words: int) -> None:
        self.process.stdin.write(data + struct.pack(f"<{len(words)}I", *words))
        self.process.stdin.flush()

    def _take(self, size: int) -> bytes:
        data = self.process.stdout.read(size)
        assert len(data) == size, "the judge has ended"
        return data

    def _words(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self._take(4 * count))

    def load(self, address: int, data: bytes) -> None:
        """Writes memory."""
        self._send(b"L", address, len(data))
        self._send(data)

    def dump(self, address: int, size: int) -> bytes:
        """Reads memory."""
        self._send(b"R", address, size)
        return self._take(size)

    def _encoding(self) -> bytes | None:
        status, length = self._words(2)
        data = self._take(length)
        return None if status else data

    def decoded(self, index: int, length: int) -> tuple[bool, bytes | None]:
        """Decodes the input. Returns whether upb accepts it, and upb's encoding of what it has read."""
        self._send(b"D", index, length)
        (status,) = self._words(1)
        return not status, self._encoding()

    def made(self, index: int, length: int) -> tuple[bool, int, int]:
        """Decodes the input into memory. Returns whether upb accepts it, the message and the end of the memory."""
        self._send(b"M", index, length)
        status, message, end = self._words(3)
        return not status, message, end

    def encoded(self, index: int, message: int) -> tuple[int, bytes | None]:
        """Makes maps of lists of entries. Returns their number, and upb's encoding."""
        self._send(b"C", index, message)
        return self._words(1)[0], self._encoding()


def _go_judge() -> Path:
    """Builds Go's judge. Skips the test without Go."""
    go = shutil.which("go")
    if not go:
        pytest.skip("Go's structs are not tested: there is no Go (go.dev, or Debian's golang-go)")
    program = OUT / "go_judge"
    with firmware.alone_in(OUT):
        if not program.exists() or program.stat().st_mtime < GO.stat().st_mtime:
            settings = {"GOARCH": "386", "CGO_ENABLED": "0", "GO111MODULE": "off", "GOCACHE": str(OUT / "go")}
            result = subprocess.run(
                [go, "build", "-o", program, GO], env=os.environ | settings, capture_output=True, text=True
            )
            assert result.returncode == 0, result.stderr[-3000:]
    return program


class GoJudge(Judge):
    """A process of Go that has the structs of a schema."""

    def __init__(self, schema: Schema, interface: Interface) -> None:
        roots: list[Descriptor] = [schema.descriptor(name) for name in schema.type_names()]
        self.tables = go_tables(roots, interface)
        self.types = [message.name for message in self.tables.messages]
        self.process = subprocess.Popen([_go_judge()], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._send(b"T", len(self.types))
        for message, offset in zip(self.tables.messages, self.tables.offsets):
            data, header = self.tables.data, interface.header
            size, words = (header[name].get(data, offset) for name in ("object_size", "hasbits_words"))
            self._send(b"", size, words, len(message.oneofs), len(message.fields))
            entry = offset + interface.descriptor["header_size"]
            entry += interface.descriptor["entry_size"] * (header["last_slot"].get(data, offset) + len(message.fields))
            for rank, field in enumerate(message.fields):  # the ordered entries begin with the highest number
                at = interface.entry["offset"].get(data, entry - rank * interface.descriptor["entry_size"])
                presence = interface.descriptor[f"presence_{field.presence.value}"]
                case, sub = (NONE if value is None else value for value in (field.oneof, field.sub_type))
                values = field.enum_values
                numbers = field.number, field.type.code, field.repeated, field.packed, at, field.hasbit, presence
                self._send(b"", *(int(value) & 0xFFFF_FFFF for value in (*numbers, case, sub, len(values), *values)))

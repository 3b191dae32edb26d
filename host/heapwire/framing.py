"""What a file looks like that is refused as one encoded message: compressed, several messages with their lengths, or
text."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from heapwire.wire import Input, Malformed

COMPRESSED = {
    b"\x1f\x8b": ("gzip", "gunzip"),
    b"\x28\xb5\x2f\xfd": ("zstd", "unzstd"),
    b"\xfd7zXZ\0": ("xz", "unxz"),
    b"BZh": ("bzip2", "bunzip2"),
    b"PK\x03\x04": ("a zip archive", "unzip"),
    b"\x04\x22\x4d\x18": ("LZ4", "unlz4"),
}
"""The first bytes of compressed files, with the name of the format and of the program that undoes it."""
ONE = "take one message out of the file"
TEXTS = {
    r"(?:0x)?(?:[0-9a-fA-F]{2}[\s:]*)+": ("hexadecimal digits", "xxd -r -p makes bytes of them"),
    r"(?:[A-Za-z0-9+/]{4}\s*+)+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?": ("base64", "base64 -d makes bytes of it"),
    r"[\[{].*": ("JSON", "encode the message by a library of protobuf"),
    r".*": ("text", "protoc --encode=TYPE makes bytes of protobuf's text format"),
}
"""Kinds of text as patterns of the whole, the first of which counts. Each takes time in proportion to the text."""


def _varint(data: bytes, at: int) -> tuple[int, int]:
    cursor = Input(data)
    cursor.at = at
    return cursor.varint(), cursor.at


def _of_four(data: bytes, at: int) -> tuple[int, int]:
    return int.from_bytes(data[at : at + 4], "big"), at + 4


def _of_grpc(data: bytes, at: int) -> tuple[int, int]:
    """A gRPC frame: a byte that says whether the message is compressed, then its length."""
    if data[at] > 1:
        raise Malformed("BAD_LENGTH", at)
    return _of_four(data, at + 1)


FRAMES = {
    "gRPC frames (5 bytes, then the message)": _of_grpc,
    "messages with 4 bytes of length before each": _of_four,
    "length-delimited messages (a varint of length before each)": _varint,
}


def _framed(data: bytes, length_at: Callable[[bytes, int], tuple[int, int]]) -> Iterator[bytes]:
    """Yields the messages. Raises Malformed if their lengths do not add up to the whole file."""
    at = 0
    while at < len(data):
        length, at = length_at(data, at)
        if not length <= len(data) - at:
            raise Malformed("BAD_LENGTH", at)
        yield data[at : at + length]
        at += length


def _of_frames(data: bytes, kind: type[Message]) -> str:
    """Returns the hint for several messages in one file, or an empty text."""
    for name, length_at in FRAMES.items():
        try:
            messages = list(_framed(data, length_at))
            if any(messages) and not any(len(UnknownFieldSet(kind.FromString(each))) for each in messages):
                return f"it looks like {name}, {len(messages):,} of them: {ONE}"
        except (Malformed, DecodeError):
            continue
    return ""


def doubt(data: bytes, message: Message) -> str:
    """Returns the hint for a file that happens to be a message, but one of unknown fields, or an empty text."""
    return _of_frames(data, type(message)) if len(UnknownFieldSet(message)) else ""


def hint(data: bytes, kind: type[Message]) -> str:
    """Returns what refused bytes look like and what to do, or that a file holds one encoded message."""
    for start, (name, tool) in COMPRESSED.items():
        if data.startswith(start):
            return f"it looks compressed ({name}): {tool} it first"
    if found := _of_frames(data, kind):
        return found
    try:
        text = data.decode().strip()
    except UnicodeDecodeError:
        text = ""
    if text and all(letter.isprintable() or letter.isspace() for letter in text):
        name, how = next(each for pattern, each in TEXTS.items() if re.fullmatch(pattern, text, re.DOTALL))
        return f"it looks like {name}: {how}"
    return "a file holds one encoded message, as bytes"

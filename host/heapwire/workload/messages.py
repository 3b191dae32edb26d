"""Builds the demo's messages with the official library. The same seed gives the same messages, so that figures
repeat."""

from __future__ import annotations

import random
from pathlib import Path

from google.protobuf.message import Message

from heapwire.schema import Schema, compile_proto
from heapwire.workload.case import Case

PROTO = Path(__file__).with_name("demo.proto")
WORDS = ("object", "graph", "wire", "heap", "größe", "klass", "arena", "varint", "naïve", "table", "unit", "cycle")


def media_content(schema: Schema, images: int) -> Message:
    """Returns a MediaContent of the JVM serializer benchmark, with `images` images."""
    message = schema.message_class("heapwire.demo.MediaContent")()
    media = message.media
    media.uri, media.title = "http://javaone.com/keynote.mpg", "Javaone Keynote"
    media.width, media.height, media.format = 640, 480, "video/mpg4"
    media.duration, media.size, media.bitrate = 18_000_000, 58_982_400, 262_144
    media.person.extend(["Bill Gates", "Steve Jobs"])
    media.player, media.copyright = 0, "None"
    for i in range(images):
        message.image.add(
            uri=f"http://javaone.com/keynote_{('large', 'small')[i % 2]}.jpg",
            title="Javaone Keynote",
            width=(1024, 320)[i % 2],
            height=(768, 240)[i % 2],
            size=1 - i % 2,
        )
    return message


def measurements(schema: Schema, readings: int, seed: int = 1) -> Message:
    """Returns a message with many small fields of all scalar types."""
    dice = random.Random(seed)
    message = schema.message_class("heapwire.demo.Measurements")(version=3, sequence=1 << 40)
    for i in range(readings):
        message.reading.add(
            value=dice.uniform(-1e6, 1e6),
            error=dice.random(),
            time=1_700_000_000_000 + i,
            serial=dice.getrandbits(64),
            channel=dice.randrange(-16, 16),
            station=dice.getrandbits(64),
            checksum=dice.getrandbits(32),
            valid=dice.random() < 0.5,
            flags=dice.getrandbits(9),
            offset=-dice.getrandbits(20),
            position=-dice.getrandbits(50),
            delta=dice.randrange(-100, 100),
            drift=-dice.getrandbits(35),
        )
    message.sample.extend(dice.randrange(-5000, 5000) for _ in range(8 * readings))
    message.counter.extend(dice.getrandbits(dice.choice((7, 14, 32, 64))) for _ in range(4 * readings))
    message.weight.extend(dice.random() for _ in range(readings))
    message.mask.extend(dice.random() < 0.5 for _ in range(readings))
    return message


def document(schema: Schema, lines: int, seed: int = 2) -> Message:
    """Returns a message with strings and bytes of many lengths. Some strings go beyond ASCII."""
    dice = random.Random(seed)
    message = schema.message_class("heapwire.demo.Document")(title="On objects and wires")
    for i in range(lines):
        message.line.append(" ".join(dice.choice(WORDS) for _ in range(dice.randrange(24))))
        if i % 4 == 0:
            message.attachment.append(dice.randbytes(dice.randrange(300)))
            message.property[f"property-{i}"] = dice.choice(WORDS) * dice.randrange(4)
    return message


def archive(schema: Schema, size: int, seed: int = 3) -> Message:
    """Returns a mix of all other messages with exactly `size` wire bytes (at least 10,000)."""
    message = schema.message_class("heapwire.demo.Archive")()
    for i in range(1000):
        if message.ByteSize() > size * 7 // 8 - 3000:
            break
        message.content.append(media_content(schema, i % 4))
        message.measurements.append(measurements(schema, 4, seed + i))
        message.document.append(document(schema, 8, seed + i))
    rest = size - message.ByteSize()
    for head in range(2, 8):
        message.image = random.Random(seed).randbytes(rest - head)
        if message.ByteSize() == size:
            return message
    raise ValueError(f"no archive has exactly {size} bytes")


def demo_cases() -> tuple[Schema, list[Case]]:
    """Returns the demo's schema and the messages of its table."""
    schema = compile_proto(PROTO)
    messages = {
        "MediaContent, 2 images": media_content(schema, 2),
        "MediaContent, no image": media_content(schema, 0),
        "field-heavy": measurements(schema, 20),
        "string-heavy": document(schema, 40),
        "64 KB": archive(schema, 65536),
    }
    return schema, [
        Case(name, message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True))
        for name, message in messages.items()
    ]

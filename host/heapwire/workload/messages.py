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


def timetable(schema: Schema, trains: int, stops: int, seed: int = 4) -> Message:
    """Returns a message of many small sub-messages. Trains may be early, and a negative delay has ten bytes."""
    dice = random.Random(seed)
    message = schema.message_class("heapwire.demo.Timetable")()
    for _ in range(trains):
        train = message.train.add(number=dice.randrange(1, 30_000))
        time = 1_700_000_000 + dice.randrange(86_400)
        for _ in range(stops):
            stop = train.stop.add(
                platform=dice.randrange(1, 30), station=f"{dice.choice(WORDS)[:3]}{dice.getrandbits(7)}"
            )
            for moment in (stop.arrival, stop.departure):
                time += dice.randrange(30, 900)
                moment.time, moment.delay = time, dice.choice((0, 0, 0, 40, 250, -20))
    return message


def profile(schema: Schema, functions: int, samples: int, seed: int = 5) -> Message:
    """Returns a profile of a program: the stacks of its samples, with two calls in some places, and a table of texts
    that begins with the empty one."""
    dice = random.Random(seed)
    message = schema.message_class("heapwire.demo.Profile")(time=1_700_000_000_000_000_000, duration=10_000_000_000)
    texts: dict[str, int] = {"": 0}

    def text(of: str) -> int:
        return texts.setdefault(of, len(texts))

    for name, measure in (("samples", "count"), ("time", "nanoseconds")):
        message.unit.add(name=text(name), measure=text(measure))
    for i in range(1, functions + 1):
        name, file = (".".join(dice.choice(WORDS) for _ in range(parts)) for parts in (3, 1))
        line = dice.randrange(1, 900)
        message.function.add(id=i, name=text(name), file=text(f"source/{file}.c"), first_line=line)
        location = message.location.add(id=i, address=0x5560_0000_0000 + dice.getrandbits(22))
        for _ in range(dice.choice((1, 1, 1, 2))):
            location.line.add(function=dice.randrange(1, i + 1), line=line + dice.randrange(60))
    for _ in range(samples):
        stack = [dice.randrange(1, functions + 1) for _ in range(dice.randrange(4, 24))]
        count = dice.randrange(1, 40)
        message.sample.add(location=stack, value=(count, count * 10_000_000))
    message.text.extend(texts)
    return message


def archive(schema: Schema, size: int, seed: int = 3) -> Message:
    """Returns a mix of the first three kinds of messages with exactly `size` wire bytes (at least 10,000)."""
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
        "small sub-messages": timetable(schema, 3, 12),
        "profile": profile(schema, 24, 36),
        "64 KB": archive(schema, 65536),
    }
    return schema, [
        Case(name, message.DESCRIPTOR.full_name, message.SerializeToString(deterministic=True))
        for name, message in messages.items()
    ]

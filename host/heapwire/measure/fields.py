"""The field-heavy set: 24 messages of 20 B to 20 KB with small fields of every type. At most a quarter of their bytes
are packed. The same seed gives the same messages."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Callable

from google.protobuf.message import Message

from heapwire.schema import compile_proto
from heapwire.workload.case import Case
from heapwire.workload.group import ALL_AND_FLIGHT, Group

PROTO = Path(__file__).with_name("fields.proto")
PACKAGE = "heapwire.fields"
NOW = 1_700_000_000_000
SYMBOLS = ("AAPL", "MSFT", "EURUSD", "GC", "BRN")
CITIES = ("Oslo", "Lima", "Kyoto", "São Paulo", "Bern")


def position(message: Message, dice: random.Random, _: int) -> None:
    message.latitude, message.longitude = dice.randrange(-9 * 10**8, 9 * 10**8), dice.randrange(-18 * 10**8, 18 * 10**8)
    message.altitude, message.time = dice.randrange(-10, 4000), NOW + dice.randrange(10**6)


def trade(message: Message, dice: random.Random, _: int = 0) -> None:
    message.id, message.symbol = dice.getrandbits(64), dice.choice(SYMBOLS)
    message.price, message.quantity = dice.randrange(-(10**6), 10**9), dice.randrange(1, 10 ** dice.randrange(1, 5))
    message.buy, message.kind, message.venue = dice.random() < 0.5, dice.choice((1, 2, 3, -1)), dice.randrange(1, 40)
    message.time = NOW * 1000 + dice.randrange(10**9)


def book(message: Message, dice: random.Random, size: int) -> None:
    message.symbol, message.sequence = dice.choice(SYMBOLS), dice.getrandbits(30)
    for i in range(size):
        trade((message.bid if i % 2 else message.ask).add(), dice)


def sensor(message: Message, dice: random.Random, samples: int = 4) -> None:
    message.station, message.temperature, message.humidity = dice.randrange(500), dice.uniform(-30, 40), dice.random()
    message.pressure, message.time, message.drift = (
        dice.uniform(950, 1050),
        NOW + dice.randrange(10**6),
        -dice.randrange(1000),
    )
    message.offset, message.valid, message.mac = -dice.getrandbits(40), True, dice.randbytes(6)
    message.sample.extend(dice.randrange(-4000, 4000) for _ in range(samples))
    message.counter.extend(dice.getrandbits(dice.choice((7, 14, 30))) for _ in range(samples // 2))


def network(message: Message, dice: random.Random, size: int) -> None:
    message.id = dice.randrange(1000)
    message.route.extend(dice.getrandbits(32) for _ in range(size))
    for _ in range(size):
        sensor(message.sensor.add(), dice, dice.randrange(8))


def address(message: Message, dice: random.Random) -> None:
    message.street, message.number = "Main Street"[: dice.randrange(4, 12)], dice.randrange(1, 300)
    message.city, message.code = dice.choice(CITIES), dice.randrange(10**5)


def account(message: Message, dice: random.Random, friends: int) -> None:
    message.id, message.name, message.mail = (
        dice.getrandbits(50),
        "Ada Byron"[: dice.randrange(3, 10)],
        "ada@example.org",
    )
    message.active, message.age, message.balance = True, dice.randrange(18, 90), dice.uniform(-100, 10000)
    address(message.home, dice)
    if friends % 2 == 0:
        address(message.work, dice)
    message.friend.extend(dice.getrandbits(35) for _ in range(friends))
    message.kind, message.created, message.seen = 1, NOW - dice.randrange(10**10), NOW
    message.logins, message.zone = dice.randrange(5000), dice.randrange(-12, 12)


def span(message: Message, dice: random.Random, attributes: int = 3) -> None:
    message.trace_high, message.trace_low, message.id, message.parent = (dice.getrandbits(64) for _ in range(4))
    message.name, message.start, message.duration, message.kind = "GET /v1/items", NOW * 10**6, dice.randrange(10**8), 2
    for i in range(attributes):
        attribute = message.attribute.add(key=("status", "retry", "host", "cached", "ratio")[i % 5])
        for name, value in (("number", dice.randrange(600)), ("text", "eu-west"), ("flag", True), ("real", 0.5))[
            i % 4 :
        ][:1]:
            setattr(attribute, name, value)
        message.event.add(time=NOW + i, code=dice.randrange(300))


def trace(message: Message, dice: random.Random, size: int) -> None:
    for _ in range(size):
        span(message.span.add(), dice, dice.randrange(5))


def entity(message: Message, dice: random.Random, items: int = 2) -> None:
    message.id, message.health, message.flags = dice.randrange(10**4), dice.randrange(101), dice.getrandbits(12)
    message.heading, message.visible = dice.randrange(-180, 180), dice.random() < 0.8
    for vector in (message.position, message.velocity):
        vector.x, vector.y, vector.z = (dice.uniform(-100, 100) for _ in range(3))
    message.item.extend(dice.randrange(-1, 300) for _ in range(items))


def world(message: Message, dice: random.Random, size: int) -> None:
    message.tick = dice.getrandbits(33)
    message.lit.extend(dice.random() < 0.5 for _ in range(size))
    for _ in range(size):
        entity(message.entity.add(), dice, dice.randrange(5))


def expression(message: Message, dice: random.Random, depth: int) -> None:
    message.operation = dice.randrange(1, 40)
    if depth == 0 or dice.random() < 0.15:
        message.constant, message.cell = dice.randrange(-(10**4), 10**4), dice.randrange(32)
        return
    expression(message.left, dice, depth - 1)
    expression(message.right, dice, depth - 1)


MESSAGES: list[tuple[str, str, Callable[[Message, random.Random, int], None], int]] = [
    ("position", "Position", position, 0),
    ("trade", "Trade", trade, 0),
    ("entity", "Entity", entity, 3),
    ("sensor, 4 samples", "Sensor", sensor, 4),
    ("sensor, 40 samples", "Sensor", sensor, 40),
    ("account", "Account", account, 3),
    ("account, 40 friends", "Account", account, 40),
    ("account, 1000 friends", "Account", account, 1000),
    ("span, 3 attributes", "Span", span, 3),
    ("span, 20 attributes", "Span", span, 20),
    ("book of 2", "Book", book, 2),
    ("book of 10", "Book", book, 10),
    ("book of 50", "Book", book, 50),
    ("book of 400", "Book", book, 400),
    ("network of 2", "Network", network, 2),
    ("network of 20", "Network", network, 20),
    ("network of 150", "Network", network, 150),
    ("trace of 4", "Trace", trace, 4),
    ("trace of 30", "Trace", trace, 30),
    ("world of 5", "World", world, 5),
    ("world of 50", "World", world, 50),
    ("world of 250", "World", world, 250),
    ("expression, depth 4", "Expression", expression, 4),
    ("expression, depth 9", "Expression", expression, 9),
]


def field_heavy_group() -> Group:
    """Returns the set as a group of the suite `protobuf`."""
    schema = compile_proto(PROTO)
    cases = []
    for seed, (name, type_name, fill, size) in enumerate(MESSAGES):
        message = schema.message_class(f"{PACKAGE}.{type_name}")()
        fill(message, random.Random(seed), size)
        cases.append(
            Case(
                f"fields/{name}",
                message.DESCRIPTOR.full_name,
                message.SerializeToString(deterministic=True),
                ALL_AND_FLIGHT,
            )
        )
    return Group("fields", schema, cases)

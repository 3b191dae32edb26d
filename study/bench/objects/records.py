"""JSBS's MediaContent, and records of the kinds that the paper's Spark workloads shuffle. The records are our own, with
the shapes of theirs."""

import random
from typing import Callable, Iterable

from heapwire.cereal import Object
from heapwire.klasses import Maker

NODE, MEDIA = "heapwire.bench.", "data.media."


def media(maker: Maker) -> Object:
    """Returns the MediaContent of jvm-serializers, its media.1."""
    images = [
        maker.new(
            f"{MEDIA}Image",
            uri=maker.string(f"http://javaone.com/keynote_{name}.jpg"),
            title=maker.string("Javaone Keynote"),
            width=width,
            height=height,
            size=maker.constant(f"{MEDIA}Image$Size", size),
        )
        for name, width, height, size in (("large", 1024, 768, "LARGE"), ("small", 320, 240, "SMALL"))
    ]
    content = maker.new(
        f"{MEDIA}Media",
        uri=maker.string("http://javaone.com/keynote.mpg"),
        title=maker.string("Javaone Keynote"),
        width=640,
        height=480,
        format=maker.string("video/mpg4"),
        duration=18_000_000,
        size=58_982_400,
        bitrate=262_144,
        hasBitrate=True,
        persons=maker.list([maker.string("Bill Gates"), maker.string("Steve Jobs\uc2a4")]),
        player=maker.constant(f"{MEDIA}Media$Player", "JAVA"),
    )
    return maker.new(f"{MEDIA}MediaContent", media=content, images=maker.list(images))


def _sparse(maker: Maker, dice: random.Random, size: int, filled: int) -> Object:
    indices = sorted(dice.sample(range(size), filled))
    return maker.new(
        f"{NODE}SparseVector",
        size=size,
        indices=maker.values("[I", indices),
        values=maker.values("[D", [dice.random() for _ in indices]),
    )


def _records(maker: Maker, name: str, fields: Iterable[dict]) -> Object:
    """Returns an array of objects of a class. fields: the values of each one's fields."""
    made = [maker.new(f"{NODE}{name}", **values) for values in fields]
    return maker.references(f"[L{NODE}{name};", made)


def nweight(maker: Maker, count: int) -> Object:
    """Returns vertices with up to 16 weighted edges: many small objects."""
    dice = random.Random(1)

    def edges() -> Object:
        few = range(dice.randrange(1, 17))
        found = ({"target": dice.randrange(1 << 20), "weight": dice.random()} for _ in few)
        return _records(maker, "WeightedEdge", found)

    return _records(maker, "WeightedVertex", ({"id": i, "edges": edges()} for i in range(count)))


def _points(maker: Maker, count: int, features: Callable[[], Object]) -> Object:
    found = ({"label": float(i % 2), "features": features()} for i in range(count))
    return _records(maker, "LabeledPoint", found)


def svm(maker: Maker, count: int) -> Object:
    """Returns labelled points, each a sparse vector of 32 of 4,096 features."""
    dice = random.Random(2)
    return _points(maker, count, lambda: _sparse(maker, dice, 4096, 32))


def regression(maker: Maker, count: int) -> Object:
    """Returns labelled points, each a dense vector of 20 features."""
    dice = random.Random(3)

    def vector() -> Object:
        values = maker.values("[D", [dice.random() for _ in range(20)])
        return maker.new(f"{NODE}DenseVector", size=20, values=values)

    return _points(maker, count, vector)


def bayes(maker: Maker, count: int) -> Object:
    """Returns documents: a class, 12 terms, their frequencies."""
    dice = random.Random(4)

    def document(number: int) -> dict:
        terms = [maker.string(f"term{dice.randrange(5000)}") for _ in range(12)]
        label, texts = maker.string(f"class{number % 20}"), maker.references("[Ljava.lang.String;", terms)
        return {"label": label, "terms": texts, "frequencies": _sparse(maker, dice, 5000, 12)}

    return _records(maker, "Document", map(document, range(count)))


def terasort(maker: Maker, count: int) -> Object:
    """Returns records of 100 bytes, ten of which are the key."""
    dice = random.Random(5)

    def part(size: int) -> Object:
        return maker.values("[B", dice.randbytes(size))

    return _records(maker, "SortRecord", ({"key": part(10), "value": part(90)} for _ in range(count)))


def als(maker: Maker, count: int) -> Object:
    """Returns ratings: two ids and a number."""
    dice, most = random.Random(6), {"user": 100_000, "item": 2000}
    ids = ({name: dice.randrange(limit) for name, limit in most.items()} for _ in range(count))
    return _records(maker, "Rating", (each | {"rating": dice.randrange(10) / 2} for each in ids))

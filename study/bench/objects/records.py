"""JSBS's MediaContent, and records of the kinds that the paper's Spark workloads shuffle. The records are our own, with
the shapes of theirs."""

import random

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


def nweight(maker: Maker, count: int) -> Object:
    """Returns vertices with up to 16 weighted edges: many small objects."""
    dice, found = random.Random(1), []
    for i in range(count):
        edges = [
            maker.new(f"{NODE}WeightedEdge", target=dice.randrange(1 << 20), weight=dice.random())
            for _ in range(dice.randrange(1, 17))
        ]
        found.append(maker.new(f"{NODE}WeightedVertex", id=i, edges=maker.references(f"[L{NODE}WeightedEdge;", edges)))
    return maker.references(f"[L{NODE}WeightedVertex;", found)


def svm(maker: Maker, count: int) -> Object:
    """Returns labelled points, each a sparse vector of 32 of 4,096 features."""
    dice = random.Random(2)
    found = [
        maker.new(f"{NODE}LabeledPoint", label=float(i % 2), features=_sparse(maker, dice, 4096, 32))
        for i in range(count)
    ]
    return maker.references(f"[L{NODE}LabeledPoint;", found)


def regression(maker: Maker, count: int) -> Object:
    """Returns labelled points, each a dense vector of 20 features."""
    dice, found = random.Random(3), []
    for i in range(count):
        vector = maker.new(f"{NODE}DenseVector", size=20, values=maker.values("[D", [dice.random() for _ in range(20)]))
        found.append(maker.new(f"{NODE}LabeledPoint", label=float(i % 2), features=vector))
    return maker.references(f"[L{NODE}LabeledPoint;", found)


def bayes(maker: Maker, count: int) -> Object:
    """Returns documents: a class, 12 terms, their frequencies."""
    dice, found = random.Random(4), []
    for i in range(count):
        terms = [maker.string(f"term{dice.randrange(5000)}") for _ in range(12)]
        found.append(
            maker.new(
                f"{NODE}Document",
                label=maker.string(f"class{i % 20}"),
                terms=maker.references("[Ljava.lang.String;", terms),
                frequencies=_sparse(maker, dice, 5000, 12),
            )
        )
    return maker.references(f"[L{NODE}Document;", found)


def terasort(maker: Maker, count: int) -> Object:
    """Returns records of 100 bytes, ten of which are the key."""
    dice = random.Random(5)
    found = [
        maker.new(
            f"{NODE}SortRecord",
            key=maker.values("[B", dice.randbytes(10)),
            value=maker.values("[B", dice.randbytes(90)),
        )
        for _ in range(count)
    ]
    return maker.references(f"[L{NODE}SortRecord;", found)


def als(maker: Maker, count: int) -> Object:
    """Returns ratings: two ids and a number."""
    dice = random.Random(6)
    found = [
        maker.new(
            f"{NODE}Rating", user=dice.randrange(100_000), item=dice.randrange(2000), rating=dice.randrange(10) / 2
        )
        for _ in range(count)
    ]
    return maker.references(f"[L{NODE}Rating;", found)

"""Streams for heaps of other formats: C against the independent reader and writer in Python."""

from dataclasses import astuple, replace
from random import Random

import pytest
from clusters import cluster, numbered
from node import PLAIN, REGISTRY, Node, held

from heapwire.cereal import difference
from heapwire.skyway import Format, FormatError, Header, SkywayError, read, write
from tests.common.skyway_damage import mutate

HOTSPOT = Format(16, 24, 8, 8, 8, 8, 16, 8, 31, 1)
"""HotSpot with references and class pointers of 8 bytes."""
OWN_WORDS = [PLAIN, Format(16, 24, 16), Format(8, 16, 16), Format(8, 24), Format(16, 16)]
FORMATS = {
    "hotspot": HOTSPOT,
    "hotspot-baddr": replace(HOTSPOT, fields=24, elements=32),
    "hotspot-compressed": replace(HOTSPOT, reference_bytes=4),
    "hotspot-class4": Format(12, 16, 8, 8, 8, 4, 12, 8, 31, 1),
    "hotspot-all4": Format(12, 16, 8, 4, 8, 4, 12, 8, 31, 1),
    "hotspot-all4-baddr": Format(24, 24, 8, 4, 8, 4, 12, 8, 31, 1),
    "own-words-at-12": Format(fields=12),
    "own-wide-references": Format(reference_bytes=8),
    "aligned-to-16": replace(HOTSPOT, alignment=16),
}


def random_format(random):
    """Returns any format, possible or not, as keyword arguments."""
    good = random.choice([Format(), *OWN_WORDS, *FORMATS.values()])
    values = dict(zip(Format.__dataclass_fields__, astuple(good)))
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        values[random.choice(list(values))] = random.choice((0, 1, 4, 8, 12, 16, 20, 24, 25, 31, 39, 40, 248, 252, 255))
    return values


@pytest.mark.parametrize("form", [*OWN_WORDS, *FORMATS.values()], ids=[*map(str, OWN_WORDS), *FORMATS])
def test_another_format(programs, status, seed, form):
    """C and Python write the same bytes, whatever the size of the output buffer, and Python reads the graph. A receiver
    in C takes the streams of its own format and refuses the others."""
    random = Random(seed)
    with Node(programs / "node") as node, Node(programs / "node", "plain") as plain:
        classes, registry, graphs = cluster(node, random, 150, 8)
        numbered(plain, classes)
        for phase, roots in enumerate(graphs, 1):
            node.build(held(roots))
            drains = random.choice((True, False))
            node.open(0, 8 * random.choice((17, 100)) if drains else 1 << 20, form=form)
            assert node.phase() == status["OK"]
            for i in range(len(roots)):
                assert node.write(i) == status["OK"]
            assert node.finish() == status["OK"]
            _, stream, _ = node.taken()
            assert difference(held(read(stream, registry, form).roots), held(roots)) is None
            ours = write(roots, registry, Header(REGISTRY, 0, phase, 1, form))
            assert difference(held(read(ours, registry, form).roots), held(roots)) is None
            assert (stream == ours) or drains
            assert images(stream, registry, form) == images(ours, registry, form)
            assert node.read(stream).status == status["OTHER_LAYOUT"]
            found = plain.read(stream)
            if form != PLAIN:
                assert found.status == status["OTHER_LAYOUT"]
                continue
            assert (found.status, found.roots) == (status["END"], len(roots))
            assert difference(plain.describe(), held(roots)) is None
            plain.free(found.buffer)
            plain.collect(drop=True)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_shared_objects(programs, status, seed, form):
    """Objects that another stream has marked, of more classes than the work area keeps places for."""
    random = Random(seed)
    with Node(programs / "node") as node:
        _, registry, graphs = cluster(node, random, 40, 8)
        for phase, roots in enumerate(graphs, 1):
            node.build(held(roots))
            node.open(0)
            node.open(1, form=form, work=random.choice((4096, 6000)))
            assert node.phase() == status["OK"]
            for stream in (0, 1):
                for i in range(len(roots)):
                    assert node.write(i, stream) == status["OK"]
            assert node.finish(1) == node.finish(0) == status["OK"]
            assert node.taken(1)[1] == write(roots, registry, Header(REGISTRY, 0, phase, 2, form))
            node.taken(0)


def images(stream, registry, form):
    """Returns the bytes of all objects, without the words of segments."""
    return read(stream, registry, form).image


def test_the_order_is_that_of_every_stream(programs, status, seed):
    """The same graph has the same objects in the same order, whatever the receiver's format."""
    random = Random(seed)
    with Node(programs / "node") as node:
        _, registry, graphs = cluster(node, random, 100, 6)
        for roots in graphs:
            orders = []
            for form in (Format(), *FORMATS.values()):
                found = read(write(roots, registry, Header(REGISTRY, format=form)), registry, form)
                orders.append([(each.cls.name, each.hash, each.length) for each in found.objects])
            assert all(order == orders[0] for order in orders)


def test_impossible_formats(programs, status, full, seed):
    """C and Python agree on which formats a heap can have."""
    random, told = Random(seed), []
    with Node(programs / "node") as node:
        cluster(node, random, 10)
        assert node.phase() == status["OK"]
        for _ in range(20000 if full else 1500):
            values = random_format(random)
            try:
                form, good = Format(**values), True
            except FormatError as error:
                form, good = tuple(values.values()), False
                assert any(f"{name} = {value}: " in str(error) for name, value in values.items())
            node.open(form=form)
            outcome, _, _ = node.taken()
            assert outcome == status["OK" if good else "BAD_FORMAT"], values
            told.append(good)
    assert 100 < sum(told) < len(told) - 100


def test_damaged_streams_of_other_formats(programs, status, full, seed):
    """Whatever the bytes are, the reader in Python reads them or rejects them."""
    random, told = Random(seed), set()
    with Node(programs / "node") as node:
        _, registry, graphs = cluster(node, random, 40, 40)
        for roots in graphs:
            for form in FORMATS.values():
                stream = write(roots, registry, Header(REGISTRY, format=form))
                for _ in range(20 if full else 2):
                    try:
                        read(mutate(random, stream), registry, form)
                    except SkywayError as error:
                        told.add(error.status)
    assert {"CUT", "BAD_STREAM", "BAD_VALUE", "BAD_REFERENCE", "OTHER_LAYOUT"} <= told

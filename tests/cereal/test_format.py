"""The Python reader and writer against the specification and each other."""

import re
from random import Random

import pytest

from base.repository import ROOT
from heapwire import interface
from heapwire.cereal import (
    BadLayout,
    BadReference,
    BadStream,
    BadValue,
    Class,
    ClassSet,
    Kind,
    Object,
    difference,
    objects,
    read,
    write,
)
from heapwire.cereal.numbers import FORMAT
from heapwire.cereal.stream import Unpacker, pack
from tests.common.cereal_damage import mutate
from tests.common.random_graphs import random_classes, random_graph

PAGE = (ROOT / "docs" / "reference" / "cereal.md").read_text()
NODE = Class("Node", Kind.INSTANCE, 0, (False, True))


def nodes(*values):
    """Returns a list."""
    last = None
    for value in reversed(values):
        last = Object(NODE, slots=[value, last])
    return last


def example():
    section = PAGE[PAGE.index("## An example") :]
    lines = re.findall(r"^ ((?:[0-9a-f]{2} ?){16}|(?:[0-9a-f]{2} ?| ){32,}?)   ", section, re.M)
    return bytes.fromhex("".join(lines))


def test_the_numbers_of_the_page():
    """The page's numbers of the header, in its table and in its text, are those of hardware and software."""
    fields = {
        name.replace(" ", "_"): int(at)
        for at, name in re.findall(r"^ ?(\d+) +u\d+ +([a-z]+(?: [a-z]+)?)\b(?:  |$)", PAGE, re.M)
    }
    known = {
        name[len("header_") :]: value for name, value in interface.load().cereal.items() if name.startswith("header_")
    }
    known.pop("size")
    fields["reserved"] = int(re.search(r"^ ?(\d+) +u16 +0$", PAGE, re.M)[1])
    assert fields == known
    said = {
        "header_size": r"^(\d+) +value array,",
        "magic": r"magic +(0x[0-9a-f]+),",
        "version": r"version +(\d+)$",
        "slot": r"A \*\*slot\*\* is (\d+) bytes",
        "granule": r"Each is a multiple of (\d+) bytes",
        "alignment": r"values +bytes of the value array, a multiple of (\d+)",
        "graph_least": r"bytes of the image, at least (\d+)",
        "hash_bit": r"`hash << (\d+) \| 1`",
        "mark": r"`hash << 7 \| (\d+)`",
        "bucket_bits": r"\*buckets\* of (\d+) bits",
        "packet_bytes": r"\*packets\* of (\d+) bytes",
        "packet_buckets": r"bytes 1 to (\d+) are buckets",
        "reference_buckets": r"an item has at most (\d+) buckets",
        "instance_header": r"from slot (\d+)\s+of an instance",
        "array_header": r"from slot (\d+) of an array",
        "kind_instance": r"(\d+) instance, 1 array",
        "kind_values": r"(\d+) array of values",
        "kind_references": r"(\d+) array of references",
    }
    for name, pattern in said.items():
        assert int(re.search(pattern, PAGE, re.M)[1], 0) == getattr(FORMAT, name), name
    assert 1 << int(re.search(r"below 2\^(\d+)", PAGE)[1]) == FORMAT.graph_limit
    assert 1 << int(re.search(r"flags +bit (\d+): header strip", PAGE)[1]) == FORMAT.flag_strip


def test_the_example_of_the_page():
    """Its class set is made up: of its 3 classes the page describes only the last."""
    classes = ClassSet([Class(f"[{letter}", Kind.VALUES) for letter in "ZBX"] + [NODE])
    stream = bytearray(write(nodes(7, 8), classes))
    stream[8:12] = bytes.fromhex("78563412")
    assert stream == example() and len(stream) == 96
    classes.fingerprint = 0x12345678
    assert difference(read(example(), classes).root, nodes(7, 8)) is None


def test_items():
    """Items take one or many buckets, also across packets. Unpacking returns the packed items."""
    random = Random(1)
    for count in range(60):
        items = ["".join(random.choice("01") for _ in range(random.choice((0, 1, 7, 8, 15, 70)))) for _ in range(count)]
        section = pack(items)
        unpacker = Unpacker(section, 0, len(section), BadLayout)
        assert len(section) % 16 == 0 and [unpacker.item() for _ in items] == items
        unpacker.finish()


@pytest.mark.parametrize("strip", [False, True], ids=["", "strip"])
def test_random_round_trips(seed, strip):
    random = Random(seed)
    for _ in range(40):
        plain = random_classes(random)
        classes = ClassSet(plain)
        for _ in range(10):
            root = random_graph(random, plain, random.choice((1, 2, 5, 30, 100)))
            stream = write(root, classes, strip)
            found = read(stream + b"behind it", classes)
            assert found.length == len(stream) and found.header.objects == len(objects(root)), seed
            assert difference(root, found.root, hashes=not strip) is None, seed
            assert write(found.root, classes, strip) == stream, seed


def test_differences_are_seen():
    """Checks the comparison on which the other tests rely."""

    def pair(a, b):
        return Object(Class("Pair", Kind.INSTANCE, 0, (True, True)), slots=[a, b])

    leaf = nodes(1)
    assert difference(pair(leaf, leaf), pair(nodes(1), nodes(1)))
    assert difference(pair(nodes(1), nodes(1)), pair(leaf, leaf))
    assert (
        difference(pair(leaf, None), pair(None, leaf))
        and difference(nodes(1), nodes(2))
        and difference(nodes(1), nodes(1, 2))
    )
    hashed = nodes(1)
    hashed.hash = 9
    assert difference(hashed, nodes(1)) and difference(hashed, nodes(1), hashes=False) is None
    cycle, longer = nodes(1), nodes(1, 1)
    cycle.slots[1] = cycle
    longer.slots[1].slots[1] = longer
    assert difference(cycle, longer) and difference(longer, longer) is None


def change(stream, **places):
    """Returns the stream with bytes, in hexadecimal, replaced at the offsets `at_N`."""
    found = bytearray(stream)
    for place, text in places.items():
        data = bytes.fromhex(text)
        found[int(place[3:]) : int(place[3:]) + len(data)] = data
    return bytes(found)


WRONG = [
    (BadStream, 0, dict(at_0="44")),
    (BadStream, 0, dict(at_4="02")),
    (BadStream, 0, dict(at_5="02")),
    (BadStream, 0, dict(at_6="01")),
    (BadStream, 0, dict(at_8="00")),
    (BadStream, 0, dict(at_12="00")),
    (BadStream, 16, dict(at_16="34")),
    (BadStream, 16, dict(at_16="08")),
    (BadStream, 16, dict(at_16="00000020")),
    (BadStream, 16, dict(at_20="28")),
    (BadStream, 16, dict(at_20="30")),
    (BadStream, 16, dict(at_28="20")),
    (BadStream, 16, dict(at_20="f0ffffff")),
    (BadLayout, 83, dict(at_16="38")),
    (BadLayout, 82, dict(at_16="28")),
    (BadValue, 64, dict(at_12="03", at_56="01", at_60="00")),
    (BadValue, 32, dict(at_32="02")),
    (BadValue, 32, dict(at_32="09")),
    (BadValue, 44, dict(at_44="41")),
    (BadValue, 36, dict(at_36="04")),
    (BadValue, 36, dict(at_36="ffffffff")),
    (BadValue, 56, dict(at_60="01")),
    (BadReference, 65, dict(at_64="83")),
    (BadReference, 65, dict(at_65="50")),
    (BadReference, 65, dict(at_64="02", at_65="a0")),
    (BadReference, 65, dict(at_65="00")),
    (BadReference, 65, dict(at_65="b0")),
    (BadReference, 65, dict(at_65="f0")),
    (BadReference, 67, dict(at_67="01")),
    (BadReference, 67, dict(at_64="07")),
    (BadReference, 67, dict(at_72="01")),
    (BadReference, 65, dict(at_64="00000000")),
    (BadReference, 66, dict(at_64="01")),
    (BadLayout, 81, dict(at_80="83")),
    (BadLayout, 81, dict(at_81="b0")),
    (BadLayout, 81, dict(at_81="38")),
    (BadLayout, 82, dict(at_82="10")),
    (BadLayout, 82, dict(at_80="01")),
    (BadLayout, 83, dict(at_83="01")),
    (BadLayout, 83, dict(at_88="01")),
    (BadLayout, 83, dict(at_80="07")),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_every_must(number):
    error, offset, places = WRONG[number]
    classes = ClassSet([Class(f"[{letter}", Kind.VALUES) for letter in "ZBX"] + [NODE])
    classes.fingerprint = 0x12345678
    with pytest.raises(error) as raised:
        read(change(example(), **places), classes)
    assert raised.value.offset == offset, raised.value


def test_cuts(seed):
    classes = ClassSet([NODE])
    stream = write(nodes(*range(20)), classes)
    for length in range(len(stream)):
        with pytest.raises(BadStream):
            read(stream[:length], classes)


def test_mutations_are_of_every_kind(seed):
    """The mutator reaches every status, and streams that stay valid can be read."""
    random, found = Random(seed), set()
    plain = random_classes(random)
    classes = ClassSet(plain)
    for _ in range(3000):
        stream = mutate(random, write(random_graph(random, plain, 6), classes))
        try:
            read(stream, classes)
            found.add("OK")
        except (BadStream, BadValue, BadReference, BadLayout) as error:
            found.add(error.status)
    assert found == {"OK", "BAD_STREAM", "BAD_VALUE", "BAD_REFERENCE", "BAD_LAYOUT"}

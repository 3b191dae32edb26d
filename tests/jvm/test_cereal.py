"""Cereal's streams of a JVM, beside those of Python and of the C codec."""

from random import Random

import pytest

from heapwire.cereal import CerealError, difference, read, write
from heapwire.cereal.stream import Header
from heapwire.klasses import Maker
from tests.cereal.script import CodecScript
from tests.common.cereal_damage import mutate, wrapping

DAMAGED, FULL_DAMAGED = 1000, 20_000
LIST, FULL_LIST = 5000, 100_000
LONGEST = 10_000
ERRORS = {"EOFException", "StreamCorruptedException", "InvalidClassException", "InvalidObjectException"}


def short(streams):
    return [each for each in streams if len(each) < LONGEST]


def test_class_sets_are_those_of_the_tool(jvm):
    """Reflection finds the layouts that the tool finds in class files, of the JDK's classes and of random ones."""
    assert jvm.check("classes")[0] == str(jvm.classes.fingerprint) and len(jvm.classes) > 130


def test_graphs_and_bytes(jvm, full):
    """A JVM reads what it has written (Check compares), and Python writes the same bytes."""
    count = FULL_LIST if full else LIST
    streams = jvm.written(count)
    assert max(Header.unpack(each).objects for each in streams) > count
    for each in streams:
        found = read(each, jvm.classes)
        assert write(found.root, jvm.classes, found.header.stripped) == each


def plain(make, **others):
    """Returns the object that Check.plain makes."""
    values = {"truth": True, "tiny": -5, "letter": 0x4E2D, "small": -30_000, "number": 0x12345678, "fixed": 77}
    more = {"large": -(1 << 63) + 3, "real": 1.5, "precise": -2.25, "text": make.string("h\u00e9llo")}
    numbers = make.values("[I", [1, -2, 3])
    made = make.new("jvm.Plain", **{**values, **more, "numbers": numbers, **others})
    if "next" not in others:
        make.set(made, next=made)
    return made


def test_fields_are_where_python_expects_them(jvm):
    made = plain(Maker(jvm.klasses))
    assert difference(read(jvm.written()[0], jvm.classes).root, made) is None
    lines, again = jvm.read([write(made, jvm.classes)])
    assert lines == ["OK"] and again == [write(made, jvm.classes)]


def test_constants_without_a_name_are_found_by_their_ordinal(jvm):
    """As the machine sends them: the constant with a body is an object of the enum itself."""
    make = Maker(jvm.klasses)
    root = make.references("[Ljvm.Colour;", [make.new("jvm.Colour", ordinal=i) for i in (1, 2)])
    lines, again = jvm.read([write(root, jvm.classes)])
    found = read(again[0], jvm.classes).root
    assert lines == ["OK"] and [each.cls.name for each in found.slots] == ["jvm.Colour$1", "jvm.Colour"]


@pytest.mark.parametrize(
    "field, value, error",
    [
        ("text", lambda make: make.values("[B", b"x"), "InvalidClassException"),
        ("numbers", lambda make: make.values("[F", [1.0]), "InvalidClassException"),
        ("next", lambda make: make.string("x"), "InvalidClassException"),
        ("any", lambda make: make.references("[Ljvm.Plain;", [make.string("x"), None]), "InvalidClassException"),
        ("text", lambda make: make.new("java.lang.String"), "InvalidObjectException"),
        ("text", lambda make: make.new("java.lang.String", value=make.values("[B", b"abc"), coder=1), "InvalidObject"),
        ("text", lambda make: make.new("java.lang.String", value=make.values("[B", b"a\0"), coder=1), "InvalidObject"),
        ("text", lambda make: make.new("java.lang.String", value=make.values("[B", b"a"), coder=7), "InvalidObject"),
        ("any", lambda make: make.new("jvm.Colour", ordinal=3), "InvalidObjectException"),
        ("any", lambda make: make.new("jvm.Colour", name=make.string("PINK")), "InvalidObjectException"),
        (
            "any",
            lambda make: make.new("jvm.Colour", name=make.string("R\nED" * 50)),
            "InvalidObjectException no constant R?ED",
        ),
        ("any", lambda make: make.new("heapwire.heap.ClassName", name=make.string("no.such")), "InvalidClassException"),
        ("any", lambda make: make.new("java.lang.Enum"), "InvalidClassException"),
        ("any", lambda make: make.values("[Z", b"\1\2"), "StreamCorruptedException BAD_VALUE"),
    ],
)
def test_what_the_language_forbids(jvm, field, value, error):
    """Streams that Python accepts, because the format does not say what a field may hold."""
    make = Maker(jvm.klasses)
    lines, _ = jvm.read([write(plain(make, **{field: value(make)}), jvm.classes)])
    assert lines[0].startswith(error)


def table(make, size, nodes):
    return make.new("java.util.HashMap", table=make.references("[Ljava.util.HashMap$Node;", nodes), size=size)


def looped(make, size=1, full=True):
    """Returns a table in which a look-up does not end."""
    node = make.new("java.util.HashMap$Node", key=make.string("k"), hash=7)
    make.set(node, next=node)
    return table(make, size, [node, node if full else None])


@pytest.mark.parametrize("full", [False, True])
def test_a_table_with_a_loop_ends(jvm, full):
    """Alone, as the key of a table, and as its value."""
    make = Maker(jvm.klasses)
    key = make.new("java.util.HashMap$Node", key=looped(make, full=full))
    value = make.new("java.util.HashMap$Node", key=make.string("k"), value=looped(make, full=full))
    roots = [looped(make, full=full), table(make, 1, [key, None]), table(make, 1, [value, None])]
    lines, _ = jvm.read([write(root, jvm.classes) for root in roots])
    assert all(line.startswith("InvalidObjectException") for line in lines), lines


def test_a_table_is_what_its_entries_say(jvm):
    """One that says that it is empty keeps no node. Tables do not share an array, nor more nodes than there are."""
    make = Maker(jvm.klasses)
    lines, again = jvm.read([write(looped(make, size=0), jvm.classes)])
    found = read(again[0], jvm.classes)
    assert lines == ["OK"] and found.header.objects == 1
    array, chain = make.references("[Ljava.util.HashMap$Node;", [None]), None
    for i in range(8):
        chain = make.new("java.util.HashMap$Node", key=make.string(str(i)), next=chain)
    nodes = [table(make, 8, [chain, None]) for _ in range(20)]
    maps = nodes, [make.new("java.util.HashMap", table=array) for _ in range(2)]
    lines, _ = jvm.read([write(make.references("[Ljava.lang.Object;", each), jvm.classes) for each in maps])
    assert all(line.startswith("InvalidObjectException") for line in lines), lines


def test_tables_of_all_kinds(jvm):
    opened = [f"--add-opens=java.base/java.util{each}=ALL-UNNAMED" for each in ("", ".concurrent")]
    assert jvm.check("tables", options=opened) == ["good"]


def test_what_is_not_sent(jvm):
    of_class, set_of, map_of, hidden, hiddens, a_set, a_map, *short = jvm.check("refused")
    assert "register heapwire.heap.ClassName" in of_class
    assert "is hidden" in hidden and "is hidden" in hiddens
    assert all("has an object of its JVM" in line for line in short) and len(short) == 2
    assert all("cannot be built anew" in line for line in (set_of, map_of, a_set, a_map))


def test_damaged_streams(jvm, programs, interface, full, seed):
    """The JVM gives Python's status and offset, and accepts nothing that the C codec refuses."""
    random, whole = Random(seed), short(jvm.written())
    streams = [mutate(random, random.choice(whole)) for _ in range(FULL_DAMAGED if full else DAMAGED)]
    lines, _ = jvm.read(streams)
    script = CodecScript(programs / "script")
    script.register(jvm.classes.classes)
    refused = 0
    for each in streams:
        script.attempt(each)
    for line, stream, (there, _) in zip(lines, streams, script.run()[len(jvm.classes) :]):
        error, _, told = line.partition(" ")
        assert line == "OK" or error in ERRORS
        try:
            read(stream, jvm.classes)
        except CerealError as expected:
            refused += 1
            assert told.startswith(f"{expected.status} at {expected.offset}:"), (line, expected)
        assert line != "OK" or there[0] == 0
    assert refused > len(streams) // 2


def test_memory_is_taken_for_what_has_come(jvm):
    """Streams that announce gigabytes, in a heap of 16 MB."""
    whole = short(jvm.written())[0]
    huge = list(wrapping(whole))
    for field in ("values", "references", "layouts", "objects", "graph"):
        header = Header.unpack(whole)
        setattr(header, field, 0x1FFF_FFF0)
        huge.append(header.pack() + whole[32:])
    make = Maker(jvm.klasses)
    for name in ("[Ljava.lang.Object;", "[J"):
        stream = bytearray(write(make.references(name, []) if "L" in name else make.values(name, []), jvm.classes))
        stream[40:44] = (0x7FF_FFF0).to_bytes(4, "little")
        stream[16:20] = (0x1FFF_FFF8).to_bytes(4, "little")
        huge.append(bytes(stream))
    lines, _ = jvm.read(huge, options=["-Xmx16m"])
    assert all(line.split()[0] in ERRORS for line in lines)
